// Predicts every record and compares in kind: time with time, each memory with the number that it means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/model/scenario.hpp"
#include "validate/options.hpp"
#include "validate/record.hpp"

namespace shardsim::validate {

/// A measured value beside its prediction and 80 % interval.
struct Pair {
  double measured = 0.0;
  double predicted = 0.0;
  double p10 = 0.0;
  double p90 = 0.0;

  /// (predicted − measured) / measured.
  [[nodiscard]] double error() const { return (predicted - measured) / measured; }
  [[nodiscard]] bool covered() const { return measured >= p10 && measured <= p90; }
};

struct Result {
  std::string id;
  std::string source;
  std::string where;
  std::string quality;
  /// Scored apart from the others, and why.
  std::string suspect;
  /// Why the row could not be scored; empty = it was.
  std::string skipped;
  /// The source's own TFLOP/s per GPU with recomputation, where it gives them instead of a time.
  std::optional<double> hardware_tflops_per_gpu;
  /// The settings as text: equal for repeated measurements of one configuration.
  std::string configuration;
  std::optional<Pair> time;
  std::optional<Pair> memory;
  std::optional<Outcome> outcome;
  /// Of the whole iteration, measured or not. Both are meaningless where the row was skipped.
  double predicted_iteration_s = 0.0;
  bool predicted_fit = true;
};

/// A record whose scenario is at hand.
[[nodiscard]] Result evaluate(const Record& record, const model::Scenario& scenario,
                              Engine engine = Engine::closed_form);

/// Never throws for a row: what cannot be resolved is skipped with its reason.
[[nodiscard]] Result evaluate(const Record& record, Engine engine = Engine::closed_form);
[[nodiscard]] std::vector<Result> evaluate(const std::vector<Record>& records, Engine engine = Engine::closed_form);

}  // namespace shardsim::validate

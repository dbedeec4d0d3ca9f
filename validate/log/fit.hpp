// Refines a few constants of a profile from measured runs of one cluster, and tells how well they are determined.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::validate::log {

/// One measured run. Memory: peaks of the worst stage.
struct FitRun {
  std::string name;
  model::Scenario scenario;
  std::optional<Seconds> iteration;
  std::optional<Bytes> allocated;
  std::optional<Bytes> reserved;
};

/// One refined constant.
struct Refined {
  std::string_view name;
  /// Time knobs: the factor on what the start profile says. Memory: bytes added, or the new share.
  double value = 1.0;
  /// Standard error: of a factor its relative one.
  double error = 0.0;
  /// False: the runs hardly depend on it, or not apart from another constant; the start profile's value stays.
  bool determined = false;
};

/// Medians of |predicted − measured| / measured.
struct FitErrors {
  double before = 0.0;
  double after = 0.0;
  /// Each run predicted with what the others give.
  double left_out = 0.0;
};

struct Fit {
  /// In the order of time_knobs().
  std::vector<Refined> time;
  Refined workspace{"memory overhead", 0.0, 0.0, false};
  Refined fragmentation{"fragmentation", 0.0, 0.0, false};
  FitErrors time_errors;
  FitErrors memory_errors;
  std::size_t timed = 0;
  std::size_t weighed = 0;
};

/// Maximum posterior: residuals log(measured / predicted) are normal with one common scatter, which is estimated too,
/// with Huber's weights against outliers; log factors are normal around 0 with Knob::prior. Constants whose posterior
/// is not at least twice as narrow as their prior are dropped, the worst one first.
[[nodiscard]] Fit fit(const std::vector<FitRun>& runs);

/// The scenario with the determined constants of a fit.
[[nodiscard]] model::Scenario refined(const model::Scenario& scenario, const Fit& fit);

}  // namespace shardsim::validate::log

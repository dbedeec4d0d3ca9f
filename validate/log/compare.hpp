// A training log beside the prediction of its job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/predict_options.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"
#include "validate/evaluate.hpp"
#include "validate/log/steady.hpp"
#include "validate/log/training_log.hpp"

namespace shardsim::validate::log {

/// TFLOP/s per GPU as the log's own program counts FLOPs.
struct Rate {
  double measured = 0.0;
  double predicted = 0.0;
  /// The count that the log's rate times its time comes nearest to.
  std::string_view convention;
  /// FLOPs of the log over that count: near 1 where log and configuration are of the same job.
  double work = 1.0;
};

/// Peak of PyTorch's allocator on the rank that printed most.
struct MemoryPair {
  /// "allocated" or "reserved".
  std::string_view kind;
  Pair bytes;
  int line = 0;
  std::optional<std::int64_t> rank;
  /// Whose prediction it is held against.
  std::int64_t stage = 0;
};

struct Comparison {
  TrainingLog log;
  model::Scenario scenario;
  engine::Prediction prediction;
  /// Missing where the log holds out-of-memory messages only.
  std::optional<Steady> steady;
  std::optional<Pair> time;
  std::optional<Rate> rate;
  std::vector<MemoryPair> memory;
  /// What a reader should know about the comparison.
  std::vector<std::string> notes;
};

/// The job as the log says it (arguments dump, batch sizes), with what `options` say on top. Throws InputError where
/// a value of the user's files contradicts the log, where something is missing, and where the log is of another job.
[[nodiscard]] Comparison compare(TrainingLog log, const cli::ScenarioOptions& options);

}  // namespace shardsim::validate::log

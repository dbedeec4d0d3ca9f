// Everything that a prediction depends on, resolved and checked: (Model, Cluster, Parallelism, Stack) -> Prediction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hardware/cluster.hpp"
#include "sim/model/model.hpp"
#include "sim/model/parallelism.hpp"
#include "sim/model/stack.hpp"
#include "sim/model/training.hpp"

namespace shardsim::model {

/// A value that the user did not give.
struct Assumption {
  std::string key;
  std::string value;
  std::string reason;
};

struct Scenario {
  std::string name = "custom";
  Model model;
  Parallelism parallelism;
  Training training;
  Stack stack;
  hardware::Cluster cluster;
  std::int64_t gpus = 1;
  std::vector<Assumption> assumed;
  std::vector<std::string> warnings;
};

/// Micro batches that each pipeline runs per iteration: global batch / (micro batch · dp).
[[nodiscard]] std::int64_t micro_batches(const Scenario& scenario);

/// The ZeRO stage whose communication runs: 1 instead of 3 where a pipeline makes the stack hold parameters and
/// gradients whole during an iteration.
[[nodiscard]] int traffic_zero_stage(const Scenario& scenario);

/// Vocabulary padded to a multiple of make_vocab_size_divisible_by · tp (Megatron's rule).
[[nodiscard]] std::int64_t padded_vocab_size(const Model& model, const Parallelism& parallelism);

}  // namespace shardsim::model

// Parameters, gradients and optimizer state that a rank holds throughout training.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

/// Ranks over which sharded state is divided: dp · cp / instances, or 1 where this part is not sharded.
/// Rajbhandari et al. (2020): stage 1 shards the optimizer, 2 also the gradients, 3 also the parameters.
struct Shards {
  std::int64_t optimizer = 1;
  std::int64_t gradients = 1;
  std::int64_t parameters = 1;
};
[[nodiscard]] Shards shards(const model::Parallelism& parallelism);

/// Bytes on one rank.
struct ModelState {
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;
  /// For the optimizer step only: gradients copied to fp32, update temporaries.
  Bytes step_temporaries;
};
[[nodiscard]] ModelState model_state(const model::Scenario& scenario, const model::Stage& stage);

/// Persistent bytes per parameter (of one rank, before sharding it by hand): 18 for bf16 with fp32 gradients,
/// 6 + 12/d with the optimizer sharded over d, 16 for fp32, 4 + 16/d for fp16 sharded.
[[nodiscard]] double bytes_per_parameter(const model::Scenario& scenario);

}  // namespace shardsim::memory

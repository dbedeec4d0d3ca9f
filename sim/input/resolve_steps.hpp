// The steps of resolve(), in the order in which they run.
#pragma once

#include <vector>

#include "sim/input/draft.hpp"
#include "sim/input/scenario_file.hpp"

namespace shardsim::input {

inline constexpr const char* kDefaultCluster = "a100-dgx";
inline constexpr const char* kDefaultStack = "megatron-core-te";

/// The settings under canonical keys, on top of the presets that they name (or that are assumed).
[[nodiscard]] Draft with_presets(const Settings& settings, const std::vector<Preset>& known);

/// Every required key that is missing.
void require_values(Draft& draft);

/// Keys that are no fields become fields: layers per virtual stage, distributed optimizer, accumulation steps …
void derive_architecture(Draft& draft);
void derive_sizes(Draft& draft);

/// Everything not given, listed as assumed.
void assume_model(Draft& draft);
void assume_training(Draft& draft);
void assume_parallelism(Draft& draft);

/// Rules between values; each broken one is a problem.
void check_shapes(Draft& draft);
void check_batch_and_pipeline(Draft& draft);
void check_hardware(Draft& draft);

}  // namespace shardsim::input

// Where a chunk lies in the whole model.
#pragma once

#include <cstdint>

#include "sim/model/layout.hpp"

namespace shardsim::kernels {

struct ChunkPlace {
  std::int64_t chunk = 0;
  /// Of its layers, in the whole model.
  std::int64_t first_layer = 0;
};

/// Chunk c of stage i is piece c·p + i of the model.
[[nodiscard]] inline ChunkPlace place_of(const model::Scenario& scenario, std::int64_t stage, std::int64_t chunk) {
  const auto stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  const auto pipeline = static_cast<std::int64_t>(stages.size());
  ChunkPlace place{chunk, 0};
  for (std::int64_t piece = 0; piece < chunk * pipeline + stage; ++piece) {
    const model::Stage& holder = stages[static_cast<std::size_t>(piece % pipeline)];
    place.first_layer += holder.chunks[static_cast<std::size_t>(piece / pipeline)].layers;
  }
  return place;
}

}  // namespace shardsim::kernels

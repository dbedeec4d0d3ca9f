// Blocks of a chunk in the order in which a pass visits them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/layout.hpp"
#include "sim/model/operators.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::engine::event {

enum class BlockKind : std::int32_t { layer, recomputed_layer, embedding, head };

/// Forward: embedding, recomputed layers, other layers, head; every other kind of work backwards.
[[nodiscard]] inline std::vector<BlockKind> blocks_of(const model::Scenario& scenario, const model::Chunk& chunk,
                                                      schedule::Work work) {
  const std::int64_t recomputed = model::recomputed_layers(scenario, chunk);
  std::vector<BlockKind> blocks;
  if (chunk.embedding) blocks.push_back(BlockKind::embedding);
  blocks.insert(blocks.end(), static_cast<std::size_t>(recomputed), BlockKind::recomputed_layer);
  blocks.insert(blocks.end(), static_cast<std::size_t>(chunk.layers - recomputed), BlockKind::layer);
  if (chunk.head) blocks.push_back(BlockKind::head);
  return work == schedule::Work::forward ? blocks : std::vector<BlockKind>{blocks.rbegin(), blocks.rend()};
}

}  // namespace shardsim::engine::event

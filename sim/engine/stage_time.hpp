// Stages from priced blocks: identical layers are priced once, a stage counts them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/block_time.hpp"
#include "sim/schedule/bubble.hpp"

namespace shardsim::engine {

/// How often a stage runs each kind of block for one micro batch: layer, recomputed layer, embedding, head.
inline constexpr std::size_t kBlockKinds = 4;
using BlockCounts = std::array<std::int64_t, kBlockKinds>;

[[nodiscard]] BlockCounts count_blocks(const model::Scenario& scenario, const model::Stage& stage);

/// Every kind of block of a scenario.
class PricedBlocks {
 public:
  PricedBlocks(const model::Scenario& scenario, const cost::Pricer& pricer, const model::OperatorList& operators);

  /// One micro batch through all chunks of a stage, sends apart.
  [[nodiscard]] schedule::StageTime stage_time(const BlockCounts& counts) const;
  /// The same by term and by group, forward and backward together.
  [[nodiscard]] PassTime stage_detail(const BlockCounts& counts) const;

 private:
  struct Block {
    PassTime forward;
    PassTime backward;
  };
  std::array<Block, kBlockKinds> blocks_;
};

/// Sends per micro batch of one stage: forward, each chunk but the model's last; backward, each but its first.
struct Sends {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
};
[[nodiscard]] Sends count_sends(const model::Scenario& scenario, const model::Stage& stage);

}  // namespace shardsim::engine

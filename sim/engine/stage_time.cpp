#include "sim/engine/stage_time.hpp"

namespace shardsim::engine {
namespace {

enum BlockKind : std::size_t { kLayer, kRecomputedLayer, kEmbedding, kHead };

void add(PassTime& sum, const PassTime& pass, std::int64_t count) {
  sum.terms.add(pass.terms, static_cast<double>(count));
  for (std::size_t i = 0; i < cost::kGroups; ++i) sum.communication[i].add(pass.communication[i], count);
  sum.weight_gradient += static_cast<double>(count) * pass.weight_gradient;
  sum.total += static_cast<double>(count) * pass.total;
}

}  // namespace

BlockCounts count_blocks(const model::Scenario& scenario, const model::Stage& stage) {
  BlockCounts counts{};
  for (const model::Chunk& chunk : stage.chunks) {
    const std::int64_t recomputed = model::recomputed_layers(scenario, chunk);
    counts[kLayer] += chunk.layers - recomputed;
    counts[kRecomputedLayer] += recomputed;
    counts[kEmbedding] += chunk.embedding ? 1 : 0;
    counts[kHead] += chunk.head ? 1 : 0;
  }
  return counts;
}

PricedBlocks::PricedBlocks(const model::Scenario& scenario, const cost::Pricer& pricer,
                           const model::OperatorList& operators) {
  const auto price = [&](const model::Block& block) {
    return Block{pass_time(scenario, pricer, block.forward), pass_time(scenario, pricer, block.backward)};
  };
  const bool recomputes = scenario.training.recompute.granularity == model::RecomputeGranularity::full;
  blocks_[kLayer] = price(operators.layer);
  blocks_[kRecomputedLayer] = recomputes ? price(operators.recomputed_layer) : blocks_[kLayer];
  blocks_[kEmbedding] = price(operators.embedding);
  blocks_[kHead] = price(operators.head);
}

schedule::StageTime PricedBlocks::stage_time(const BlockCounts& counts) const {
  schedule::StageTime time{};
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    const auto count = static_cast<double>(counts[i]);
    time.forward += count * blocks_[i].forward.total;
    time.backward += count * blocks_[i].backward.total;
    time.weight_gradient += count * blocks_[i].backward.weight_gradient;
  }
  return time;
}

PassTime PricedBlocks::stage_detail(const BlockCounts& counts) const {
  PassTime sum;
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    add(sum, blocks_[i].forward, counts[i]);
    add(sum, blocks_[i].backward, counts[i]);
  }
  return sum;
}

Sends count_sends(const model::Scenario& scenario, const model::Stage& stage) {
  if (scenario.parallelism.pipeline_model_parallel_size == 1) return {};
  const auto chunks = static_cast<std::int64_t>(stage.chunks.size());
  return {chunks - (stage.has_head() ? 1 : 0), chunks - (stage.has_embedding() ? 1 : 0)};
}

}  // namespace shardsim::engine

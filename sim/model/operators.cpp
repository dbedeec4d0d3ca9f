#include "sim/model/operators.hpp"

#include <algorithm>

#include "sim/model/end_operators.hpp"
#include "sim/model/layer_operators.hpp"
#include "sim/model/operator_builders.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

OperatorList list_operators(const Scenario& scenario) {
  const RankSizes sizes{scenario};
  OperatorList list;
  list.embedding = embedding_block(scenario, sizes);
  list.layer = layer_block(scenario, sizes);
  const bool full = scenario.training.recompute.granularity == RecomputeGranularity::full;
  list.recomputed_layer = full ? recomputed_layer_block(scenario, sizes) : list.layer;
  list.head = head_block(scenario, sizes);
  if (scenario.parallelism.pipeline_model_parallel_size > 1) {
    const bool divided = scenario.stack.scatter_gather_pipeline_sends && !sizes.sequence_parallel;
    const Bytes sent = divided ? sizes.residual() / sizes.tp : sizes.residual();
    list.pipeline_send.push_back(
        communicate(OperatorKind::send_recv, "pipeline_send", Pass::forward, Group::pipeline, sent));
    list.pipeline_send.back().overlapped = scenario.parallelism.overlap.pipeline;
    if (divided && sizes.tp > 1) {
      list.pipeline_send.push_back(communicate(OperatorKind::all_gather, "pipeline_send_gather", Pass::forward,
                                               Group::tensor, sizes.gathered_residual()));
    }
  }
  return list;
}

std::int64_t recomputed_layers(const Scenario& scenario, const Chunk& chunk) {
  const Recompute& recompute = scenario.training.recompute;
  if (recompute.granularity != RecomputeGranularity::full) return 0;
  return recompute.method == RecomputeMethod::uniform ? chunk.layers : std::min(chunk.layers, recompute.num_layers);
}

}  // namespace shardsim::model

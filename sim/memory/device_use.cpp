#include "sim/memory/device_use.hpp"

#include <cmath>

namespace shardsim::memory {

Bytes workspace(const model::Scenario& scenario) {
  const model::AllocatorBehaviour& allocator = scenario.stack.allocator;
  return allocator.workspace + allocator.cublas_workspaces * scenario.training.cublas_workspace;
}

Bytes reserved(const model::Stack& stack, Bytes allocated) {
  return rounded_bytes(allocated.as_double() * (1.0 + stack.allocator.fragmentation));
}

Bytes ring_attention_blocks(const model::Scenario& scenario, const model::RankSizes& sizes, const model::Stage& stage) {
  const model::ContextParallelComm kind = scenario.parallelism.cp_comm_type;
  if (kind != model::ContextParallelComm::p2p && kind != model::ContextParallelComm::a2a_p2p) return Bytes{0};
  const auto blocks = static_cast<double>(stage.layers() * (sizes.cp - 1));
  return rounded_bytes(scenario.stack.allocator.ring_attention_blocks * blocks * sizes.residual().as_double());
}

std::int64_t communicators(const model::Scenario& scenario) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const std::int64_t gradients = parallelism.data_parallel_size * parallelism.context_parallel_size;
  std::int64_t count = 0;
  for (const std::int64_t size : {parallelism.tensor_model_parallel_size, parallelism.context_parallel_size,
                                  parallelism.pipeline_model_parallel_size, gradients}) {
    if (size > 1) ++count;
  }
  const bool shared_embedding =
      parallelism.pipeline_model_parallel_size > 1 && scenario.model.output_weights == model::OutputWeights::tied;
  if (shared_embedding) ++count;
  const bool mixed = count > 1;  // gradient norm over the whole model replica
  return mixed ? count + 1 : count;
}

Bytes outside_framework(const model::Scenario& scenario) {
  const model::AllocatorBehaviour& allocator = scenario.stack.allocator;
  const std::int64_t count = communicators(scenario);
  Bytes bytes = allocator.context;
  if (count > 0) bytes += allocator.first_communicator + (count - 1) * allocator.further_communicator;
  return bytes;
}

double out_of_memory_probability(Bytes needed, Bytes capacity, double relative_error) {
  const double sigma = relative_error * needed.as_double();
  const double excess = (needed - capacity).as_double();
  if (sigma <= 0.0) return excess > 0.0 ? 1.0 : 0.0;
  return 0.5 * std::erfc(-excess / (sigma * std::sqrt(2.0)));
}

}  // namespace shardsim::memory

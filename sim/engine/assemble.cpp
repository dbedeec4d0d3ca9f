#include "sim/engine/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardsim::engine {
namespace {

using cost::index_of;
using model::Group;

/// 90 % quantile of the standard normal distribution.
constexpr double kNormalP90 = 1.2815515655446004;

void fill_rates(const model::Scenario& scenario, Prediction& prediction) {
  const auto gpus = static_cast<double>(scenario.gpus);
  const auto tokens = static_cast<double>(scenario.training.global_batch_size * scenario.model.seq_length);
  const auto format = static_cast<std::size_t>(scenario.training.precision);
  const FlopsPerSecond peak = scenario.cluster.device.gemm[format].peak;
  prediction.flops = model::iteration_flops(scenario);
  prediction.tokens_per_s = tokens / prediction.iteration.value();
  prediction.model_flops_per_gpu = prediction.flops.model / prediction.iteration / gpus;
  prediction.hardware_flops_per_gpu = prediction.flops.hardware / prediction.iteration / gpus;
  prediction.mfu = prediction.model_flops_per_gpu / peak;
  prediction.hfu = prediction.hardware_flops_per_gpu / peak;
}

void fill_communication(const CommunicationByGroup& communication, Prediction& prediction) {
  for (std::size_t i = index_of(Group::tensor); i < cost::kGroups; ++i) {
    const Communication& group = communication[i];
    prediction.communication.push_back({static_cast<Group>(i), group.total, group.exposed, group.bytes});
  }
}

}  // namespace

void add_allocator_retries(const model::Scenario& scenario, double out_of_memory_probability, TermTimes& terms) {
  if (out_of_memory_probability < kNearLimit) return;
  const double near = std::min(out_of_memory_probability, 1.0 - out_of_memory_probability);
  terms[Term::allocator_retries] = near * scenario.stack.allocator.retry_slowdown * terms.total();
}

ErrorParts error_parts(const model::Scenario& scenario, const TermTimes& terms) {
  Seconds network{0.0};
  for (const Term term : {Term::tensor_parallel_exposed, Term::context_parallel_exposed, Term::pipeline_exposed,
                          Term::data_parallel_exposed}) {
    network += terms[term];
  }
  const Seconds host = terms[Term::host_wait] + terms[Term::fixed_overhead];
  const Seconds total = terms.total();
  return {(total - network - host) / total * scenario.cluster.device.error, network / total * scenario.cluster.error,
          scenario.stack.error.time};
}

Prediction assemble(const model::Scenario& scenario, TermTimes terms, const CommunicationByGroup& communication,
                    memory::Memory memory) {
  add_allocator_retries(scenario, memory.out_of_memory_probability, terms);
  Prediction prediction;
  prediction.iteration = terms.total();
  const ErrorParts error = error_parts(scenario, terms);
  const double deviation =
      std::sqrt(error.device * error.device + error.network * error.network + error.stack * error.stack);
  const double spread = std::exp(kNormalP90 * deviation);
  prediction.iteration_p10 = prediction.iteration / spread;
  prediction.iteration_p90 = spread * prediction.iteration;
  for (std::size_t i = 0; i < kTerms; ++i) prediction.time.push_back({kTermNames[i], terms[static_cast<Term>(i)]});
  fill_communication(communication, prediction);
  fill_rates(scenario, prediction);
  prediction.memory = std::move(memory);
  return prediction;
}

}  // namespace shardsim::engine

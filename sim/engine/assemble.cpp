#include "sim/engine/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardsim::engine {
namespace {

using cost::index_of;
using model::Group;

/// Relative standard deviation: device, network and stack errors, each weighted with its share of the time.
double relative_error(const model::Scenario& scenario, const TermTimes& terms) {
  Seconds network{0.0};
  for (const Term term : {Term::tensor_parallel_exposed, Term::context_parallel_exposed, Term::pipeline_exposed,
                          Term::data_parallel_exposed}) {
    network += terms[term];
  }
  const Seconds host = terms[Term::host_wait] + terms[Term::fixed_overhead];
  const Seconds total = terms.total();
  const double device_part = (total - network - host) / total * scenario.cluster.device.error;
  const double network_part = network / total * scenario.cluster.error;
  const double stack_part = scenario.stack.error.time;
  return std::sqrt(device_part * device_part + network_part * network_part + stack_part * stack_part);
}

/// The loss where memory reaches the device's limit, times the probability that it does: of a job that runs, its need
/// is either below the limit, or was estimated too high.
Seconds allocator_retries(const model::Scenario& scenario, Seconds iteration, const memory::Memory& memory) {
  const double near = std::min(memory.out_of_memory_probability, 1.0 - memory.out_of_memory_probability);
  return near * scenario.stack.allocator.retry_slowdown * iteration;
}

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

Prediction assemble(const model::Scenario& scenario, TermTimes terms, const CommunicationByGroup& communication,
                    memory::Memory memory) {
  terms[Term::allocator_retries] = allocator_retries(scenario, terms.total(), memory);
  Prediction prediction;
  prediction.iteration = terms.total();
  const double spread = std::exp(kNormalP90 * relative_error(scenario, terms));
  prediction.iteration_p10 = prediction.iteration / spread;
  prediction.iteration_p90 = spread * prediction.iteration;
  for (std::size_t i = 0; i < kTerms; ++i) prediction.time.push_back({kTermNames[i], terms[static_cast<Term>(i)]});
  fill_communication(communication, prediction);
  fill_rates(scenario, prediction);
  prediction.memory = std::move(memory);
  return prediction;
}

}  // namespace shardsim::engine

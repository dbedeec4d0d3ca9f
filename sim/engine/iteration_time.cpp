#include "sim/engine/iteration_time.hpp"

#include <algorithm>

#include "sim/engine/step_time.hpp"

namespace shardsim::engine {
namespace {

using cost::index_of;
using model::Group;

/// The step of the whole job: stages that finish early reduce their gradients in the drain of the pipeline.
struct Step {
  Seconds data_exposed{0.0};
  Seconds embedding{0.0};
  Seconds optimizer{0.0};
  Seconds host_wait{0.0};
  CommunicationByGroup communication;
};

Step time_step(const model::Scenario& scenario, const cost::Pricer& pricer, const std::vector<model::Stage>& layout,
               const Pipeline& pipeline) {
  Step step;
  StepTime stage_step;
  Seconds drained{0.0};
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const bool repeats = i > 0 && layout[i] == layout[i - 1];
    if (!repeats) stage_step = step_time(scenario, pricer, layout[i], pipeline.stages[i]);
    const Seconds lead = schedule::drain_lead(scenario.parallelism, drained);
    drained += pipeline.stages_with_sends[i].backward;
    step.data_exposed = std::max(step.data_exposed, stage_step.data_exposed - lead);
    step.embedding = std::max(step.embedding, stage_step.embedding);
    if (stage_step.optimizer + stage_step.host_wait > step.optimizer + step.host_wait) {
      step.optimizer = stage_step.optimizer;
      step.host_wait = stage_step.host_wait;
    }
    if (i == pipeline.slowest) step.communication = stage_step.communication;
  }
  Communication& data = step.communication[index_of(Group::data)];
  data.exposed = step.data_exposed;
  // The stage whose gradients are waited for may hold more of them (the embedding) than the slowest one.
  data.total = std::max(data.total, data.exposed);
  return step;
}

}  // namespace

SharedBlocks::SharedBlocks(const model::Scenario& scenario, const cost::Pricer& pricer)
    : operators{model::list_operators(scenario)}, priced{scenario, pricer, operators}, saved{operators} {}

Hop::Hop(const model::Scenario& scenario, const cost::Pricer& pricer, const model::OperatorList& operators)
    : overlapped{!operators.pipeline_send.empty() && operators.pipeline_send.front().overlapped} {
  for (const model::Operator& op : operators.pipeline_send) {
    const Seconds each = hop_time(scenario, pricer, op);
    time += each;
    communication[index_of(op.group)].add({each, Seconds{0.0}, op.bytes}, 1);
  }
}

Pipeline time_pipeline(const model::Scenario& scenario, const std::vector<model::Stage>& layout,
                       const SharedBlocks& blocks, const Hop& hop) {
  Pipeline pipeline;
  pipeline.counts.reserve(layout.size());
  pipeline.stages.reserve(layout.size());
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const bool repeats = i > 0 && layout[i] == layout[i - 1];
    pipeline.counts.push_back(repeats ? pipeline.counts.back() : count_blocks(scenario, layout[i]));
    pipeline.stages.push_back(repeats ? pipeline.stages.back() : blocks.priced.stage_time(pipeline.counts.back()));
  }
  pipeline.stages_with_sends = pipeline.stages;
  pipeline.slowest = schedule::slowest_stage(pipeline.stages);
  const std::int64_t m = model::micro_batches(scenario);
  pipeline.span = schedule::pipeline_span(scenario.parallelism, pipeline.stages, m);
  if (hop.overlapped) {
    pipeline.sends_exposed = 2.0 * static_cast<double>(layout.size() - 1) * hop.time;
    return pipeline;
  }
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const Sends sends = count_sends(scenario, layout[i]);
    pipeline.stages_with_sends[i].forward += static_cast<double>(sends.forward) * hop.time;
    pipeline.stages_with_sends[i].backward += static_cast<double>(sends.backward) * hop.time;
  }
  pipeline.sends_exposed = schedule::pipeline_span(scenario.parallelism, pipeline.stages_with_sends, m) - pipeline.span;
  return pipeline;
}

IterationTime time_iteration(const model::Scenario& scenario, const cost::Pricer& pricer,
                             const std::vector<model::Stage>& layout, const SharedBlocks& blocks, const Hop& hop,
                             const Pipeline& pipeline) {
  const Step step = time_step(scenario, pricer, layout, pipeline);
  const std::int64_t m = model::micro_batches(scenario);
  const PassTime slowest = blocks.priced.stage_detail(pipeline.counts[pipeline.slowest]);
  IterationTime time;
  TermTimes& terms = time.terms;
  terms.add(slowest.terms, static_cast<double>(m));
  // Less than nothing only by rounding.
  terms[Term::pipeline_bubble] = std::max(Seconds{0.0}, pipeline.span - pipeline.busy(m));
  terms[Term::pipeline_exposed] = pipeline.sends_exposed + step.embedding;
  terms[Term::data_parallel_exposed] = step.data_exposed;
  terms[Term::optimizer] = step.optimizer;
  terms[Term::host_wait] += step.host_wait;
  terms[Term::fixed_overhead] = scenario.stack.host.per_iteration;

  time.communication = step.communication;
  const Sends sends = count_sends(scenario, layout[pipeline.slowest]);
  for (std::size_t i = 0; i < cost::kGroups; ++i) {
    time.communication[i].add(slowest.communication[i], m);
    time.communication[i].add(hop.communication[i], m * (sends.forward + sends.backward));
  }
  // What is exposed includes the sends of other stages while the pipeline fills and drains.
  Communication& hops = time.communication[index_of(Group::pipeline)];
  hops.exposed = pipeline.sends_exposed;
  hops.total = std::max(hops.total, hops.exposed);
  return time;
}

}  // namespace shardsim::engine

#include "sim/engine/closed_form.hpp"

#include <algorithm>

#include "sim/engine/assemble.hpp"
#include "sim/engine/stage_time.hpp"
#include "sim/engine/step_time.hpp"

namespace shardsim::engine {
namespace {

using cost::index_of;
using model::Group;
using schedule::StageTime;

/// The pipeline of one iteration.
struct Pipeline {
  std::vector<BlockCounts> counts;
  /// Compute and tensor/context-parallel communication of one micro batch, and the same with sends between stages.
  std::vector<StageTime> stages;
  std::vector<StageTime> stages_with_sends;
  std::size_t slowest = 0;
  Seconds span{0.0};
  /// What the sends add to the span.
  Seconds sends_exposed{0.0};
};

/// Sends after compute lengthen every stage's beat; sends beside compute only the fill and the drain.
Pipeline time_pipeline(const model::Scenario& scenario, const model::OperatorList& operators,
                       const std::vector<model::Stage>& layout, const PricedBlocks& blocks) {
  Pipeline pipeline;
  pipeline.counts.reserve(layout.size());
  pipeline.stages.reserve(layout.size());
  for (const model::Stage& stage : layout) {
    pipeline.counts.push_back(count_blocks(scenario, stage));
    pipeline.stages.push_back(blocks.stage_time(pipeline.counts.back()));
  }
  pipeline.stages_with_sends = pipeline.stages;
  pipeline.slowest = schedule::slowest_stage(pipeline.stages);
  const std::int64_t m = model::micro_batches(scenario);
  pipeline.span = schedule::pipeline_span(scenario.parallelism, pipeline.stages, m);
  const bool hidden = !operators.pipeline_send.empty() && operators.pipeline_send.front().overlapped;
  if (hidden) {
    pipeline.sends_exposed = 2.0 * static_cast<double>(layout.size() - 1) * blocks.hop();
    return pipeline;
  }
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const Sends sends = count_sends(scenario, layout[i]);
    pipeline.stages_with_sends[i].forward += static_cast<double>(sends.forward) * blocks.hop();
    pipeline.stages_with_sends[i].backward += static_cast<double>(sends.backward) * blocks.hop();
  }
  pipeline.sends_exposed = schedule::pipeline_span(scenario.parallelism, pipeline.stages_with_sends, m) - pipeline.span;
  return pipeline;
}

/// The step of the whole job: stages that finish early reduce their gradients in the drain of the pipeline.
struct Step {
  Seconds data_exposed{0.0};
  Seconds embedding{0.0};
  Seconds optimizer{0.0};
  Seconds host_wait{0.0};
  CommunicationByGroup communication;
};

bool same_chunks(const model::Stage& a, const model::Stage& b) {
  return a.chunks.size() == b.chunks.size() && std::equal(a.chunks.begin(), a.chunks.end(), b.chunks.begin(),
                                                          [](const model::Chunk& x, const model::Chunk& y) {
                                                            return x.layers == y.layers && x.embedding == y.embedding &&
                                                                   x.head == y.head;
                                                          });
}

Step time_step(const model::Scenario& scenario, const cost::Pricer& pricer, const std::vector<model::Stage>& layout,
               const Pipeline& pipeline) {
  Step step;
  StepTime stage_step;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const bool repeats = i > 0 && same_chunks(layout[i], layout[i - 1]);
    if (!repeats) stage_step = step_time(scenario, pricer, layout[i], pipeline.stages[i]);
    const Seconds lead = schedule::drain_lead(scenario.parallelism, pipeline.stages_with_sends, i);
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

Prediction predict(const model::Scenario& scenario) {
  const cost::Pricer pricer{scenario};
  const std::vector<model::Stage> layout = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  const model::OperatorList operators = model::list_operators(scenario);
  const PricedBlocks blocks{scenario, pricer, operators};
  const Pipeline pipeline = time_pipeline(scenario, operators, layout, blocks);
  const Step step = time_step(scenario, pricer, layout, pipeline);

  const std::int64_t m = model::micro_batches(scenario);
  const PassTime slowest = blocks.stage_detail(pipeline.counts[pipeline.slowest]);
  TermTimes terms;
  terms.add(slowest.terms, static_cast<double>(m));
  const Seconds busy = static_cast<double>(m) * pipeline.stages[pipeline.slowest].total();
  terms[Term::pipeline_bubble] = std::max(Seconds{0.0}, pipeline.span - busy);  // rounding, where there is none
  terms[Term::pipeline_exposed] = pipeline.sends_exposed + step.embedding;
  terms[Term::data_parallel_exposed] = step.data_exposed;
  terms[Term::optimizer] = step.optimizer;
  terms[Term::host_wait] += step.host_wait;
  terms[Term::fixed_overhead] = scenario.stack.host.per_iteration;

  CommunicationByGroup communication = step.communication;
  const Sends sends = count_sends(scenario, layout[pipeline.slowest]);
  for (std::size_t i = 0; i < cost::kGroups; ++i) {
    communication[i].add(slowest.communication[i], m);
    communication[i].add(blocks.hop_communication()[i], m * (sends.forward + sends.backward));
  }
  // What is exposed includes the sends of other stages while the pipeline fills and drains.
  Communication& hops = communication[index_of(Group::pipeline)];
  hops.exposed = pipeline.sends_exposed;
  hops.total = std::max(hops.total, hops.exposed);

  return assemble(scenario, terms, communication, memory::predict_memory(scenario, layout, operators));
}

}  // namespace shardsim::engine

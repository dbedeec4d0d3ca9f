#include "sim/engine/closed_form.hpp"

#include "sim/engine/assemble.hpp"
#include "sim/engine/iteration_time.hpp"

namespace shardsim::engine {

Prediction predict(const model::Scenario& scenario) {
  const cost::Pricer pricer{scenario};
  const std::vector<model::Stage> layout = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  const SharedBlocks blocks{scenario, pricer};
  const Hop hop{scenario, pricer, blocks.operators};
  const Pipeline pipeline = time_pipeline(scenario, layout, blocks, hop);
  const IterationTime time = time_iteration(scenario, pricer, layout, blocks, hop, pipeline);
  return assemble(scenario, time.terms, time.communication, memory::predict_memory(scenario, layout, blocks.saved));
}

}  // namespace shardsim::engine

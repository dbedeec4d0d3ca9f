#include "sim/engine/layer_time.hpp"

#include "sim/engine/stage_time.hpp"

namespace shardsim::engine {

Seconds layer_time(const model::Scenario& scenario) {
  const cost::Pricer pricer{scenario};
  const PricedBlocks blocks{scenario, pricer, model::list_operators(scenario)};
  const model::Stage one_layer{{model::Chunk{1, false, false}}};
  return blocks.stage_time(count_blocks(scenario, one_layer)).total();
}

}  // namespace shardsim::engine

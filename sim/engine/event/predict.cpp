#include "sim/engine/event/predict.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/engine/assemble.hpp"
#include "sim/engine/event/accounting.hpp"
#include "sim/engine/event/recorder.hpp"

namespace shardsim::engine::event {
namespace {

/// The unit whose account is shown: of those of the largest busy time, the first.
const Unit& busiest(const std::vector<Unit>& units) {
  return *std::max_element(units.begin(), units.end(),
                           [](const Unit& a, const Unit& b) { return a.account.busy < b.account.busy; });
}

}  // namespace

Outcome play(const model::Scenario& scenario, const Options& options) {
  const std::vector<model::Stage> layout = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  const Programs programs = compile(scenario, layout);
  const bool explicitly = options.replicas == Replicas::every_one || options.variation.any();
  const auto replicas = explicitly ? static_cast<std::int32_t>(scenario.parallelism.data_parallel_size) : 1;
  const SlownessMap slowness{scenario, programs, options.variation, replicas};
  Player player{programs, slowness, replicas, scenario.cluster.device.communication_slowdown};
  std::optional<Wires> wires;
  if (options.links == Links::shared && Wires::matter(scenario))
    player.connect(&wires.emplace(scenario, programs, replicas));
  Recorder recorder{scenario, programs, slowness, replicas, options.recorded_ranks};
  if (options.memory_in_time) recorder.follow_memory();
  if (options.memory_in_time || !options.recorded_ranks.empty()) player.observe(&recorder);
  player.play(options.progress);
  const Unit& shown = busiest(player.units());
  const Demand demand = demand_of(programs, shown.stage);
  const TermTimes terms = terms_of(demand, shown.account, player.iteration());
  std::vector<MemoryInTime> memory_in_time = recorder.memory_in_time(layout, player.last_start());
  model::Timeline timeline;
  if (!options.recorded_ranks.empty()) timeline = recorder.take(layout, player.last_start(), player.end());
  Prediction prediction = assemble(scenario, terms, communication_of(demand, shown.account, terms),
                                   memory::predict_memory(scenario, layout, model::list_operators(scenario)));
  prediction.utilisation = utilisation(scenario, programs, player);
  prediction.memory_in_time = std::move(memory_in_time);
  return {std::move(prediction), std::move(timeline), player.events()};
}

Prediction predict(const model::Scenario& scenario, const Options& options) {
  return play(scenario, options).prediction;
}

}  // namespace shardsim::engine::event

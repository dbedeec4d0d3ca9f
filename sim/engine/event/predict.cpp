#include "sim/engine/event/predict.hpp"

#include <algorithm>

#include "sim/engine/assemble.hpp"

namespace shardsim::engine::event {
namespace {

using cost::index_of;
using model::Group;

Seconds seconds(Picoseconds time) { return Seconds{static_cast<double>(time) * 1e-12}; }

/// What one unit's program asks for in one iteration, at nominal speed.
struct Demand {
  std::array<Picoseconds, kTerms> terms{};
  std::array<Picoseconds, cost::kGroups> communication{};
  std::array<Bytes, cost::kGroups> bytes{};

  void add(const PassCost& pass, std::int64_t count) {
    for (std::size_t i = 0; i < kTerms; ++i) terms[i] += count * pass.terms()[i];
    for (std::size_t i = 0; i < cost::kGroups; ++i) {
      communication[i] += count * pass.communication()[i];
      bytes[i] += count * pass.bytes()[i];
    }
  }
  void add(Group group, Picoseconds time, Bytes size) {
    communication[index_of(group)] += time;
    bytes[index_of(group)] += size;
  }
};

Demand demand_of(const Programs& programs, std::int32_t stage) {
  Demand demand;
  const StageProgram& program = programs.stages[static_cast<std::size_t>(stage)];
  for (const Instruction& instruction : program.code) {
    switch (instruction.code) {
      case Code::run:
        for (const Run& run : programs.sequences[static_cast<std::size_t>(instruction.index)]) {
          demand.add(programs.passes[static_cast<std::size_t>(run.pass)], run.count);
        }
        break;
      case Code::send:
        demand.add(Group::pipeline, programs.hop.time, programs.hop.bytes);
        break;
      case Code::issue: {
        const Collective& collective = program.collectives[static_cast<std::size_t>(instruction.index)];
        demand.add(Group::data, collective.time, collective.bytes);
        break;
      }
      case Code::join_embedding:
        demand.add(Group::embedding, programs.embedding.time, programs.embedding.bytes);
        break;
      case Code::join_all:
        demand.add(Group::model, programs.all.time, programs.all.bytes);
        break;
      default:
        break;
    }
  }
  return demand;
}

/// The unit whose account is shown: of those of the largest busy time, the first.
const Unit& busiest(const std::vector<Unit>& units) {
  return *std::max_element(units.begin(), units.end(),
                           [](const Unit& a, const Unit& b) { return a.account.busy < b.account.busy; });
}

/// Nominal compute by term, stretched to what the unit's compute took.
TermTimes terms_of(const Demand& demand, const Account& account, Picoseconds iteration) {
  Picoseconds exposed{0};
  Picoseconds compute{0};
  const auto is_exposed = [](std::size_t term) {
    return term == static_cast<std::size_t>(Term::tensor_parallel_exposed) ||
           term == static_cast<std::size_t>(Term::context_parallel_exposed) ||
           term == static_cast<std::size_t>(Term::pipeline_exposed);
  };
  for (std::size_t i = 0; i < kTerms; ++i) (is_exposed(i) ? exposed : compute) += demand.terms[i];
  const double stretch = compute > 0 ? static_cast<double>(account.busy - exposed) / static_cast<double>(compute) : 1.0;
  TermTimes terms;
  for (std::size_t i = 0; i < kTerms; ++i) {
    terms[static_cast<Term>(i)] = (is_exposed(i) ? 1.0 : stretch) * seconds(demand.terms[i]);
  }
  terms[Term::host_wait] += seconds(account.host_wait);
  terms[Term::pipeline_exposed] += seconds(account.send + account.hop_wait + account.embedding);
  terms[Term::data_parallel_exposed] += seconds(account.data_wait + account.slowed);
  terms[Term::optimizer] += seconds(account.norm);
  terms[Term::fixed_overhead] += seconds(account.fixed);
  // What the account does not hold is waiting for ranks that end later.
  terms[Term::pipeline_bubble] += seconds(account.bubble + iteration - account.total());
  return terms;
}

CommunicationByGroup communication_of(const Demand& demand, const TermTimes& terms) {
  CommunicationByGroup communication;
  const std::array<std::pair<Group, Term>, 4> exposed{{{Group::tensor, Term::tensor_parallel_exposed},
                                                       {Group::context, Term::context_parallel_exposed},
                                                       {Group::pipeline, Term::pipeline_exposed},
                                                       {Group::data, Term::data_parallel_exposed}}};
  for (std::size_t i = 0; i < cost::kGroups; ++i) {
    const Seconds total = seconds(demand.communication[i]);
    communication[i] = {total, total, demand.bytes[i]};
  }
  for (const auto& [group, term] : exposed) {
    Communication& one = communication[index_of(group)];
    one.exposed = terms[term];
    one.total = std::max(one.total, one.exposed);
  }
  return communication;
}

}  // namespace

Outcome play(const model::Scenario& scenario, const Options& options) {
  const std::vector<model::Stage> layout = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  const Programs programs = compile(scenario, layout);
  const bool explicitly = options.replicas == Replicas::every_one || options.variation.any();
  const auto replicas = explicitly ? static_cast<std::int32_t>(scenario.parallelism.data_parallel_size) : 1;
  const SlownessMap slowness{scenario, programs, options.variation, replicas};
  Player player{programs, slowness, replicas, scenario.cluster.device.communication_slowdown};
  player.play(options.progress);
  const Unit& shown = busiest(player.units());
  const Demand demand = demand_of(programs, shown.stage);
  const TermTimes terms = terms_of(demand, shown.account, player.iteration());
  return {assemble(scenario, terms, communication_of(demand, terms),
                   memory::predict_memory(scenario, layout, model::list_operators(scenario))),
          player.events()};
}

Prediction predict(const model::Scenario& scenario, const Options& options) {
  return play(scenario, options).prediction;
}

}  // namespace shardsim::engine::event

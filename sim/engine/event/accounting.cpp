#include "sim/engine/event/accounting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/model/rank_grid.hpp"

namespace shardsim::engine::event {
namespace {

using cost::index_of;
using model::Group;

bool is_exposed(std::size_t term) {
  return term == static_cast<std::size_t>(Term::tensor_parallel_exposed) ||
         term == static_cast<std::size_t>(Term::context_parallel_exposed) ||
         term == static_cast<std::size_t>(Term::pipeline_exposed);
}

bool same(const Account& a, const Account& b) {
  return a.busy == b.busy && a.slowed == b.slowed && a.total() == b.total();
}

}  // namespace

Seconds seconds(Picoseconds time) { return Seconds{static_cast<double>(time) * 1e-12}; }

Picoseconds Demand::exposed() const {
  Picoseconds sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += is_exposed(i) ? terms[i] : 0;
  return sum;
}

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

CommunicationByGroup communication_of(const Demand& demand, const Account& account, const TermTimes& terms) {
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
    one.exposed = terms[term] - (group == Group::pipeline ? seconds(account.embedding) : Seconds{0.0});
    one.total = std::max(one.total, one.exposed);
  }
  return communication;
}

std::vector<Utilisation> utilisation(const model::Scenario& scenario, const Programs& programs, const Player& player) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const std::int64_t unit_ranks = parallelism.tensor_model_parallel_size * parallelism.context_parallel_size;
  const auto replicas = static_cast<std::int64_t>(player.units().size() / programs.stages.size());
  const Seconds iteration = seconds(player.iteration());
  std::vector<Utilisation> all;
  for (std::size_t stage = 0; stage < programs.stages.size(); ++stage) {
    const Demand demand = demand_of(programs, static_cast<std::int32_t>(stage));
    const auto group = [&demand](Group kind) { return seconds(demand.communication[index_of(kind)]); };
    const Unit* before = nullptr;
    for (std::int64_t replica = 0; replica < replicas; ++replica) {
      const Unit& unit = player.units()[stage * static_cast<std::size_t>(replicas) + static_cast<std::size_t>(replica)];
      const std::int64_t ranks = replicas == 1 ? unit_ranks * parallelism.data_parallel_size : unit_ranks;
      if (before != nullptr && same(before->account, unit.account)) {
        all.back().ranks += ranks;
        continue;
      }
      before = &unit;
      const auto pipeline = static_cast<std::int64_t>(stage);
      const Seconds busy = seconds(unit.account.busy - demand.exposed() + unit.account.slowed);
      all.push_back({pipeline, model::global_rank(parallelism, {0, 0, replica, pipeline}), ranks, busy,
                     iteration - busy, seconds(demand.host), group(Group::tensor), group(Group::context),
                     group(Group::pipeline), group(Group::data) + group(Group::embedding) + group(Group::model)});
    }
  }
  return all;
}

}  // namespace shardsim::engine::event

#include "sim/engine/event/wires.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "sim/model/rank_grid.hpp"

namespace shardsim::engine::event {
namespace {

using network::Use;

hardware::Collective kind_of(model::OperatorKind kind) {
  switch (kind) {
    case model::OperatorKind::all_gather:
      return hardware::Collective::all_gather;
    case model::OperatorKind::reduce_scatter:
      return hardware::Collective::reduce_scatter;
    default:
      return hardware::Collective::all_reduce;
  }
}

/// Links of the same cluster without uplinks: they come last.
std::size_t links_before_uplinks(const model::Scenario& scenario) {
  hardware::Cluster flat = scenario.cluster;
  flat.fabric_oversubscription = 1.0;
  return network::Fabric{flat, scenario.gpus}.capacities().size();
}

bool is_oversubscribed(const model::Scenario& scenario) { return scenario.cluster.fabric_oversubscription > 1.0; }

Seconds in_seconds(Picoseconds time) { return Seconds{static_cast<double>(time) * 1e-12}; }

/// One entry a link.
std::vector<Use> merged(std::vector<Use> uses) {
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.link < b.link; });
  std::vector<Use> result;
  for (const Use& use : uses) {
    if (!result.empty() && result.back().link == use.link) {
      result.back().weight += use.weight;
    } else {
      result.push_back(use);
    }
  }
  return result;
}

}  // namespace

bool Wires::matter(const model::Scenario& scenario) {
  const bool sends = scenario.parallelism.pipeline_model_parallel_size > 1;
  return scenario.gpus > 1 && (sends || is_oversubscribed(scenario));
}

Wires::Wires(const model::Scenario& scenario, const Programs& programs, std::int32_t replicas)
    : scenario_{scenario},
      programs_{programs},
      replicas_{replicas},
      fabric_{scenario.cluster, scenario.gpus},
      network_{fabric_.capacities()},
      uplinks_{links_before_uplinks(scenario)} {
  note_links();
  for (std::size_t stage = 0; stage < programs.stages.size(); ++stage) {
    collectives_.emplace_back();
    for (const Collective& collective : programs.stages[stage].collectives) {
      collectives_.back().push_back(collective_route(static_cast<std::int64_t>(stage), collective));
    }
  }
}

std::vector<std::int64_t> Wires::ranks_of(std::int64_t stage, std::int64_t replica) const {
  const model::Parallelism& parallelism = scenario_.parallelism;
  std::vector<std::int64_t> ranks;
  for (std::int64_t context = 0; context < parallelism.context_parallel_size; ++context) {
    for (std::int64_t tensor = 0; tensor < parallelism.tensor_model_parallel_size; ++tensor) {
      ranks.push_back(model::global_rank(parallelism, {tensor, context, replica, stage}));
    }
  }
  return ranks;
}

void Wires::append_sends(std::vector<network::Send>& sends, std::int64_t from, std::int64_t to,
                         std::int64_t replica) const {
  const std::vector<std::int64_t> senders = ranks_of(from, replica);
  const std::vector<std::int64_t> receivers = ranks_of(to, replica);
  for (std::size_t i = 0; i < senders.size(); ++i) sends.push_back({senders[i], receivers[i]});
}

void Wires::note_links() {
  const std::size_t links = fabric_.capacities().size();
  used_by_sends_.assign(links, is_oversubscribed(scenario_));
  const auto stages = static_cast<std::int64_t>(programs_.stages.size());
  std::set<std::int64_t> nodes;
  for (std::int64_t stage = 0; stage < stages && stages > 1; ++stage) {
    for (std::int64_t replica = 0; replica < replicas_; ++replica) {
      std::vector<network::Send> sends;
      append_sends(sends, stage, (stage + 1) % stages, replica);
      append_sends(sends, (stage + 1) % stages, stage, replica);
      for (const Use& use : fabric_.sends(sends).uses) used_by_sends_[static_cast<std::size_t>(use.link)] = true;
      for (const network::Send& send : sends) nodes.insert(send.from / scenario_.cluster.gpus_per_node);
    }
  }
  if (replicas_ > 1) return;
  for (std::int64_t replica = 0; replica < scenario_.parallelism.data_parallel_size; ++replica) {
    bool meets = is_oversubscribed(scenario_);
    for (std::int64_t stage = 0; stage < stages && !meets; ++stage) {
      meets = nodes.count(ranks_of(stage, replica).front() / scenario_.cluster.gpus_per_node) > 0;
    }
    if (meets) neighbours_.push_back(replica);
  }
}

Wires::Route Wires::add_route(std::vector<Use> uses, double rate_bound) {
  uses.erase(std::remove_if(uses.begin(), uses.end(),
                            [this](const Use& use) { return !used_by_sends_[static_cast<std::size_t>(use.link)]; }),
             uses.end());
  // What takes no time or carries nothing disturbs nobody.
  constexpr double kLeast = 1.0;
  constexpr double kMost = 1e15;
  return {network_.add_route(std::move(uses)), std::clamp(rate_bound, kLeast, kMost)};
}

Wires::Route Wires::send_route(std::int64_t from, std::int64_t to, std::int64_t replica) {
  std::vector<network::Send> sends;
  if (replicas_ > 1) {
    append_sends(sends, from, to, replica);
  } else {
    for (const std::int64_t neighbour : neighbours_) append_sends(sends, from, to, neighbour);
  }
  network::Traffic traffic = fabric_.sends(sends);
  const double bound = traffic.rate_bound(programs_.hop.bytes, in_seconds(programs_.hop.time));
  return add_route(std::move(traffic.uses), bound);
}

Wires::Route Wires::collective_route(std::int64_t stage, const Collective& collective) {
  const model::Parallelism& parallelism = scenario_.parallelism;
  std::vector<Use> uses;
  double bound = std::numeric_limits<double>::max();
  for (std::int64_t tensor = 0; tensor < parallelism.tensor_model_parallel_size; ++tensor) {
    std::vector<std::int64_t> group;
    for (std::int64_t replica = 0; replica < parallelism.data_parallel_size; ++replica) {
      for (std::int64_t context = 0; context < parallelism.context_parallel_size; ++context) {
        group.push_back(model::global_rank(parallelism, {tensor, context, replica, stage}));
      }
    }
    const network::Traffic traffic = fabric_.collective(kind_of(collective.kind), group);
    bound = std::min(bound, traffic.rate_bound(collective.bytes, in_seconds(collective.time)));
    for (const Use& use : traffic.uses) {
      if (used_by_sends_[static_cast<std::size_t>(use.link)]) uses.push_back(use);
    }
  }
  uses = merged(std::move(uses));
  // Sibling groups together ask no more of a card than it has: that they share it is in the price.
  for (const Use& use : uses) {
    const auto link = static_cast<std::size_t>(use.link);
    if (link < uplinks_) bound = std::min(bound, fabric_.capacities()[link] / network::ratio_of(use.weight));
  }
  return add_route(std::move(uses), bound);
}

network::FlowId Wires::start_send(std::int32_t from_stage, std::int32_t to_stage, std::int32_t replica,
                                  Picoseconds now) {
  const auto stages = static_cast<std::int64_t>(programs_.stages.size());
  const std::int64_t key = (static_cast<std::int64_t>(replica) * stages + from_stage) * stages + to_stage;
  auto known = sends_.find(key);
  if (known == sends_.end()) known = sends_.emplace(key, send_route(from_stage, to_stage, replica)).first;
  return network_.start(known->second.id, programs_.hop.time, known->second.rate_bound, now);
}

network::FlowId Wires::start_collective(std::int32_t stage, std::int32_t collective, Picoseconds now) {
  const auto at = static_cast<std::size_t>(stage);
  const Route& route = collectives_[at][static_cast<std::size_t>(collective)];
  return network_.start(route.id, programs_.stages[at].collectives[static_cast<std::size_t>(collective)].time,
                        route.rate_bound, now);
}

}  // namespace shardsim::engine::event

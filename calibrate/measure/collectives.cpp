#include "calibrate/measure/collectives.hpp"

#include <algorithm>

namespace shardsim::calibrate {
namespace {

using kernels::Communicator;
using kernels::Matrix;
using kernels::Reduction;

/// What a collective works on: this rank's part and the whole; parts are its own numbers.
struct Buffers {
  Communicator& group;
  Matrix part;
  Matrix whole;
};

struct Kind {
  const char* name;
  void (*run)(const Buffers&);
  /// Where the result is, and the value of all its elements.
  Matrix (*result)(const Buffers&);
  double (*expected)(const Communicator&);
};

/// Every rank holds rank + 1.
double sum_of_ranks(const Communicator& group) { return 0.5 * group.size() * (group.size() + 1); }
Matrix whole_of(const Buffers& buffers) { return buffers.whole; }
Matrix part_of(const Buffers& buffers) { return buffers.part; }
double first_rank(const Communicator&) { return 1.0; }

/// Even ranks send to the next one; a last rank without neighbour has nothing to do.
void send_to_neighbour(const Buffers& buffers) {
  Communicator& group = buffers.group;
  const int partner = group.rank() ^ 1;
  if (partner >= group.size()) return;
  (group.rank() % 2 == 0 ? group.start_send(buffers.whole, partner) : group.start_receive(buffers.whole, partner))
      ->wait();
}

constexpr Kind kKinds[] = {
    {"all_reduce", [](const Buffers& b) { b.group.all_reduce(b.whole, Reduction::sum); }, whole_of, sum_of_ranks},
    {"reduce_scatter", [](const Buffers& b) { b.group.reduce_scatter(b.whole, b.part); }, part_of, sum_of_ranks},
    {"all_gather", [](const Buffers& b) { b.group.all_gather(b.part, b.whole); },
     [](const Buffers& b) { return b.whole.column_range(0, b.part.columns); }, first_rank},
    {"broadcast", [](const Buffers& b) { b.group.broadcast(b.whole, 0); }, whole_of, first_rank},
    {"send_recv", send_to_neighbour, whole_of,
     [](const Communicator& group) { return static_cast<double>(group.rank() / 2 * 2 + 1); }},
    {"started_all_reduce", [](const Buffers& b) { b.group.start_all_reduce(b.whole, Reduction::sum)->wait(); },
     whole_of, sum_of_ranks},
    {"started_reduce_scatter", [](const Buffers& b) { b.group.start_reduce_scatter(b.whole, b.part)->wait(); }, part_of,
     sum_of_ranks},
};

TimedGroup split(Communicator& world, int color, std::int64_t ranks, std::int64_t nodes) {
  return {world.split(color, world.rank()), ranks, nodes};
}

}  // namespace

std::vector<TimedGroup> make_timed_groups(Communicator& world, std::int64_t ranks_per_node) {
  std::vector<TimedGroup> groups;
  const std::int64_t ranks = world.size();
  const std::int64_t rank = world.rank();
  for (std::int64_t size = 2; size <= ranks; size *= 2) {
    if (ranks % size != 0) break;
    groups.push_back(
        split(world, static_cast<int>(rank / size), size, std::max<std::int64_t>(1, size / ranks_per_node)));
  }
  if (ranks > 1 && (groups.empty() || groups.back().ranks != ranks)) {
    groups.push_back(split(world, 0, ranks, std::max<std::int64_t>(1, ranks / ranks_per_node)));
  }
  const std::int64_t nodes = ranks / ranks_per_node;
  if (nodes > 1 && ranks_per_node > 1 && ranks % ranks_per_node == 0) {
    groups.push_back(split(world, static_cast<int>(rank % ranks_per_node), nodes, nodes));
  }
  return groups;
}

std::vector<Case> collective_cases(TimedGroup& group, const std::vector<Bytes>& messages) {
  constexpr std::int64_t kElement = 4;
  std::vector<Case> cases;
  for (const Kind& kind : kKinds) {
    for (const Bytes bytes : messages) {
      const std::int64_t part = std::max<std::int64_t>(1, bytes.value() / kElement / group.ranks);
      Case one;
      one.subject = {
          Family::collective, kind.name, 0, 0, 0, 1, group.ranks, group.nodes, Bytes{part * group.ranks * kElement},
          Flops{0.0}};
      one.make = [&group, &kind, part](Arena& arena) {
        Communicator& ranks = *group.communicator;
        const Buffers buffers{ranks, arena.matrix(1, part), arena.matrix(1, part * group.ranks)};
        kernels::Backend& backend = arena.backend();
        Workload workload;
        workload.run = [=, &kind] { kind.run(buffers); };
        workload.restore = [=, &backend] {
          backend.fill(buffers.part, buffers.group.rank() + 1.0);
          backend.fill(buffers.whole, buffers.group.rank() + 1.0);
        };
        workload.check = [=, &kind, &backend] {
          const Matrix result = kind.result(buffers);
          const double found = backend.sum(result);
          const double expected = kind.expected(buffers.group) * static_cast<double>(result.elements());
          if (found == expected) return std::string();
          return "the sum of the result is " + std::to_string(found) + " instead of " + std::to_string(expected);
        };
        return workload;
      };
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

int collective_samples(Bytes bytes) {
  constexpr std::int64_t kInAll = std::int64_t{1} << 26;
  return static_cast<int>(std::clamp<std::int64_t>(kInAll / std::max<std::int64_t>(1, bytes.value()), 5, 60));
}

}  // namespace shardsim::calibrate

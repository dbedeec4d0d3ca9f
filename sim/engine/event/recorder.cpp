#include "sim/engine/event/recorder.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/model/rank_grid.hpp"

namespace shardsim::engine::event {
namespace {

using model::Lane;
using model::Span;

Lane lane_of(model::Group group) {
  switch (group) {
    case model::Group::none:
      return Lane::compute;
    case model::Group::tensor:
      return Lane::tensor;
    case model::Group::context:
      return Lane::context;
    case model::Group::pipeline:
      return Lane::pipeline;
    default:
      return Lane::data;
  }
}

/// A reduction of forward results hides behind the product before it, everything else behind the one that follows.
bool ends_with_device(const model::Operator& op) {
  return op.kind == model::OperatorKind::all_reduce || op.kind == model::OperatorKind::reduce_scatter;
}

std::string_view name_of(schedule::Work work) {
  switch (work) {
    case schedule::Work::forward:
      return "forward";
    case schedule::Work::backward:
      return "backward";
    case schedule::Work::input_gradient:
      return "input gradient";
    case schedule::Work::weight_gradient:
      return "weight gradient";
  }
  return "";
}

}  // namespace

Recorder::Recorder(const model::Scenario& scenario, const Programs& programs, const SlownessMap& slowness,
                   std::int32_t replicas, const std::vector<std::int64_t>& ranks)
    : scenario_{scenario},
      programs_{programs},
      slowness_{slowness},
      replicas_{replicas},
      watched_(programs.stages.size() * static_cast<std::size_t>(replicas)) {
  for (const std::int64_t rank : ranks) {
    const model::RankPlace place = model::place_of_rank(scenario.parallelism, rank);
    const std::int64_t replica = replicas == 1 ? 0 : place.data;
    watched_[static_cast<std::size_t>(place.pipeline * replicas + replica)].ranks.push_back(rank);
  }
}

void Recorder::follow_memory() {
  for (std::size_t unit = 0; unit < watched_.size(); unit += static_cast<std::size_t>(replicas_)) {
    watched_[unit].follows_memory = true;
  }
}

void Recorder::record(Watched& watched, Span span) {
  Picoseconds& last = watched.lane_end[static_cast<std::size_t>(span.lane)];
  span.start = std::max(span.start, last);
  if (span.end <= span.start) return;
  last = span.end;
  for (const std::int64_t rank : watched.ranks) {
    span.rank = rank;
    timeline_.spans.push_back(span);
  }
}

void Recorder::pass(const PlayedPass& played) {
  Watched& watched = watched_[played.unit];
  if (watched.ranks.empty() && !watched.follows_memory) return;
  if (!watched.ranks.empty()) record_operators(watched, played);
  if (played.instruction->index != programs_.hop.arrival) note_action(watched, played);
}

/// The operators one by one, at the times that their passages give; a pass that collectives slowed down is stretched.
void Recorder::record_operators(Watched& watched, const PlayedPass& played) {
  Ready ready = played.before;
  std::vector<Span> spans;
  std::uint64_t layer = 0;
  for (const Run& run : programs_.sequences[static_cast<std::size_t>(played.instruction->index)]) {
    const PassCost& pass = programs_.passes[static_cast<std::size_t>(run.pass)];
    for (std::int32_t i = 0; i < run.count; ++i, ++layer) {
      const Slowness slowness = slowness_.slowness(played.unit, played.at, layer);
      for (const TimedOperator& timed : pass.timed()) {
        const model::Operator& op = pass.operator_of(timed);
        const Ready before = ready;
        ready = timed.at(slowness)(before);
        Span span{op.name,
                  0,
                  Lane::host,
                  op.pass,
                  before.host,
                  ready.host,
                  played.instruction->micro_batch,
                  played.instruction->chunk,
                  Bytes{0}};
        spans.push_back(span);
        span.lane = lane_of(timed.group);
        span.bytes = op.bytes;
        span.start = std::max(before.device, before.host + timed.host / timed.launches);
        span.end = ready.device;
        if (timed.whole > timed.device) {
          ends_with_device(op) ? span.start = span.end - timed.whole : span.end = span.start + timed.whole;
        }
        spans.push_back(span);
      }
    }
  }
  const auto nominal = static_cast<double>(ready.device - played.before.device);
  const auto real = static_cast<double>(played.after.device - played.before.device);
  const auto stretched = [&](Picoseconds time) {
    return played.before.device +
           static_cast<Picoseconds>(static_cast<double>(time - played.before.device) * real / nominal);
  };
  for (Span& span : spans) {
    if (span.lane != Lane::host && nominal > 0.0 && real != nominal) {
      span.start = stretched(span.start);
      span.end = stretched(span.end);
    }
    record(watched, span);
  }
}

void Recorder::note_action(Watched& watched, const PlayedPass& played) {
  const Instruction& instruction = *played.instruction;
  const schedule::Action action{instruction.micro_batch, instruction.chunk,
                                static_cast<schedule::Work>(instruction.peer)};
  const bool is_step = instruction.micro_batch < 0;
  const bool continues = !is_step && !watched.order.empty() && watched.order.back() == action;
  if (continues) {
    watched.times.back().end = played.after.device;
    return;
  }
  watched.times.push_back({played.before.device, played.after.device});
  if (!is_step) watched.order.push_back(action);
}

void Recorder::send(const PlayedSend& played) {
  Watched& from = watched_[played.from];
  const Watched& to = watched_[played.to];
  const bool gradient = played.instruction->index >= programs_.chunks * programs_.micro_batches;
  record(from, {gradient ? "send_backward" : "send_forward", 0, Lane::pipeline,
                gradient ? model::Pass::backward : model::Pass::forward, played.start, played.end,
                played.instruction->micro_batch, played.instruction->chunk, programs_.hop.bytes});
  for (std::size_t i = 0; i < std::min(from.ranks.size(), to.ranks.size()); ++i) {
    timeline_.messages.push_back({from.ranks[i], to.ranks[i], played.start, played.end});
  }
}

void Recorder::collective(const PlayedCollective& played) {
  for (std::int32_t replica = 0; replica < replicas_; ++replica) {
    const std::size_t unit = played.stage * static_cast<std::size_t>(replicas_) + static_cast<std::size_t>(replica);
    record(watched_[unit], {played.collective->name, 0, Lane::data, model::Pass::step, played.start, played.end, -1, 0,
                            played.collective->bytes});
  }
}

void Recorder::join(const PlayedJoin& played) {
  for (std::size_t unit = played.first_unit; unit < watched_.size(); unit += played.stride) {
    record(watched_[unit],
           {played.name, 0, Lane::data, model::Pass::step, played.start, played.end, -1, 0, played.bytes});
  }
}

std::vector<MemoryInTime> Recorder::memory_in_time(const std::vector<model::Stage>& layout, Picoseconds start) const {
  std::vector<MemoryInTime> stages;
  const model::OperatorList operators = model::list_operators(scenario_);
  for (std::size_t unit = 0; unit < watched_.size(); unit += static_cast<std::size_t>(replicas_)) {
    const Watched& watched = watched_[unit];
    if (!watched.follows_memory) continue;
    const model::Stage& stage = layout[stages.size()];
    memory::CachingAllocator allocator;
    const memory::MemoryOverTime memory =
        memory::replay(memory::memory_changes(scenario_, operators, stage, watched.order), allocator);
    MemoryInTime in_time;
    in_time.stage = static_cast<std::int64_t>(stages.size());
    in_time.peak_action = "before the iteration";
    if (memory.peak_action != memory::kBeforeIteration) {
      const auto at = static_cast<std::size_t>(memory.peak_action);
      const auto since_start = [start](Picoseconds time) {
        return Seconds{static_cast<double>(std::max<Picoseconds>(0, time - start)) * 1e-12};
      };
      in_time.peak_start = since_start(watched.times[at].start);
      in_time.peak_end = since_start(watched.times[at].end);
      in_time.peak_action = "optimizer step";
      if (at < watched.order.size()) {
        const schedule::Action& action = watched.order[at];
        in_time.peak_action = name_of(action.work);
        in_time.micro_batch = action.micro_batch;
        in_time.chunk = action.chunk;
      }
    }
    in_time.peak_allocated = allocator.peak_allocated();
    in_time.peak_reserved = allocator.peak_reserved();
    in_time.fragmentation = allocator.fragmentation();
    stages.push_back(in_time);
  }
  return stages;
}

model::Timeline Recorder::take(const std::vector<model::Stage>& layout, Picoseconds start, Picoseconds end) {
  const model::OperatorList operators = model::list_operators(scenario_);
  for (std::size_t unit = 0; unit < watched_.size(); ++unit) {
    const Watched& watched = watched_[unit];
    if (watched.ranks.empty()) continue;
    SHARDSIM_CHECK(watched.times.size() == watched.order.size() + 1, "actions without times");
    const model::Stage& stage = layout[unit / static_cast<std::size_t>(replicas_)];
    memory::CachingAllocator allocator;
    const memory::MemoryOverTime memory =
        memory::replay(memory::memory_changes(scenario_, operators, stage, watched.order), allocator);
    for (const std::int64_t rank : watched.ranks) {
      const std::vector<model::MemorySample> samples = memory::samples(memory, watched.times, rank);
      timeline_.memory.insert(timeline_.memory.end(), samples.begin(), samples.end());
    }
  }
  for (Span& span : timeline_.spans) {
    span.start -= start;
    span.end -= start;
  }
  for (model::Message& message : timeline_.messages) {
    message.sent -= start;
    message.received -= start;
  }
  for (model::MemorySample& sample : timeline_.memory) sample.time = std::max<Picoseconds>(0, sample.time - start);
  std::stable_sort(timeline_.spans.begin(), timeline_.spans.end(),
                   [](const Span& a, const Span& b) { return a.rank != b.rank ? a.rank < b.rank : a.start < b.start; });
  timeline_.end = end - start;
  return std::move(timeline_);
}

}  // namespace shardsim::engine::event

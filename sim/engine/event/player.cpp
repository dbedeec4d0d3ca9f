#include "sim/engine/event/player.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::engine::event {
namespace {

/// Between two calls of Progress.
constexpr std::uint64_t kEventsPerReport = std::uint64_t{1} << 18U;

/// The part of [from, to) before `limit`.
Picoseconds before(Picoseconds limit, Picoseconds from, Picoseconds to) {
  return std::max<Picoseconds>(0, std::min(limit, to) - from);
}

}  // namespace

Player::Player(const Programs& programs, const SlownessMap& slowness, std::int32_t replicas,
               double communication_slowdown)
    : programs_{programs},
      slowness_{slowness},
      replicas_{replicas},
      slots_{slots(programs)},
      lost_share_{1.0 - 1.0 / communication_slowdown},
      units_(programs.stages.size() * static_cast<std::size_t>(replicas)),
      lanes_(programs.stages.size(), DataLane{replicas}),
      arrived_(units_.size() * static_cast<std::size_t>(slots_), 0),
      joins_(static_cast<std::size_t>(replicas) + 1, Join{2}),
      ends_(static_cast<std::size_t>(programs.iterations), 0) {
  for (std::size_t i = 0; i < units_.size(); ++i) units_[i].stage = static_cast<std::int32_t>(i) / replicas;
  joins_.back().members = static_cast<std::int32_t>(units_.size());
}

void Player::play(const Progress& progress) {
  std::int64_t all = 0;
  for (const StageProgram& stage : programs_.stages) all += std::ssize(stage.code);
  all *= replicas_ * programs_.iterations;
  for (std::uint32_t i = 0; i < units_.size(); ++i) advance(i);
  while (!queue_.empty()) {
    const auto event = queue_.pop();
    now_ = event.time;
    handle(event.payload, now_);
    if (unsettled_ && !queue_.has_due()) settle();
    if (queue_.popped() % kEventsPerReport == 0 && progress && !progress(played_, all)) throw Interrupted{};
  }
  SHARDSIM_CHECK(played_ == all, "units wait for each other");
}

Picoseconds Player::last_start() const {
  Picoseconds start = end();
  for (const Unit& unit : units_) start = std::min(start, unit.iteration_start);
  return start;
}

void Player::handle(Event event, Picoseconds now) {
  switch (event.kind()) {
    case Kind::message:
      return deliver(event.who, event.slot());
    case Kind::pass:
      units_[event.who].waits == Unit::Waits::pass ? end_pass(event.who, now) : advance(event.who);
      return;
    case Kind::collective:
      end_collective(static_cast<std::int32_t>(event.who), now);
      return;
    case Kind::join:
      end_join(event.who, now);
      return;
    case Kind::send: {
      const Flow flow{event.who, event.slot(), now};
      const Unit& unit = units_[event.who];
      const Instruction& instruction =
          programs_.stages[static_cast<std::size_t>(unit.stage)].code[static_cast<std::size_t>(flow.pc)];
      const auto replica = static_cast<std::int32_t>(event.who) % replicas_;
      return begin_flow(flow, wires_->start_send(unit.stage, instruction.peer, replica, now));
    }
    case Kind::begin: {
      const auto stage = static_cast<std::int32_t>(event.who);
      const std::int32_t collective = lanes_[event.who].running();
      return begin_flow({event.who, -1, now}, wires_->start_collective(stage, collective, now));
    }
    case Kind::flow:
      return end_flow(static_cast<network::FlowId>(event.who), now);
  }
}

void Player::deliver(std::uint32_t unit, std::int32_t slot) {
  arrived(unit, slot) = 1;
  if (units_[unit].waits == Unit::Waits::message && units_[unit].awaited == slot) advance(unit);
}

void Player::advance(std::uint32_t index) {
  Unit& unit = units_[index];
  unit.waits = Unit::Waits::nothing;
  while (step(index, unit, current(unit))) {
    ++unit.pc;
    ++played_;
  }
}

bool Player::step(std::uint32_t index, Unit& unit, const Instruction& instruction) {
  switch (instruction.code) {
    case Code::run:
      return run(index, unit, instruction);
    case Code::receive:
      return receive(index, unit, instruction);
    case Code::send:
      return send(index, unit, instruction);
    case Code::issue:
      issue(unit, instruction);
      return true;
    case Code::await_collective:
      return await_collective(unit, instruction);
    case Code::join_embedding:
      return join(index % static_cast<std::uint32_t>(replicas_), unit, programs_.embedding.time);
    case Code::join_all:
      return join(everyone(), unit, programs_.all.time);
    case Code::synchronize:
      unit.ready.host = std::max(unit.ready.host, unit.ready.device);
      return true;
    case Code::finish:
      return finish_iteration(unit);
  }
  return false;
}

bool Player::run(std::uint32_t index, Unit& unit, const Instruction& instruction) {
  if (unit.issued_before + unit.issued > lane_of(unit).done()) return run_beside_collectives(index, unit, instruction);
  const Ready before = unit.ready;
  Picoseconds busy = 0;
  unit.ready = slowness_.after(index, instruction.index, pass_key(unit), before, busy);
  unit.account.busy += busy;
  unit.account.host_wait += unit.ready.device - before.device - busy;
  complete_pass(index, unit, instruction, before);
  return true;
}

/// The pass may be slowed down: its end is looked at when it comes.
bool Player::run_beside_collectives(std::uint32_t index, Unit& unit, const Instruction& instruction) {
  if (unit.ready.device > now_) {
    unit.waits = Unit::Waits::turn;
    queue_.push(unit.ready.device, {Kind::pass, index});
    return false;
  }
  Picoseconds busy = 0;
  unit.pass_end = slowness_.after(index, instruction.index, pass_key(unit), unit.ready, busy);
  const Picoseconds duration = unit.pass_end.device - now_;
  unit.account.busy += busy;
  unit.account.host_wait += duration - busy;
  unit.active_before = lane_of(unit).active(now_);
  unit.lost_share = duration > 0 ? lost_share_ * static_cast<double>(busy) / static_cast<double>(duration) : 0.0;
  unit.waits = Unit::Waits::pass;
  queue_.push(lane_of(unit).earliest_end(now_, duration, unit.lost_share), {Kind::pass, index});
  return false;
}

/// The pass ends at the first picosecond at which what it lost to collectives beside it is made up for.
void Player::end_pass(std::uint32_t index, Picoseconds now) {
  Unit& unit = units_[index];
  const DataLane& lane = lane_of(unit);
  const auto lost =
      static_cast<Picoseconds>(unit.lost_share * static_cast<double>(lane.active(now) - unit.active_before));
  const Picoseconds remaining = unit.pass_end.device + lost - now;
  if (remaining > 0) {
    queue_.push(lane.earliest_end(now, remaining, unit.lost_share), {Kind::pass, index});
    return;
  }
  const Ready before = unit.ready;
  unit.account.slowed += now - unit.pass_end.device;
  unit.ready = {unit.pass_end.host, now};
  complete_pass(index, unit, current(unit), before);
  ++unit.pc;
  ++played_;
  advance(index);
}

void Player::complete_pass(std::uint32_t index, Unit& unit, const Instruction& instruction, Ready before) {
  unit.passes_end = unit.ready.device;
  if (is_observed(unit)) observer_->pass({index, &instruction, pass_key(unit), before, unit.ready});
}

bool Player::receive(std::uint32_t index, Unit& unit, const Instruction& instruction) {
  std::uint8_t& here = arrived(index, instruction.index);
  if (here == 0) {
    unit.waits = Unit::Waits::message;
    unit.awaited = instruction.index;
    return false;
  }
  here = 0;
  const Picoseconds waited = std::max<Picoseconds>(0, now_ - unit.ready.device);
  const Picoseconds hop = std::min(waited, programs_.hop.time);
  unit.account.hop_wait += hop;
  unit.account.bubble += waited - hop;
  unit.ready.device += waited;
  return true;
}

bool Player::send(std::uint32_t index, Unit& unit, const Instruction& instruction) {
  const Hop& hop = programs_.hop;
  if (wires_ != nullptr) {
    queue_.push(unit.ready.device, {Kind::send, index, unit.pc});
    if (hop.exposed) unit.waits = Unit::Waits::send;
    return !hop.exposed;
  }
  const Picoseconds start = std::max(unit.ready.device, unit.sent);
  unit.sent = start + hop.time;
  if (hop.exposed) {
    unit.account.send += unit.sent - unit.ready.device;
    unit.ready.device = unit.sent;
    unit.passes_end = unit.sent;
  }
  const std::uint32_t to = receiver(index, instruction);
  queue_.push(unit.sent, {Kind::message, to, instruction.index});
  if (is_observed(unit)) observer_->send({index, to, &instruction, start, unit.sent});
  return true;
}

void Player::end_send(const Flow& flow, Picoseconds now) {
  Unit& unit = units_[flow.who];
  const Instruction& instruction =
      programs_.stages[static_cast<std::size_t>(unit.stage)].code[static_cast<std::size_t>(flow.pc)];
  const std::uint32_t to = receiver(flow.who, instruction);
  if (is_observed(unit)) observer_->send({flow.who, to, &instruction, flow.start, now});
  deliver(to, instruction.index);
  if (unit.waits != Unit::Waits::send) return;
  unit.account.send += now - unit.ready.device;
  unit.ready.device = now;
  unit.passes_end = now;
  ++unit.pc;
  ++played_;
  advance(flow.who);
}

void Player::begin_flow(const Flow& flow, network::FlowId id) {
  if (static_cast<std::size_t>(id) >= flows_.size()) flows_.resize(static_cast<std::size_t>(id) + 1);
  flows_[static_cast<std::size_t>(id)] = flow;
  unsettled_ = true;
}

void Player::end_flow(network::FlowId id, Picoseconds now) {
  if (!wires_->network().is_due(id, now)) return;
  const Flow flow = flows_[static_cast<std::size_t>(id)];
  wires_->network().remove(id, now);
  unsettled_ = true;
  flow.pc >= 0 ? end_send(flow, now) : end_collective(static_cast<std::int32_t>(flow.who), now);
}

void Player::settle() {
  unsettled_ = false;
  for (const network::Finish& finish : wires_->network().settle(now_)) {
    queue_.push(finish.time, {Kind::flow, static_cast<std::uint32_t>(finish.flow)});
  }
}

void Player::issue(Unit& unit, const Instruction& instruction) {
  lane_of(unit).issue(unit.issued_before + unit.issued, instruction.index, unit.ready.device);
  ++unit.issued;
  start_next(unit.stage);
}

bool Player::await_collective(Unit& unit, const Instruction& instruction) {
  if (unit.issued_before + instruction.index >= lane_of(unit).done()) {
    unit.waits = Unit::Waits::collective;
    unit.awaited = unit.issued_before + instruction.index;
    return false;
  }
  const Picoseconds waited = std::max<Picoseconds>(0, now_ - unit.ready.device);
  unit.account.data_wait += waited;
  unit.ready.device += waited;
  unit.data_end = unit.ready.device;
  return true;
}

bool Player::join(std::uint32_t group, Unit& unit, Picoseconds time) {
  Join& join = joins_[group];
  join.latest = std::max(join.latest, unit.ready.device);
  join.passes_end = std::max(join.passes_end, unit.passes_end);
  join.data_end = std::max({join.data_end, unit.passes_end, unit.data_end});
  if (++join.joined == join.members) queue_.push(join.latest + time, {Kind::join, group});
  unit.waits = Unit::Waits::join;
  unit.awaited = static_cast<std::int32_t>(group);
  return false;
}

bool Player::finish_iteration(Unit& unit) {
  unit.account.fixed += programs_.per_iteration;
  unit.ready.device += programs_.per_iteration;
  unit.ready.host = unit.ready.device;
  Picoseconds& end = ends_[static_cast<std::size_t>(unit.iteration)];
  end = std::max(end, unit.ready.device);
  if (++unit.iteration == programs_.iterations) {
    ++played_;
    return false;
  }
  unit.issued_before += unit.issued;
  unit.issued = 0;
  unit.iteration_start = unit.ready.device;
  unit.account = {};
  unit.pc = -1;
  return true;
}

void Player::start_next(std::int32_t stage) {
  DataLane& lane = lanes_[static_cast<std::size_t>(stage)];
  const auto start = lane.next();
  if (!start) return;
  const Collective& collective =
      programs_.stages[static_cast<std::size_t>(stage)].collectives[static_cast<std::size_t>(start->collective)];
  const Picoseconds end = start->time + collective.time;
  lane.expect(end);
  const auto who = static_cast<std::uint32_t>(stage);
  wires_ != nullptr ? queue_.push(start->time, {Kind::begin, who}) : queue_.push(end, {Kind::collective, who});
}

void Player::end_collective(std::int32_t stage, Picoseconds now) {
  DataLane& lane = lanes_[static_cast<std::size_t>(stage)];
  if (is_observed(units_[static_cast<std::size_t>(stage * replicas_)])) {
    const auto at = static_cast<std::size_t>(stage);
    const auto running = static_cast<std::size_t>(lane.running());
    observer_->collective({at, &programs_.stages[at].collectives[running], lane.started(), now});
  }
  lane.finish(now);
  start_next(stage);
  for (std::int32_t replica = 0; replica < replicas_; ++replica) {
    const auto index = static_cast<std::uint32_t>(stage * replicas_ + replica);
    const Unit& unit = units_[index];
    if (unit.waits == Unit::Waits::collective && unit.awaited < lane.done()) advance(index);
  }
}

void Player::end_join(std::uint32_t group, Picoseconds now) {
  const Join join = joins_[group];
  joins_[group] = {join.members};
  const bool all = group == everyone();
  const Picoseconds time = all ? programs_.all.time : programs_.embedding.time;
  const Picoseconds start = now - time;
  const auto stride = all ? 1U : static_cast<std::uint32_t>(units_.size()) - static_cast<std::uint32_t>(replicas_);
  for (std::uint32_t index = all ? 0 : group; index < units_.size(); index += stride) {
    Unit& unit = units_[index];
    const Picoseconds from = unit.ready.device;
    const Picoseconds bubble = before(join.passes_end, from, start);
    const Picoseconds data = before(join.data_end, from + bubble, start);
    unit.account.bubble += bubble;
    unit.account.data_wait += data;
    unit.account.embedding += start - from - bubble - data + (all ? 0 : time);
    unit.account.norm += all ? time : 0;
    unit.ready.device = now;
    ++unit.pc;
    ++played_;
  }
  if (is_observed(units_[all ? 0 : group])) {
    const JoinedCollective& joined = all ? programs_.all : programs_.embedding;
    observer_->join(
        {all ? 0 : group, stride, all ? "gradient_norm" : "embedding_gradient_all_reduce", joined.bytes, start, now});
  }
  for (std::uint32_t index = all ? 0 : group; index < units_.size(); index += stride) advance(index);
}

}  // namespace shardsim::engine::event

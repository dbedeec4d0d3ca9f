// Plays the programs of all stages and replicas against each other.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "sim/engine/event/data_lane.hpp"
#include "sim/engine/event/observer.hpp"
#include "sim/engine/event/program.hpp"
#include "sim/engine/event/queue.hpp"
#include "sim/engine/event/slowness_map.hpp"
#include "sim/engine/event/unit.hpp"
#include "sim/engine/event/wires.hpp"

namespace shardsim::engine::event {

/// Played and to be played, in instructions; false stops the run.
using Progress = std::function<bool(std::int64_t done, std::int64_t all)>;

/// The run was stopped by its Progress.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

class Player {
 public:
  /// `replicas` of every stage are played explicitly. All that is passed must outlive the player.
  Player(const Programs& programs, const SlownessMap& slowness, std::int32_t replicas, double communication_slowdown);

  /// Without wires every send and collective takes what it takes undisturbed.
  void connect(Wires* wires) { wires_ = wires; }
  void observe(Observer* observer) { observer_ = observer; }
  /// Throws Interrupted.
  void play(const Progress& progress = {});

  /// Of stage s and replica r: units()[s · replicas + r].
  [[nodiscard]] const std::vector<Unit>& units() const { return units_; }
  /// From the end of one iteration to the end of the next, of the units that end last.
  [[nodiscard]] Picoseconds iteration() const {
    return ends_.back() - (ends_.size() > 1 ? ends_[ends_.size() - 2] : 0);
  }
  /// When the first unit began the last iteration, and when the last one ended it.
  [[nodiscard]] Picoseconds last_start() const;
  [[nodiscard]] Picoseconds end() const { return ends_.back(); }
  [[nodiscard]] std::uint64_t events() const { return queue_.popped(); }

 private:
  /// message: a unit and its slot; pass: a unit; collective: a stage's ends; join: a group; send, begin: a unit's send
  /// and a stage's collective go on the wires; flow: one on the wires may have ended.
  enum class Kind : std::uint32_t { message, pass, collective, join, send, begin, flow };
  struct Event {
    static constexpr unsigned kSlotBits = 29;
    std::uint32_t who;
    std::uint32_t kind_and_slot;

    Event(Kind kind, std::uint32_t who_is_meant, std::int32_t slot = 0)
        : who{who_is_meant},
          kind_and_slot{static_cast<std::uint32_t>(kind) << kSlotBits | static_cast<std::uint32_t>(slot)} {}
    [[nodiscard]] Kind kind() const { return static_cast<Kind>(kind_and_slot >> kSlotBits); }
    [[nodiscard]] std::int32_t slot() const {
      return static_cast<std::int32_t>(kind_and_slot & ((1U << kSlotBits) - 1));
    }
  };
  /// A unit's send, by its place in the program, or (no place) a stage's collective.
  struct Flow {
    std::uint32_t who = 0;
    std::int32_t pc = -1;
    Picoseconds start = 0;
  };
  struct Join {
    std::int32_t members = 0;
    std::int32_t joined = 0;
    Picoseconds latest = 0;
    /// Latest ends of the members' passes and data-parallel communication.
    Picoseconds passes_end = 0;
    Picoseconds data_end = 0;
  };

  void handle(Event event, Picoseconds now);
  /// Plays instructions until the unit has to wait.
  void advance(std::uint32_t index);
  /// False: the unit waits.
  bool step(std::uint32_t index, Unit& unit, const Instruction& instruction);
  bool run(std::uint32_t index, Unit& unit, const Instruction& instruction);
  bool run_beside_collectives(std::uint32_t index, Unit& unit, const Instruction& instruction);
  bool receive(std::uint32_t index, Unit& unit, const Instruction& instruction);
  bool send(std::uint32_t index, Unit& unit, const Instruction& instruction);
  void issue(Unit& unit, const Instruction& instruction);
  bool await_collective(Unit& unit, const Instruction& instruction);
  bool join(std::uint32_t group, Unit& unit, Picoseconds time);
  /// False: it was the last one.
  bool finish_iteration(Unit& unit);

  void end_pass(std::uint32_t index, Picoseconds now);
  void start_next(std::int32_t stage);
  void end_collective(std::int32_t stage, Picoseconds now);
  void end_join(std::uint32_t group, Picoseconds now);
  void deliver(std::uint32_t unit, std::int32_t slot);
  void begin_flow(const Flow& flow, network::FlowId id);
  void end_flow(network::FlowId id, Picoseconds now);
  void end_send(const Flow& flow, Picoseconds now);
  /// Once for all flows that come and go at one time.
  void settle();
  [[nodiscard]] std::uint32_t receiver(std::uint32_t index, const Instruction& instruction) const {
    return static_cast<std::uint32_t>(instruction.peer * replicas_ + static_cast<std::int32_t>(index) % replicas_);
  }

  void complete_pass(std::uint32_t index, Unit& unit, const Instruction& instruction, Ready before);
  [[nodiscard]] const Instruction& current(const Unit& unit) const {
    return programs_.stages[static_cast<std::size_t>(unit.stage)].code[static_cast<std::size_t>(unit.pc)];
  }
  [[nodiscard]] bool is_observed(const Unit& unit) const {
    return observer_ != nullptr && unit.iteration == programs_.iterations - 1;
  }
  /// Tells the passes of one unit apart.
  [[nodiscard]] std::uint64_t pass_key(const Unit& unit) const {
    const std::size_t all = programs_.stages[static_cast<std::size_t>(unit.stage)].code.size();
    return static_cast<std::uint64_t>(unit.iteration) * all + static_cast<std::uint64_t>(unit.pc);
  }
  [[nodiscard]] DataLane& lane_of(const Unit& unit) { return lanes_[static_cast<std::size_t>(unit.stage)]; }
  [[nodiscard]] std::uint8_t& arrived(std::uint32_t unit, std::int32_t slot) {
    return arrived_[static_cast<std::size_t>(unit) * static_cast<std::size_t>(slots_) + static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] std::uint32_t everyone() const { return static_cast<std::uint32_t>(replicas_); }

  const Programs& programs_;
  const SlownessMap& slowness_;
  std::int32_t replicas_;
  std::int32_t slots_;
  /// Share of the time beside a collective that compute loses: 1 − 1/slowdown.
  double lost_share_;
  Queue<Event> queue_;
  std::vector<Unit> units_;
  std::vector<DataLane> lanes_;
  /// By unit and slot.
  std::vector<std::uint8_t> arrived_;
  /// First and last stage of every replica, then everyone.
  std::vector<Join> joins_;
  /// Latest end of each iteration.
  std::vector<Picoseconds> ends_;
  Picoseconds now_ = 0;
  std::int64_t played_ = 0;
  Observer* observer_ = nullptr;
  Wires* wires_ = nullptr;
  /// Flows came or went at the present time.
  bool unsettled_ = false;
  /// By network::FlowId.
  std::vector<Flow> flows_;
};

}  // namespace shardsim::engine::event

// Records what chosen ranks play as a timeline, operator by operator.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/event/observer.hpp"
#include "sim/engine/event/slowness_map.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/memory/memory_over_time.hpp"
#include "sim/model/scenario.hpp"
#include "sim/model/timeline.hpp"

namespace shardsim::engine::event {

class Recorder : public Observer {
 public:
  /// `replicas` are played: 1 = the first stands for all.
  Recorder(const model::Scenario& scenario, const Programs& programs, const SlownessMap& slowness,
           std::int32_t replicas, const std::vector<std::int64_t>& ranks);

  /// Of the first unit of every stage. Call before playing.
  void follow_memory();

  void pass(const PlayedPass& played) override;
  void send(const PlayedSend& played) override;
  void collective(const PlayedCollective& played) override;
  void join(const PlayedJoin& played) override;

  /// Of every stage, from `start` on; empty without follow_memory().
  [[nodiscard]] std::vector<MemoryInTime> memory_in_time(const std::vector<model::Stage>& layout,
                                                         Picoseconds start) const;
  /// In order of time within each rank, times from `start` on; memory as the layout's stages need it.
  [[nodiscard]] model::Timeline take(const std::vector<model::Stage>& layout, Picoseconds start, Picoseconds end);

 private:
  /// The ranks to record of one unit.
  struct Watched {
    bool follows_memory = false;
    std::vector<std::int64_t> ranks;
    /// Of each action of its schedule, and of the step.
    std::vector<memory::ActionTime> times;
    schedule::Order order;
    std::array<Picoseconds, 6> lane_end{};
  };

  void record(Watched& watched, model::Span span);
  void record_operators(Watched& watched, const PlayedPass& played);
  void note_action(Watched& watched, const PlayedPass& played);

  const model::Scenario& scenario_;
  const Programs& programs_;
  const SlownessMap& slowness_;
  std::int32_t replicas_;
  /// By unit; most are empty.
  std::vector<Watched> watched_;
  model::Timeline timeline_;
};

}  // namespace shardsim::engine::event

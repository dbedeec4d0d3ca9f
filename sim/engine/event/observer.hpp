// Who is told what the player plays, as it happens.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/engine/event/program.hpp"

namespace shardsim::engine::event {

struct PlayedPass {
  std::size_t unit = 0;
  const Instruction* instruction = nullptr;
  /// Tells the passes of one unit apart.
  std::uint64_t at = 0;
  Ready before;
  Ready after;
};

struct PlayedSend {
  std::size_t from = 0;
  std::size_t to = 0;
  const Instruction* instruction = nullptr;
  Picoseconds start = 0;
  Picoseconds end = 0;
};

/// A collective of a stage's replicas.
struct PlayedCollective {
  std::size_t stage = 0;
  const Collective* collective = nullptr;
  Picoseconds start = 0;
  Picoseconds end = 0;
};

/// The tied embedding's reduction in one replica, or the gradient norm of everyone.
struct PlayedJoin {
  std::size_t first_unit = 0;
  /// From one member to the next.
  std::size_t stride = 1;
  std::string_view name;
  Bytes bytes{0};
  Picoseconds start = 0;
  Picoseconds end = 0;
};

/// Of the last iteration.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  Observer(Observer&&) = delete;
  Observer& operator=(Observer&&) = delete;
  virtual ~Observer() = default;

  virtual void pass(const PlayedPass& played) = 0;
  virtual void send(const PlayedSend& played) = 0;
  virtual void collective(const PlayedCollective& played) = 0;
  virtual void join(const PlayedJoin& played) = 0;
};

}  // namespace shardsim::engine::event

// The options of `shardsim predict` that speak of the event engine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/event/variation.hpp"

namespace shardsim::cli {

enum class Engine { closed_form, event };

/// As given; empty = not given.
struct GivenPlay {
  std::string engine;
  std::string trace;
  std::string trace_ranks;
  bool timeline = false;
  std::vector<std::string> stragglers;
  std::string jitter;
  std::string seed;
};

/// First and last.
using RankRange = std::pair<std::int64_t, std::int64_t>;

struct PlayOptions {
  Engine engine = Engine::closed_form;
  engine::event::Variation variation;
  /// File of the trace.
  std::string trace;
  /// Empty = one data-parallel replica.
  std::vector<RankRange> trace_ranks;
  bool timeline = false;
};

/// Throws InputError for malformed and contradicting options, in the name of `command`.
[[nodiscard]] PlayOptions interpret(const GivenPlay& given, std::string_view command);

}  // namespace shardsim::cli

// The event engine: plays one iteration, operator times composed into passes, every rank that differs on its own.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event/player.hpp"
#include "sim/engine/event/variation.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"
#include "sim/model/timeline.hpp"

namespace shardsim::engine::event {

enum class Replicas {
  /// One data-parallel replica stands for all where nothing sets them apart.
  collapsed,
  /// Every replica is played.
  every_one,
};

enum class Links {
  /// Sends and data-parallel collectives slow each other down where they share links.
  shared,
  /// Everything takes what it takes alone.
  undisturbed,
};

struct Options {
  Variation variation;
  Replicas replicas = Replicas::collapsed;
  Links links = Links::shared;
  /// Ranks whose timeline is recorded; none by default.
  std::vector<std::int64_t> recorded_ranks;
  /// Follows every tensor of one rank a stage: linear in passes · layers, about 0.2 µs a tensor.
  bool memory_in_time = false;
  Progress progress;
};

struct Outcome {
  Prediction prediction;
  /// Of the recorded ranks.
  model::Timeline timeline;
  /// Popped from the queue.
  std::uint64_t events = 0;
};

/// Time and memory of one iteration, as the closed form predicts them. The terms are those of the unit that is busy for
/// longest. Throws Interrupted.
[[nodiscard]] Outcome play(const model::Scenario& scenario, const Options& options = {});

/// The prediction alone.
[[nodiscard]] Prediction predict(const model::Scenario& scenario, const Options& options = {});

}  // namespace shardsim::engine::event

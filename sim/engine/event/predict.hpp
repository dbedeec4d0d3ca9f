// The event engine: plays one iteration, operator times composed into passes, every rank that differs on its own.
#pragma once

#include <cstdint>

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

struct Options {
  Variation variation;
  Replicas replicas = Replicas::collapsed;
  Progress progress;
};

/// Time and memory of one iteration, as the closed form predicts them. The terms are those of the slowest stage's
/// busiest replica. Throws Interrupted.
[[nodiscard]] Prediction predict(const model::Scenario& scenario, const Options& options = {});

}  // namespace shardsim::engine::event

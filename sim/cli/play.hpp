// `shardsim predict --engine event`: plays, shows progress, writes the trace.
#pragma once

#include <string>

#include "sim/cli/play_options.hpp"
#include "sim/engine/event/player.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::cli {

struct Played {
  engine::Prediction prediction;
  /// As text, where it was asked for.
  std::string timeline;
};

/// Throws InputError for ranks that there are not and files that cannot be written, and Interrupted on Ctrl-C.
[[nodiscard]] Played play(const model::Scenario& scenario, const PlayOptions& options);

}  // namespace shardsim::cli

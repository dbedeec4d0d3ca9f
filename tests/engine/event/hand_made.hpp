// Programs made by hand: stages of given times, without operators, sends or step.
#pragma once

#include <utility>
#include <vector>

#include "sim/engine/event/player.hpp"
#include "sim/schedule/in_flight.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {

/// Picoseconds of one micro batch on one chunk.
struct ChunkTimes {
  Picoseconds forward = 0;
  Picoseconds input_gradient = 0;
  Picoseconds weight_gradient = 0;
};

inline PassCost pass_of(Picoseconds time) {
  PricedOperator priced;
  priced.device = priced.whole = Seconds{static_cast<double>(time) * 1e-12};
  return PassCost{{priced}, std::vector<model::Operator>(1)};
}

/// Every stage alike.
inline Programs equal_stages(const model::Parallelism& parallelism, std::int32_t micro_batches, ChunkTimes times) {
  using schedule::Work;
  Programs programs;
  const auto stages = static_cast<std::int32_t>(parallelism.pipeline_model_parallel_size);
  programs.chunks = static_cast<std::int32_t>(parallelism.virtual_pipeline_model_parallel_size);
  programs.micro_batches = micro_batches;
  programs.passes = {pass_of(times.forward), pass_of(times.input_gradient + times.weight_gradient),
                     pass_of(times.input_gradient), pass_of(times.weight_gradient)};
  for (std::int32_t i = 0; i < 4; ++i) programs.sequences.push_back({{i, 1}});
  const auto seconds = [&](Picoseconds time) { return Seconds{static_cast<double>(programs.chunks * time) * 1e-12}; };
  const schedule::StageTime stage_time{seconds(times.forward), seconds(times.input_gradient + times.weight_gradient),
                                       seconds(times.weight_gradient)};
  const auto orders = schedule::orders(parallelism, micro_batches,
                                       std::vector<schedule::StageTime>(static_cast<std::size_t>(stages), stage_time));
  const auto slot = [&](std::int32_t piece, std::int32_t micro_batch, bool gradient) {
    return ((gradient ? programs.chunks : 0) + piece / stages) * micro_batches + micro_batch;
  };
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    StageProgram program;
    for (const schedule::Action& action : orders[static_cast<std::size_t>(stage)]) {
      const std::int32_t piece = action.chunk * stages + stage;
      const bool forward = action.work == Work::forward;
      const std::int32_t from = piece + (forward ? -1 : 1);
      const std::int32_t to = piece + (forward ? 1 : -1);
      const std::int32_t pieces = programs.chunks * stages;
      const bool messages = action.work != Work::weight_gradient;
      if (messages && from >= 0 && from < pieces) {
        program.code.push_back({Code::receive, 0, action.micro_batch, slot(piece, action.micro_batch, !forward), 0});
      }
      program.code.push_back({Code::run, 0, action.micro_batch, static_cast<std::int32_t>(action.work), 0});
      if (messages && to >= 0 && to < pieces) {
        program.code.push_back(
            {Code::send, 0, action.micro_batch, slot(to, action.micro_batch, !forward), to % stages});
      }
    }
    program.code.push_back({Code::finish, 0, -1, 0, 0});
    programs.stages.push_back(std::move(program));
  }
  return programs;
}

inline Picoseconds makespan(const Programs& programs) {
  const SlownessMap slowness{example_scenario(), programs, {}, 1};
  Player player{programs, slowness, 1, 1.0};
  player.play();
  return player.iteration();
}

}  // namespace shardsim::engine::event

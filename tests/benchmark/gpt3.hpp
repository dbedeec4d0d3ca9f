// The scenario that the benchmarks time: GPT-3 175B (96 layers), tensor 8, pipeline 8, 512 GPUs.
#pragma once

#include <initializer_list>
#include <utility>

#include "sim/input/resolve.hpp"

namespace shardsim::benchmarks {

inline input::Settings gpt3_settings() {
  input::Settings settings;
  const std::initializer_list<std::pair<const char*, const char*>> given = {
      {"model.preset", "gpt3-175b"},
      {"cluster.preset", "a100-dgx"},
      {"cluster.gpus", "512"},
      {"parallelism.tensor_model_parallel_size", "8"},
      {"parallelism.pipeline_model_parallel_size", "8"},
      {"training.micro_batch_size", "1"},
      {"training.global_batch_size", "1536"},
  };
  for (const auto& [key, value] : given) settings.set({key, value, {"benchmark", 0, key}, ""});
  return settings;
}

}  // namespace shardsim::benchmarks

// How a job is divided, as JSON under Megatron's names.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/model/enum_text.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::report {

[[nodiscard]] inline nlohmann::ordered_json layout_json(const model::Scenario& scenario) {
  const model::Parallelism& p = scenario.parallelism;
  return {{"tensor_model_parallel_size", p.tensor_model_parallel_size},
          {"pipeline_model_parallel_size", p.pipeline_model_parallel_size},
          {"virtual_pipeline_model_parallel_size", p.virtual_pipeline_model_parallel_size},
          {"context_parallel_size", p.context_parallel_size},
          {"data_parallel_size", p.data_parallel_size},
          {"sequence_parallel", p.sequence_parallel},
          {"schedule", std::string(model::choice_text(p.schedule))},
          {"zero_stage", p.zero_stage},
          {"micro_batch_size", scenario.training.micro_batch_size},
          {"global_batch_size", scenario.training.global_batch_size},
          {"recompute_granularity", std::string(model::choice_text(scenario.training.recompute.granularity))}};
}

}  // namespace shardsim::report

#include "sim/input/job.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "sim/input/resolve_steps.hpp"

namespace shardsim::input {
namespace {

constexpr std::array<std::string_view, 15> kLayoutKeys{
    "parallelism.tensor_model_parallel_size",
    "parallelism.pipeline_model_parallel_size",
    "parallelism.virtual_pipeline_model_parallel_size",
    "parallelism.num_layers_per_virtual_pipeline_stage",
    "parallelism.microbatch_group_size_per_virtual_pipeline_stage",
    "parallelism.decoder_first_pipeline_num_layers",
    "parallelism.decoder_last_pipeline_num_layers",
    "parallelism.context_parallel_size",
    "parallelism.data_parallel_size",
    "parallelism.sequence_parallel",
    "parallelism.schedule",
    "parallelism.zero_stage",
    "parallelism.use_distributed_optimizer",
    "training.micro_batch_size",
    "training.gradient_accumulation_steps",
};
constexpr std::string_view kRecompute = "training.recompute.";

void require(Draft& draft, std::string_view key, const std::string& advice) {
  if (!draft.given(key)) draft.reject(key, "is required and missing; " + advice);
}

}  // namespace

bool is_layout_key(std::string_view key) {
  const bool recompute = key.substr(0, kRecompute.size()) == kRecompute;
  return recompute || std::find(kLayoutKeys.begin(), kLayoutKeys.end(), key) != kLayoutKeys.end();
}

Settings without_layout(const Settings& settings) {
  Settings job;
  for (const Setting& setting : settings.all()) {
    if (!is_layout_key(setting.key)) job.append(setting);
  }
  for (const std::string& warning : settings.warnings()) job.warn(warning);
  return job;
}

model::Scenario resolve_job(const Settings& settings, const std::vector<Preset>& known) {
  Settings job = without_layout(settings);
  job.set({"training.micro_batch_size", "1", {}, ""});
  Draft draft = with_presets(job, known);
  draft.read_settings();
  require_values(draft);
  require(draft, "cluster.gpus", "give the number of GPUs (--gpus)");
  require(draft, "training.global_batch_size", "give the sequences of one iteration (--global-batch-size)");
  derive_architecture(draft);
  assume_model(draft);
  derive_sizes(draft);
  assume_training(draft);
  assume_parallelism(draft);
  // The whole batch on one replica is the largest that any layout computes.
  draft.scenario.parallelism.data_parallel_size = 1;
  check_shapes(draft);
  check_hardware(draft);
  draft.warn_of_values_left_open();
  draft.problems().throw_if_any();
  return std::move(draft.scenario);
}

}  // namespace shardsim::input

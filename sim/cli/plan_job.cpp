#include "sim/cli/plan_job.hpp"

#include <algorithm>
#include <string_view>

#include "sim/cli/collect.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/input/job.hpp"
#include "sim/input/resolve.hpp"
#include "sim/input/units.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::cli {
namespace {

using input::Settings;

constexpr std::string_view kGpus = "cluster.gpus";
constexpr std::string_view kGlobal = "training.global_batch_size";

bool names_layout(const Settings& settings) {
  const auto of_layout = [](const input::Setting& setting) {
    return input::is_layout_key(setting.key) && setting.assumed_because.empty();
  };
  return std::any_of(settings.all().begin(), settings.all().end(), of_layout);
}

void resolve_given(const Settings& settings, PlanJob& job) {
  if (!names_layout(settings)) return;
  try {
    job.given = input::resolve(settings);
  } catch (const InputError& error) {
    job.given_problem = to_string(error.problems().front());
  }
}

/// GPUs and batch may follow from the layout given: dp · tp · …, micro batch · dp · accumulation steps.
void take_sizes_of_given(const Settings& settings, PlanJob& job) {
  if (!job.given) return;
  const auto take = [&](std::string_view key, std::string_view follows_from, std::int64_t value) {
    if (settings.find(key) != nullptr || settings.find(follows_from) == nullptr) return;
    job.settings.set({std::string(key), input::to_text(value), {}, ""});
  };
  take(kGpus, "parallelism.data_parallel_size", job.given->gpus);
  take(kGlobal, "training.gradient_accumulation_steps", job.given->training.global_batch_size);
}

}  // namespace

PlanJob collect_job(const PlanOptions& options) {
  Problems problems;
  Settings settings = collect_settings(options, problems);
  if (!options.global_batch_size.empty()) {
    settings.set({std::string(kGlobal), options.global_batch_size, {"command line", 0, "--global-batch-size"}, ""});
  }
  PlanJob job;
  if (problems.empty()) resolve_given(settings, job);
  job.settings = input::without_layout(settings);
  take_sizes_of_given(settings, job);
  job.base = resolve_job(job.settings, problems);
  return job;
}

Settings with_layout(const Settings& job, const plan::Degrees& degrees) {
  Settings settings = job;
  const auto set = [&settings](const char* key, std::string value) {
    settings.set({key, std::move(value), {"plan", 0, ""}, ""});
  };
  set("parallelism.tensor_model_parallel_size", input::to_text(degrees.tensor_model_parallel_size));
  set("parallelism.pipeline_model_parallel_size", input::to_text(degrees.pipeline_model_parallel_size));
  set("parallelism.virtual_pipeline_model_parallel_size", input::to_text(degrees.virtual_pipeline_model_parallel_size));
  set("parallelism.context_parallel_size", input::to_text(degrees.context_parallel_size));
  set("parallelism.sequence_parallel", input::to_text(degrees.sequence_parallel));
  set("parallelism.zero_stage", input::to_text(std::int64_t{degrees.zero_stage}));
  set("parallelism.schedule", std::string(model::choice_text(degrees.schedule)));
  set("training.micro_batch_size", input::to_text(degrees.micro_batch_size));
  set("training.recompute.granularity", std::string(model::choice_text(degrees.recompute_granularity)));
  return settings;
}

plan::Candidate resolved(const Settings& job, const plan::Degrees& degrees) {
  model::Scenario scenario = input::resolve(with_layout(job, degrees));
  engine::Prediction prediction = engine::predict(scenario);
  return {degrees, std::move(scenario), std::move(prediction)};
}

}  // namespace shardsim::cli

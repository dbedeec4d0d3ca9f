#include "sim/plan/changes_that_fit.hpp"

#include <algorithm>
#include <optional>

#include "sim/engine/closed_form.hpp"
#include "sim/plan/degrees.hpp"

namespace shardsim::plan {
namespace {

using model::Parallelism;
using model::RecomputeGranularity;
using model::Scenario;

/// A changed scenario before it is predicted.
struct Candidate {
  std::string description;
  std::vector<std::string> flags;
  Scenario scenario;
};

std::string instead(const std::string& name, std::int64_t now, std::int64_t before) {
  return name + " " + std::to_string(now) + " instead of " + std::to_string(before);
}

bool divides(std::int64_t divisor, std::int64_t number) { return number % divisor == 0; }

std::vector<Candidate> smaller_micro_batches(const Scenario& scenario) {
  std::vector<Candidate> steps;
  const std::int64_t before = scenario.training.micro_batch_size;
  for (std::int64_t size = before / 2; size >= 1; size /= 2) {
    Candidate step{instead("micro batch", size, before), {"--micro-batch-size " + std::to_string(size)}, scenario};
    step.scenario.training.micro_batch_size = size;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Candidate> more_recomputation(const Scenario& scenario) {
  std::vector<Candidate> steps;
  const RecomputeGranularity before = scenario.training.recompute.granularity;
  if (before == RecomputeGranularity::none) {
    Candidate step{"selective recomputation (attention core)", {"--recompute-granularity selective"}, scenario};
    step.scenario.training.recompute = {};
    step.scenario.training.recompute.granularity = RecomputeGranularity::selective;
    steps.push_back(std::move(step));
  }
  if (before != RecomputeGranularity::full) {
    Candidate step{"full recomputation of every layer",
                   {"--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"},
                   scenario};
    step.scenario.training.recompute = {};
    step.scenario.training.recompute.granularity = RecomputeGranularity::full;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Candidate> sequence_parallel(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  if (parallelism.sequence_parallel || parallelism.tensor_model_parallel_size == 1) return {};
  Candidate step{"sequence parallelism", {"--sequence-parallel"}, scenario};
  step.scenario.parallelism.sequence_parallel = true;
  return {std::move(step)};
}

std::vector<Candidate> more_sharded_state(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  if (parallelism.data_parallel_size * parallelism.context_parallel_size == 1) return {};
  const bool piped = parallelism.pipeline_model_parallel_size > 1;
  const int highest = piped && !scenario.stack.zero_with_pipeline ? 1 : 3;
  const std::vector<std::vector<std::string>> flags{
      {},
      {"--use-distributed-optimizer"},
      {"--use-megatron-fsdp", "--data-parallel-sharding-strategy optim_grads"},
      {"--use-megatron-fsdp", "--data-parallel-sharding-strategy optim_grads_params"}};
  std::vector<Candidate> steps;
  for (int stage = parallelism.zero_stage + 1; stage <= highest; ++stage) {
    Candidate step{instead("ZeRO stage", stage, parallelism.zero_stage), flags[static_cast<std::size_t>(stage)],
                   scenario};
    step.scenario.parallelism.zero_stage = stage;
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Multiplies one degree by `factor`, out of the data-parallel size or, where that does not divide, of more GPUs.
Candidate more_model_parallel(const Scenario& scenario, std::int64_t Parallelism::*degree, std::int64_t factor,
                              const std::string& name, const std::string& flag) {
  const std::int64_t now = scenario.parallelism.*degree * factor;
  Candidate step{instead(name, now, scenario.parallelism.*degree), {flag + " " + std::to_string(now)}, scenario};
  Parallelism& parallelism = step.scenario.parallelism;
  parallelism.*degree = now;
  if (divides(factor, parallelism.data_parallel_size)) {
    parallelism.data_parallel_size /= factor;
    step.description += ", data parallel " + std::to_string(parallelism.data_parallel_size);
  } else {
    step.scenario.gpus *= factor;
    step.description += ", on " + std::to_string(step.scenario.gpus) + " GPUs";
  }
  return step;
}

std::vector<Candidate> more_tensor_parallel(const Scenario& scenario) {
  std::vector<Candidate> steps;
  const std::int64_t before = scenario.parallelism.tensor_model_parallel_size;
  // Beyond a node every layer's collectives would leave NVLink.
  for (std::int64_t factor = 2; before * factor <= scenario.cluster.gpus_per_node; factor *= 2) {
    steps.push_back(more_model_parallel(scenario, &Parallelism::tensor_model_parallel_size, factor, "tensor parallel",
                                        "--tensor-model-parallel-size"));
  }
  return steps;
}

std::vector<Candidate> more_pipeline_parallel(const Scenario& scenario) {
  std::vector<Candidate> steps;
  const std::int64_t before = scenario.parallelism.pipeline_model_parallel_size;
  for (std::int64_t factor = 2; before * factor <= scenario.model.num_layers; factor *= 2) {
    steps.push_back(more_model_parallel(scenario, &Parallelism::pipeline_model_parallel_size, factor,
                                        "pipeline parallel", "--pipeline-model-parallel-size"));
    // A group that followed the pipeline's size goes on following it.
    std::int64_t& group = steps.back().scenario.parallelism.microbatch_group_size_per_virtual_pipeline_stage;
    if (group == before) group = before * factor;
  }
  return steps;
}

double gpu_seconds(const Scenario& scenario, const engine::Prediction& prediction) {
  return static_cast<double>(scenario.gpus) * prediction.iteration.value();
}

/// Steps come smallest first: the first that fits is the smallest.
std::optional<Change> first_that_fits(std::vector<Candidate> steps, const Scenario& unchanged,
                                      double gpu_seconds_before) {
  for (Candidate& step : steps) {
    if (!why_impossible(step.scenario).empty()) continue;
    if (is_able(unchanged) && !is_able(step.scenario)) continue;
    engine::Prediction prediction = engine::predict(step.scenario);
    if (!prediction.memory.fits()) continue;
    const double cost = gpu_seconds(step.scenario, prediction) / gpu_seconds_before - 1.0;
    return Change{std::move(step.description), std::move(step.flags), std::move(step.scenario), std::move(prediction),
                  cost};
  }
  return {};
}

}  // namespace

std::vector<Change> changes_that_fit(const Scenario& scenario) {
  const double before = gpu_seconds(scenario, engine::predict(scenario));
  std::vector<Change> changes;
  for (const auto kind : {smaller_micro_batches, more_recomputation, sequence_parallel, more_sharded_state,
                          more_tensor_parallel, more_pipeline_parallel}) {
    if (auto change = first_that_fits(kind(scenario), scenario, before)) changes.push_back(std::move(*change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time_cost < b.time_cost; });
  if (changes.size() > kMostChanges) changes.resize(kMostChanges);
  return changes;
}

}  // namespace shardsim::plan

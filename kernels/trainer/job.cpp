#include "kernels/trainer/job.hpp"

#include <cstdio>

#include "sim/cli/collect.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::kernels {
namespace {

using input::Setting;
using input::Settings;
using model::choice_text;

constexpr const char* kTrain = "shardsim train";

void assume(Settings& settings, const std::string& key, const std::string& value, const std::string& reason) {
  settings.set({key, value, {kTrain, 0, ""}, reason});
}

/// The CPU computes in fp32 alone.
void use_fp32(Settings& settings) {
  const Setting* precision = settings.find("training.precision");
  if (precision != nullptr && precision->value != "fp32") {
    settings.warn("training.precision = " + precision->value + ": the CPU computes in fp32, which is used instead");
  }
  settings.set({"training.precision", "fp32", {kTrain, 0, ""}, ""});
}

/// What `predict` requires and a first try should not need, and number formats.
void complete(Settings& settings, std::int64_t ranks, bool gpu) {
  assume(settings, "training.micro_batch_size", "4", "default of shardsim train");
  assume(settings, "cluster.gpus", std::to_string(ranks), "ranks of the job; -n starts more");
  if (!gpu) use_fp32(settings);
  settings.set({"training.gradient_dtype", "fp32", {kTrain, 0, ""}, ""});
}

/// Problems of values that resolve but cannot be trained, at the place that gave them.
class Limits {
 public:
  Limits(const Settings& settings, const model::Scenario& scenario) : settings_{settings}, scenario_{scenario} {}

  void check(std::int64_t ranks) {
    const model::Model& model = scenario_.model;
    const model::Parallelism& parallelism = scenario_.parallelism;
    const model::Training& training = scenario_.training;
    using model::Family;
    require(scenario_.gpus == ranks, "cluster.gpus", std::to_string(scenario_.gpus),
            "the job has " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + "; start it with -n " +
                std::to_string(scenario_.gpus) + ", or give --gpus " + std::to_string(ranks));
    require(model.family == Family::gpt || model.family == Family::bert, "model.family", choice_text(model.family),
            "the trainer knows gpt and bert");
    require(model.position_embedding == model::PositionEmbedding::learned, "model.position_embedding",
            choice_text(model.position_embedding), "the trainer knows learned positions");
    require(model.normalization == model::Normalization::layer_norm, "model.normalization",
            choice_text(model.normalization), "the trainer knows layer_norm");
    require(model.activation == model::Activation::gelu, "model.activation", choice_text(model.activation),
            "the trainer knows gelu");
    require(model.linear_bias == model::LinearBias::all, "model.linear_bias", choice_text(model.linear_bias),
            "the trainer's linear layers have a bias");
    require(model.num_query_groups == model.num_attention_heads, "model.num_query_groups",
            std::to_string(model.num_query_groups), "the trainer has as many key/value heads as heads");
    require(!model.qk_layernorm, "model.qk_layernorm", "true", "the trainer does not normalise queries and keys");
    require(model.output_weights == model::OutputWeights::tied, "model.output_weights",
            choice_text(model.output_weights), "the trainer ties the output projection to the word embedding");
    require(parallelism.context_parallel_size == 1, "parallelism.context_parallel_size",
            std::to_string(parallelism.context_parallel_size), "the trainer knows 1");
    require(parallelism.zero_stage <= 1, "parallelism.zero_stage", std::to_string(parallelism.zero_stage),
            "the trainer knows 0 and 1");
    require(parallelism.num_distributed_optimizer_instances == 1, "parallelism.num_distributed_optimizer_instances",
            std::to_string(parallelism.num_distributed_optimizer_instances), "the trainer knows 1");
    require(parallelism.schedule <= model::Schedule::interleaved_one_f_one_b, "parallelism.schedule",
            choice_text(parallelism.schedule), "the trainer knows gpipe, one_f_one_b and interleaved_one_f_one_b");
    require(training.optimizer == model::OptimizerKind::adam, "training.optimizer", choice_text(training.optimizer),
            "the trainer knows adam");
    require(training.attention_kernel == model::AttentionKernel::unfused, "training.attention_kernel",
            choice_text(training.attention_kernel), "the trainer knows unfused");
    require(training.offload == model::Offload::none, "training.offload", choice_text(training.offload),
            "the trainer keeps everything on the device");
    require(training.recompute.granularity != model::RecomputeGranularity::operators, "training.recompute.granularity",
            choice_text(training.recompute.granularity), "the trainer knows none, selective and full");
    const model::RecomputeModules& modules = training.recompute.modules;
    require(modules.core_attention && !modules.layer_norm && !modules.mlp_activation && !modules.mlp,
            "training.recompute.modules", "", "the trainer knows core_attn alone");
    require(!training.recompute.distribute_saved_activations, "training.recompute.distribute_saved_activations", "true",
            "the trainer keeps whole inputs");
    require(training.cross_entropy == model::CrossEntropy::in_place, "training.cross_entropy",
            choice_text(training.cross_entropy), "the trainer knows in_place");
    problems_.throw_if_any();
  }

 private:
  void require(bool condition, const std::string& key, std::string_view value, const std::string& message) {
    if (condition) return;
    const Setting* given = settings_.find(key);
    problems_.add({given != nullptr ? given->origin : Origin{}, key, std::string(value), message});
  }

  const Settings& settings_;
  const model::Scenario& scenario_;
  Problems problems_;
};

void check_options(const TrainOptions& options, const model::Scenario& scenario, Problems& problems) {
  const LearningRate rate = options.learning_rate_schedule();
  const auto reject = [&](const char* name, const std::string& value, const std::string& message) {
    problems.add({{"command line", 0, name}, "", value, message});
  };
  if (rate.minimum > rate.maximum) {
    reject("--min-lr", std::to_string(rate.minimum), "must not exceed --lr = " + std::to_string(rate.maximum));
  }
  if (rate.warmup_iterations > rate.decay_iterations) {
    reject("--lr-warmup-iters", std::to_string(rate.warmup_iterations),
           "must not exceed the " + std::to_string(rate.decay_iterations) + " iterations of the decay");
  }
  if (options.train_samples > 0 && options.train_samples < scenario.training.global_batch_size) {
    reject("--train-samples", std::to_string(options.train_samples),
           "must be at least the global batch of " + std::to_string(scenario.training.global_batch_size));
  }
  problems.throw_if_any();
}

}  // namespace

Job make_job(TrainOptions& options, std::int64_t ranks, bool gpu, Problems problems) {
  Settings settings = cli::collect_settings(options.scenario, problems);
  complete(settings, ranks, gpu);
  Job job;
  job.scenario = cli::resolve_all(settings, problems);
  Limits{settings, job.scenario}.check(ranks);
  check_options(options, job.scenario, problems);
  if (options.train_samples > 0) options.train_iters = options.train_samples / job.scenario.training.global_batch_size;
  job.stages = model::layout(job.scenario.model, job.scenario.parallelism, job.scenario.stack);
  job.operators = model::list_operators(job.scenario);
  job.predicted = memory::predict_memory(job.scenario, job.stages, job.operators);
  return job;
}

std::string does_not_fit(const Job& job, std::int64_t ranks_here, Bytes available) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const memory::StageMemory& worst = job.predicted.worst();
  const double needed = static_cast<double>(ranks_here) * worst.peak_allocated.as_double();
  if (needed <= available.as_double()) return "";
  char text[256];
  std::snprintf(
      text, sizeof text,
      "DOES NOT FIT: %lld ranks of up to %.2f GiB (stage %lld, %.*s) need %.2f GiB, and %.2f GiB are available",
      static_cast<long long>(ranks_here), worst.peak_allocated.as_double() / kGiB, static_cast<long long>(worst.stage),
      static_cast<int>(worst.peak_moment.size()), worst.peak_moment.data(), needed / kGiB,
      available.as_double() / kGiB);
  return text;
}

}  // namespace shardsim::kernels

// Random plans of every stack, model and cluster, written as a script and read again.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "sim/input/emit/emit.hpp"
#include "sim/input/resolve.hpp"
#include "sim/plan/search.hpp"
#include "tests/input/emit/read_script.hpp"

namespace shardsim::tests {
namespace {

using input::Framework;
using model::Scenario;

/// xorshift64* (Vigna 2016): the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}
  std::size_t below(std::size_t count) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::size_t>((state_ * 2685821657736338717ULL) >> 33) % count;
  }
  template <class List>
  auto of(const List& list) -> typename List::value_type {
    return list[below(list.size())];
  }
  bool coin() { return below(2) == 1; }

 private:
  std::uint64_t state_;
};

std::string random_preset(Random& random, const std::string& kind) {
  std::vector<std::string> names;
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == kind) names.push_back(preset.name);
  }
  return random.of(names);
}

struct Plan {
  std::string stack;
  std::string cluster;
  Scenario scenario;
};

bool has(const Scenario& scenario, model::DType format) {
  return scenario.cluster.device.gemm[static_cast<std::size_t>(format)].peak.value() > 0.0;
}

/// Everything beside the degrees that a user may have chosen.
void choose_rest(Random& random, Scenario& scenario) {
  model::Training& training = scenario.training;
  model::Overlap& overlap = scenario.parallelism.overlap;
  overlap = {random.coin(), random.coin(), random.coin(), random.coin()};
  training.gradient_dtype = random.coin() ? model::DType::fp32 : training.precision;
  if (training.gradient_dtype == model::DType::fp8) training.gradient_dtype = model::DType::bf16;
  training.attention_kernel = random.coin() ? model::AttentionKernel::flash : model::AttentionKernel::unfused;
  training.cross_entropy = random.of(std::vector{model::CrossEntropy::unfused, model::CrossEntropy::fused_native,
                                                 model::CrossEntropy::fused_te, model::CrossEntropy::in_place});
  training.optimizer = random.of(std::vector{model::OptimizerKind::adam, model::OptimizerKind::adam,
                                             model::OptimizerKind::sgd, model::OptimizerKind::lamb});
  if (random.below(5) == 0) training.offload = model::Offload::optimizer;
  if (random.below(5) == 0) scenario.parallelism.rank_order = model::RankOrder::tp_cp_pp_dp;
  if (random.below(5) == 0) scenario.stack.fusion.bias_activation = false;
  if (random.below(5) == 0) scenario.stack.fusion.bias_dropout_add = false;
  if (training.recompute.granularity == model::RecomputeGranularity::full && random.coin()) {
    training.recompute.method = model::RecomputeMethod::block;
    training.recompute.num_layers = 2;
  }
}

/// A random valid plan, or nothing where the dice gave none.
std::optional<Plan> random_plan(Random& random) {
  Plan plan{random_preset(random, "stacks"), random_preset(random, "clusters"), {}};
  input::Settings settings = presets_of(random_preset(random, "models"), plan.stack, plan.cluster);
  const std::int64_t gpus = random.of(std::vector<std::int64_t>{1, 2, 8, 12, 16, 64, 192, 512});
  const std::int64_t batch = gpus * random.of(std::vector<std::int64_t>{1, 2, 4, 8, 12});
  settings.set({"cluster.gpus", std::to_string(gpus), {}, {}});
  settings.set({"training.micro_batch_size", "1", {}, {}});
  settings.set({"training.global_batch_size", std::to_string(batch), {}, {}});
  settings.set({"training.precision", "fp16", {}, {}});
  plan.scenario = input::resolve(settings);
  const auto format =
      random.of(std::vector{model::DType::fp16, model::DType::bf16, model::DType::fp8, model::DType::fp32});
  if (has(plan.scenario, format)) plan.scenario.training.precision = format;
  const plan::Space space = plan::whole_space(plan.scenario);
  for (int trial = 0; trial < 300; ++trial) {
    plan::Degrees degrees;
    degrees.tensor_model_parallel_size = random.of(space.tensor_model_parallel_size);
    degrees.pipeline_model_parallel_size = random.of(space.pipeline_model_parallel_size);
    degrees.context_parallel_size = random.of(space.context_parallel_size);
    if (gpus % (degrees.tensor_model_parallel_size * degrees.pipeline_model_parallel_size *
                degrees.context_parallel_size) !=
        0) {
      continue;
    }
    degrees.schedule = random.of(space.schedule);
    degrees.virtual_pipeline_model_parallel_size = random.of(space.virtual_pipeline_model_parallel_size);
    degrees.micro_batch_size = random.of(space.micro_batch_size);
    degrees.recompute_granularity = random.of(space.recompute_granularity);
    degrees.sequence_parallel = random.coin();
    degrees.zero_stage = random.of(space.zero_stage);
    if (plan.stack == "megatron-zero-bubble" && random.coin()) {
      degrees.virtual_pipeline_model_parallel_size = 1;
      degrees.schedule = random.coin() ? model::Schedule::zero_bubble_1p : model::Schedule::zero_bubble_2p;
    }
    const Scenario scenario = plan::with_degrees(plan.scenario, degrees);
    if (!plan::why_impossible(scenario).empty()) continue;
    plan.scenario = scenario;
    choose_rest(random, plan.scenario);
    return plan;
  }
  return {};
}

std::size_t round_trips(Framework framework, std::uint64_t seed, std::size_t plans) {
  Random random{seed};
  std::size_t done = 0;
  std::size_t without_rest = 0;
  while (done < plans) {
    const std::optional<Plan> plan = random_plan(random);
    if (!plan) continue;
    ++done;
    const std::string script = input::emit(framework, plan->scenario, same_prediction);
    const Scenario read = read_script(script, plan->stack, plan->cluster, plan->scenario.gpus);
    EXPECT_TRUE(same_prediction(read, plan->scenario)) << "plan " << done << "\n" << script;
    without_rest += set_lines(script).empty() ? 1U : 0U;
    if (testing::Test::HasFailure()) break;
  }
  return without_rest;
}

TEST(RoundTrip, MegatronFlagsOfRandomPlansReadBackToTheSamePrediction) {
  // Not all flags exist in all generations and not all choices have flags; still many plans must need no comment.
  EXPECT_GE(round_trips(Framework::megatron, 7, 400), 40U);
}

TEST(RoundTrip, MegatronDeepSpeedFlagsOfRandomPlansReadBackToTheSamePrediction) {
  EXPECT_GE(round_trips(Framework::megatron_deepspeed, 11, 200), 10U);
}

}  // namespace
}  // namespace shardsim::tests

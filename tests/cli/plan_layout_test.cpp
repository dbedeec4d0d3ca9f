// What a plan chooses, written as settings and read back: the same verdict and the same prediction.
#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/cli/plan_job.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/input/job.hpp"
#include "sim/input/resolve.hpp"

namespace shardsim::cli {
namespace {

using Random = std::mt19937_64;

template <class Value>
Value one_of(std::initializer_list<Value> values, Random& random) {
  return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
}

input::Settings random_job(Random& random) {
  input::Settings job;
  const auto set = [&job](const char* key, const char* value) { job.set({key, value, {"test", 0, key}, ""}); };
  set("model.preset", one_of({"gpt2-355m", "gpt3-13b", "llama2-7b", "llama3-8b", "mpt-1b", "bert-large"}, random));
  set("cluster.preset", one_of({"a100-dgx", "v100-dgx2h", "h100-dgx"}, random));
  set("stack.preset", one_of({"megatron-core-te", "megatron-lm-2021", "megatron-deepspeed", "megatron-zero-bubble",
                              "nanotron", "pytorch-fsdp", "torchtitan", "aleph-alpha-scaling", "nemo"},
                             random));
  set("training.precision", "fp16");
  set("cluster.gpus", one_of({"1", "8", "12", "64"}, random));
  set("training.global_batch_size", one_of({"16", "48", "60", "512"}, random));
  if (random() % 4 == 0) set("parallelism.cp_comm_type", "a2a");
  if (random() % 4 == 0) set("parallelism.num_distributed_optimizer_instances", "2");
  return job;
}

plan::Degrees random_degrees(Random& random) {
  using model::Schedule;
  plan::Degrees degrees;
  degrees.tensor_model_parallel_size = one_of<std::int64_t>({1, 2, 3, 4, 8}, random);
  degrees.pipeline_model_parallel_size = one_of<std::int64_t>({1, 1, 2, 3, 4, 8}, random);
  degrees.context_parallel_size = one_of<std::int64_t>({1, 1, 1, 2, 4}, random);
  degrees.micro_batch_size = one_of<std::int64_t>({1, 1, 2, 3, 8}, random);
  degrees.recompute_granularity = one_of(
      {model::RecomputeGranularity::none, model::RecomputeGranularity::selective, model::RecomputeGranularity::full},
      random);
  // With one tensor-parallel rank it is switched off when read.
  degrees.sequence_parallel = degrees.tensor_model_parallel_size > 1 && random() % 2 == 0;
  degrees.zero_stage = one_of({0, 1, 2, 3}, random);
  degrees.virtual_pipeline_model_parallel_size = one_of<std::int64_t>({1, 1, 2, 3}, random);
  degrees.schedule =
      degrees.virtual_pipeline_model_parallel_size > 1 ? Schedule::interleaved_one_f_one_b : Schedule::one_f_one_b;
  if (random() % 8 == 0) degrees.schedule = one_of({Schedule::zero_bubble_1p, Schedule::breadth_first}, random);
  return degrees;
}

TEST(PlanLayout, IsReadBackAsItWasPlanned) {
  Random random{7};
  int possible = 0;
  int impossible = 0;
  for (int i = 0; i < 6000; ++i) {
    const input::Settings settings = random_job(random);
    model::Scenario base;
    try {
      base = input::resolve_job(settings);
    } catch (const InputError&) {
      continue;  // such as a cluster without fp16
    }
    const plan::Degrees degrees = random_degrees(random);
    const std::int64_t ranks =
        degrees.tensor_model_parallel_size * degrees.pipeline_model_parallel_size * degrees.context_parallel_size;
    const model::Scenario planned = plan::with_degrees(base, degrees);
    const std::string reason = base.gpus % ranks == 0 ? plan::why_impossible(planned) : "GPUs";
    try {
      const plan::Candidate read = resolved(settings, degrees);
      ASSERT_EQ(reason, "") << i << " is refused by the plan only";
      ++possible;
      const engine::Prediction expected = engine::predict(planned);
      ASSERT_EQ(read.prediction.iteration, expected.iteration) << i;
      ASSERT_EQ(read.prediction.memory.worst().device_used, expected.memory.worst().device_used) << i;
      ASSERT_EQ(plan::degrees_of(read.scenario), degrees) << i;
    } catch (const InputError& error) {
      ASSERT_NE(reason, "") << i << " is planned but refused: " << error.what();
      ++impossible;
    }
  }
  EXPECT_GT(possible, 300);
  EXPECT_GT(impossible, 300);
}

}  // namespace
}  // namespace shardsim::cli

// The parameters that ranks declare, and their first values.
#include "sim/model/parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kernels/model/initial_values.hpp"
#include "tests/kernels/model/tiny_model.hpp"

namespace shardsim::test {
namespace {

using kernels::initial_values;

std::vector<Parameter> declared(const model::Scenario& scenario, std::int64_t stage, int tensor_rank) {
  const std::vector<model::Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  return kernels::declare_parameters(scenario, stages[static_cast<std::size_t>(stage)], stage, tensor_rank);
}

std::vector<model::Scenario> models() {
  return {tiny_gpt(), tiny_bert(model::NormPlacement::pre), tiny_bert(model::NormPlacement::post)};
}

TEST(DeclaredParameters, AreAsManyAsTheModelCounts) {
  for (model::Scenario scenario : models()) {
    scenario.model.num_layers = 8;
    scenario.parallelism.tensor_model_parallel_size = 2;
    scenario.parallelism.pipeline_model_parallel_size = 2;
    scenario.parallelism.virtual_pipeline_model_parallel_size = 2;
    scenario.parallelism.sequence_parallel = true;
    const std::vector<model::Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
    for (std::int64_t stage = 0; stage < 2; ++stage) {
      std::int64_t elements = 0;
      std::int64_t summed = 0;
      for (const Parameter& parameter : declared(scenario, stage, 1)) {
        elements += parameter.value.elements();
        if (parameter.sum_gradient_over_tensor_group) summed += parameter.value.elements();
      }
      const model::Stage& holder = stages[static_cast<std::size_t>(stage)];
      EXPECT_EQ(elements, rank_parameters(scenario, holder));
      EXPECT_EQ(summed, sequence_parallel_parameters(scenario, holder));
    }
  }
}

// 8 layers on 2 stages of 2 chunks: piece c·2 + i holds layers 2·(c·2 + i) and the next.
TEST(DeclaredParameters, AreNamedByGlobalLayer) {
  model::Scenario scenario = tiny_gpt();
  scenario.model.num_layers = 8;
  scenario.parallelism.pipeline_model_parallel_size = 2;
  scenario.parallelism.virtual_pipeline_model_parallel_size = 2;
  std::vector<std::string> names;
  for (const Parameter& parameter : declared(scenario, 1, 0)) {
    if (parameter.name.find("linear_qkv.weight") != std::string::npos) names.push_back(parameter.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"decoder.layers.2.self_attention.linear_qkv.weight",
                                             "decoder.layers.3.self_attention.linear_qkv.weight",
                                             "decoder.layers.6.self_attention.linear_qkv.weight",
                                             "decoder.layers.7.self_attention.linear_qkv.weight"}));
}

// Every element of the model counts once in the norm of the gradient.
TEST(DeclaredParameters, CountOnceInTheNorm) {
  for (model::Scenario scenario : models()) {
    scenario.parallelism.tensor_model_parallel_size = 2;
    scenario.parallelism.pipeline_model_parallel_size = 2;
    std::int64_t counted = 0;
    for (std::int64_t stage = 0; stage < 2; ++stage) {
      for (const int tensor_rank : {0, 1}) {
        for (const Parameter& parameter : declared(scenario, stage, tensor_rank)) {
          if (parameter.counts_in_norm) counted += parameter.value.elements();
        }
      }
    }
    EXPECT_EQ(counted, total_parameters(scenario));
  }
}

TEST(InitialValues, DoNotDependOnTheLayout) {
  model::Scenario divided = tiny_bert(model::NormPlacement::pre);
  divided.parallelism.tensor_model_parallel_size = 4;
  std::map<std::string, std::vector<float>> whole;
  for (const Parameter& parameter : declared(tiny_bert(model::NormPlacement::pre), 0, 0)) {
    whole[parameter.name] = initial_values(parameter, 5);
  }
  for (const int rank : {0, 3}) {
    for (const Parameter& parameter : declared(divided, 0, rank)) {
      if (parameter.rows == 64 && parameter.columns == 16 && rank == 3) continue;  // the vocabulary's padding
      EXPECT_EQ(initial_values(parameter, 5), shard(whole.at(parameter.name), parameter)) << parameter.name;
    }
  }
}

// 64·16 draws: the mean's deviation is σ/32, the variance's σ²·√2/32 (4.4 %); five of each are allowed.
TEST(InitialValues, AreNormal) {
  Parameter parameter;
  parameter.name = "weight";
  parameter.rows = parameter.value.rows = 64;
  parameter.columns = parameter.value.columns = parameter.value.stride = 16;
  parameter.initial = {kernels::Initial::Kind::normal, 0.02};
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : initial_values(parameter, 1)) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / 1024, 0.0, 5 * 0.02 / 32);
  EXPECT_NEAR(squares / 1024 / (0.02 * 0.02), 1.0, 5 * 0.044);
  EXPECT_NE(initial_values(parameter, 1), initial_values(parameter, 2));
}

// Radford et al. (2019), section 2.3: 0.02/√(2·2 layers) = 0.01.
TEST(InitialValues, OfResidualProjectionsAreScaled) {
  for (const Parameter& parameter : declared(tiny_gpt(), 0, 0)) {
    const bool scaled = parameter.name.find("linear_proj.weight") != std::string::npos ||
                        parameter.name.find("linear_fc2.weight") != std::string::npos;
    if (parameter.rows > 1) {
      EXPECT_DOUBLE_EQ(parameter.initial.deviation, scaled ? 0.01 : 0.02) << parameter.name;
    }
    EXPECT_EQ(parameter.weight_decay, parameter.rows > 1) << parameter.name;
  }
}

}  // namespace
}  // namespace shardsim::test

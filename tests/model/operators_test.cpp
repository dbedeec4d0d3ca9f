#include "sim/model/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/model/parameters.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::model {
namespace {

double matrix_flops(const std::vector<Operator>& operators) {
  return std::accumulate(operators.begin(), operators.end(), 0.0,
                         [](double sum, const Operator& op) { return sum + op.flops.value(); });
}

std::int64_t count(const std::vector<Operator>& operators, OperatorKind kind, Group group) {
  return std::count_if(operators.begin(), operators.end(),
                       [&](const Operator& op) { return op.kind == kind && op.group == group; });
}

// With unfused attention nothing is halved: the blocks' FLOPs over all micro batches and tensor-parallel ranks are
// the model's FLOPs.
TEST(Operators, FlopsOfTheListAreTheModels) {
  for (const std::int64_t tp : {1, 4}) {
    Scenario scenario = tests::gpt(6, 1024, 16, 512, 2);
    tests::divide(scenario, tp, 1, 1, 3);
    const OperatorList list = list_operators(scenario);
    double flops = 0;
    for (const auto* block : {&list.embedding, &list.head}) {
      flops += matrix_flops(block->forward) + matrix_flops(block->backward);
    }
    flops += 6 * (matrix_flops(list.layer.forward) + matrix_flops(list.layer.backward));
    EXPECT_NEAR(flops * 3.0 * static_cast<double>(tp) / iteration_flops(scenario).model.value(), 1.0, 1e-12);
  }
}

// Shoeybi et al. (2019), figure 4: two all-reduces forward and two backward per layer; recomputation repeats the
// forward's two.
TEST(Operators, TensorParallelAllReducesPerLayer) {
  Scenario scenario = tests::gpt(2, 1024, 16, 512, 2);
  tests::divide(scenario, 4, 1, 1, 1);
  scenario.training.recompute.granularity = RecomputeGranularity::full;
  const OperatorList list = list_operators(scenario);
  EXPECT_EQ(count(list.layer.forward, OperatorKind::all_reduce, Group::tensor), 2);
  EXPECT_EQ(count(list.layer.backward, OperatorKind::all_reduce, Group::tensor), 2);
  EXPECT_EQ(count(list.recomputed_layer.backward, OperatorKind::all_reduce, Group::tensor), 4);
  for (const Operator& op : list.layer.forward) {
    if (op.kind != OperatorKind::all_reduce) continue;
    EXPECT_EQ(op.bytes, Bytes{2 * 512 * 1024 * 2});  // b·s·h, fp16
  }
}

// Korthikanti et al. (2022), section 4.2.2: all-gather before and reduce-scatter after each block in both passes, and
// one more all-gather per block backward, for the input that was kept sharded.
TEST(Operators, SequenceParallelCollectivesPerLayer) {
  Scenario scenario = tests::gpt(2, 1024, 16, 512, 2);
  tests::divide(scenario, 4, 1, 1, 1);
  scenario.parallelism.sequence_parallel = true;
  const Block layer = list_operators(scenario).layer;
  EXPECT_EQ(count(layer.forward, OperatorKind::all_gather, Group::tensor), 2);
  EXPECT_EQ(count(layer.forward, OperatorKind::reduce_scatter, Group::tensor), 2);
  EXPECT_EQ(count(layer.backward, OperatorKind::all_gather, Group::tensor), 4);
  EXPECT_EQ(count(layer.backward, OperatorKind::reduce_scatter, Group::tensor), 2);
  EXPECT_EQ(count(layer.backward, OperatorKind::all_reduce, Group::tensor), 0);
}

// Dao (2023): causal halves the score and context products; the backward runs five products for the forward's two.
TEST(Operators, FusedAttentionFlops) {
  Scenario scenario = tests::gpt(2, 1024, 16, 512, 2);
  scenario.training.attention_kernel = AttentionKernel::flash;
  const auto attention_flops = [](const std::vector<Operator>& operators) {
    double sum = 0;
    for (const Operator& op : operators) sum += op.kind == OperatorKind::attention ? op.flops.value() : 0.0;
    return sum;
  };
  const Block causal = list_operators(scenario).layer;
  EXPECT_DOUBLE_EQ(attention_flops(causal.forward), 2.0 * 512 * 512 * 1024 * 2);  // ½ · 4·s²·h·b
  EXPECT_DOUBLE_EQ(attention_flops(causal.backward), 2.5 * attention_flops(causal.forward));
  scenario.model.attention_mask = AttentionMask::bidirectional;
  EXPECT_DOUBLE_EQ(attention_flops(list_operators(scenario).layer.forward), 2.0 * attention_flops(causal.forward));
}

// Rajbhandari et al. (2020), section 7: all-reduce of Ψ; stage 1: reduce-scatter and all-gather once; stage 3:
// parameters gathered twice per pass.
TEST(Operators, DataParallelBytesByZeroStage) {
  Scenario scenario = tests::gpt(2, 512, 8, 512, 1);
  tests::divide(scenario, 1, 1, 8, 4);
  const Stage stage = layout(scenario.model, scenario.parallelism, scenario.stack).front();
  const Bytes psi{2 * rank_parameters(scenario, stage)};
  const auto bytes = [&](OperatorKind kind, int zero_stage) {
    scenario.parallelism.zero_stage = zero_stage;
    Bytes sum{0};
    for (const Operator& op : step_operators(scenario, stage)) {
      if (op.kind == kind && op.group == Group::data) sum += op.bytes;
    }
    return sum;
  };
  EXPECT_EQ(bytes(OperatorKind::all_reduce, 0), psi);
  EXPECT_EQ(bytes(OperatorKind::reduce_scatter, 1), psi);
  EXPECT_EQ(bytes(OperatorKind::all_gather, 1), psi);
  EXPECT_EQ(bytes(OperatorKind::reduce_scatter, 2), 4 * psi);
  EXPECT_EQ(bytes(OperatorKind::all_gather, 3), 8 * psi);
}

TEST(Operators, OneGpuCommunicatesNothing) {
  const Scenario scenario = tests::gpt(2, 512, 8, 512, 1);
  const OperatorList list = list_operators(scenario);
  const Stage stage = layout(scenario.model, scenario.parallelism, scenario.stack).front();
  for (const auto& operators : {list.embedding.forward, list.layer.forward, list.layer.backward, list.head.forward,
                                list.head.backward, step_operators(scenario, stage), list.pipeline_send}) {
    for (const Operator& op : operators) EXPECT_FALSE(is_communication(op.kind)) << op.name;
  }
}

}  // namespace
}  // namespace shardsim::model

#include "sim/engine/block_time.hpp"

#include <gtest/gtest.h>

namespace shardsim::engine {
namespace {

using model::DType;
using model::Group;
using model::Operator;
using model::OperatorKind;
using model::Pass;
using model::Scenario;

/// 1 FLOP = 1 s, 1 byte of memory = 1 s, 1 byte in an all-gather over TP2 = 1 s (half of it crosses, at 0.5 B/s).
Scenario unit_scenario() {
  Scenario scenario;
  hardware::Device& device = scenario.cluster.device;
  device.memory_bandwidth = BytesPerSecond{1.0};
  device.gemm[static_cast<std::size_t>(DType::bf16)] = {FlopsPerSecond{1.0}, 1.0, 0, 0, 0, 0, 0, 1.0};
  device.attention = {1.0, 1.0, 0.0};
  device.memory_bound = {1.0, 1.0, 1.0, 1.0};
  scenario.cluster.gpus_per_node = 8;
  scenario.cluster.intra_node = {BytesPerSecond{0.5}, 1.0, Seconds{0.0}, Seconds{0.0}};
  scenario.parallelism.tensor_model_parallel_size = 2;
  return scenario;
}

Operator matrix(Pass pass, double seconds, OperatorKind kind = OperatorKind::gemm) {
  Operator op;
  op.kind = kind;
  op.pass = pass;
  op.shape = {8, 8, 8, 1};
  op.flops = Flops{seconds};
  return op;
}

Operator memory_work(Pass pass, std::int64_t seconds) {
  Operator op;
  op.pass = pass;
  op.bytes = Bytes{seconds};
  return op;
}

Operator gather(Pass pass, std::int64_t seconds, bool overlapped, OperatorKind kind = OperatorKind::all_gather) {
  Operator op;
  op.kind = kind;
  op.pass = pass;
  op.group = Group::tensor;
  op.bytes = Bytes{seconds};
  op.overlapped = overlapped;
  return op;
}

PassTime timed(const Scenario& scenario, const std::vector<Operator>& operators) {
  return pass_time(scenario, cost::Pricer{scenario}, operators);
}

TEST(ExposedTime, HidesUpToTheComputeAndSlowsIt) {
  EXPECT_DOUBLE_EQ(exposed_time(Seconds{3}, Seconds{5}, 1.0).value(), 0.0);
  EXPECT_DOUBLE_EQ(exposed_time(Seconds{7}, Seconds{5}, 1.0).value(), 2.0);
  EXPECT_DOUBLE_EQ(exposed_time(Seconds{3}, Seconds{5}, 1.25).value(), 0.75);
  EXPECT_DOUBLE_EQ(exposed_time(Seconds{7}, Seconds{4}, 1.25).value(), 4.0);
}

TEST(BlockTime, TermsByKindAndPass) {
  const PassTime pass =
      timed(unit_scenario(), {matrix(Pass::recompute, 1), matrix(Pass::input_gradient, 2),
                              matrix(Pass::weight_gradient, 4), matrix(Pass::backward, 8, OperatorKind::attention),
                              memory_work(Pass::backward, 16), memory_work(Pass::recompute, 32)});
  EXPECT_DOUBLE_EQ(pass.terms[Term::recompute].value(), 33.0);
  EXPECT_DOUBLE_EQ(pass.terms[Term::matrix_multiply].value(), 6.0);
  EXPECT_DOUBLE_EQ(pass.terms[Term::attention].value(), 8.0);
  EXPECT_DOUBLE_EQ(pass.terms[Term::memory_bound].value(), 16.0);
  EXPECT_DOUBLE_EQ(pass.weight_gradient.value(), 4.0);
  EXPECT_DOUBLE_EQ(pass.total.value(), 63.0);
}

TEST(BlockTime, CommunicationAfterComputeIsExposed) {
  const PassTime pass = timed(unit_scenario(), {gather(Pass::forward, 3, false), matrix(Pass::forward, 5)});
  EXPECT_DOUBLE_EQ(pass.terms[Term::tensor_parallel_exposed].value(), 3.0);
  EXPECT_DOUBLE_EQ(pass.total.value(), 8.0);
  const Communication& tensor = pass.communication[cost::index_of(Group::tensor)];
  EXPECT_DOUBLE_EQ(tensor.total.value(), 3.0);
  EXPECT_DOUBLE_EQ(tensor.exposed.value(), 3.0);
  EXPECT_EQ(tensor.bytes, Bytes{3});
}

// A gather of 7 s before a product of 5 s: 2 s stay. The product is then used up: a second gather of 1 s stays whole.
TEST(BlockTime, OverlappedGatherHidesBehindTheNextProduct) {
  const Scenario scenario = unit_scenario();
  EXPECT_DOUBLE_EQ(timed(scenario, {gather(Pass::forward, 7, true), matrix(Pass::forward, 5)})
                       .terms[Term::tensor_parallel_exposed]
                       .value(),
                   2.0);
  EXPECT_DOUBLE_EQ(
      timed(scenario, {gather(Pass::forward, 7, true), gather(Pass::forward, 1, true), matrix(Pass::forward, 5)})
          .terms[Term::tensor_parallel_exposed]
          .value(),
      3.0);
}

// Forward results are reduced beside the product that makes them (5 s before), not beside the next one.
TEST(BlockTime, OverlappedForwardReductionHidesBehindItsOwnProduct) {
  const PassTime pass =
      timed(unit_scenario(), {matrix(Pass::forward, 5), gather(Pass::forward, 7, true, OperatorKind::reduce_scatter),
                              matrix(Pass::forward, 100)});
  EXPECT_DOUBLE_EQ(pass.terms[Term::tensor_parallel_exposed].value(), 2.0);
}

// In the backward pass a reduction runs beside the weight gradient that follows it.
TEST(BlockTime, OverlappedBackwardReductionHidesBehindTheNextProduct) {
  const PassTime pass = timed(unit_scenario(), {matrix(Pass::input_gradient, 100),
                                                gather(Pass::backward, 7, true, OperatorKind::reduce_scatter),
                                                matrix(Pass::weight_gradient, 5)});
  EXPECT_DOUBLE_EQ(pass.terms[Term::tensor_parallel_exposed].value(), 2.0);
}

TEST(BlockTime, NothingToHideBehindExposesAll) {
  EXPECT_DOUBLE_EQ(timed(unit_scenario(), {gather(Pass::forward, 7, true), memory_work(Pass::forward, 9)})
                       .terms[Term::tensor_parallel_exposed]
                       .value(),
                   7.0);
}

// Device 2 + 3 s; two launches of 4 s each: the device waits 3 s. At 1 s a launch it never waits.
TEST(BlockTime, HostWait) {
  Scenario scenario = unit_scenario();
  scenario.stack.host.per_launch = Seconds{4.0};
  const PassTime late = timed(scenario, {matrix(Pass::forward, 2), memory_work(Pass::forward, 3)});
  EXPECT_DOUBLE_EQ(late.terms[Term::host_wait].value(), 3.0);
  EXPECT_DOUBLE_EQ(late.total.value(), 8.0);
  scenario.stack.host.per_launch = Seconds{1.0};
  EXPECT_DOUBLE_EQ(
      timed(scenario, {matrix(Pass::forward, 2), memory_work(Pass::forward, 3)}).terms[Term::host_wait].value(), 0.0);
}

}  // namespace
}  // namespace shardsim::engine

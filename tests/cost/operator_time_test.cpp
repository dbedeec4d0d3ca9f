#include "sim/cost/operator_time.hpp"

#include <gtest/gtest.h>

namespace shardsim::cost {
namespace {

using model::DType;
using model::Group;
using model::Operator;
using model::OperatorKind;
using model::Scenario;

Scenario scenario() {
  Scenario scenario;
  hardware::Device& device = scenario.cluster.device;
  device.memory_bandwidth = BytesPerSecond{1e9};
  device.gemm[static_cast<std::size_t>(DType::bf16)] = {FlopsPerSecond{1e12}, 0.5, 0, 0, 0, 0, 0, 1.0};
  device.attention = {0.25, 0.125, 0.0};
  device.memory_bound = {0.5, 0.5, 0.5, 0.5};
  scenario.cluster.gpus_per_node = 8;
  scenario.cluster.intra_node = {BytesPerSecond{1e9}, 1.0, Seconds{0.0}, Seconds{0.0}};
  scenario.stack.memory_bound_slowdown = 2.0;
  scenario.parallelism.tensor_model_parallel_size = 4;
  return scenario;
}

Operator op_of(OperatorKind kind) {
  Operator op;
  op.kind = kind;
  op.shape = {8, 8, 8, 1};
  op.bytes = Bytes{1'000'000};
  return op;
}

TEST(OperatorTime, EachKindGoesToItsEquation) {
  const Scenario it = scenario();
  const Pricer pricer{it};
  Operator gemm = op_of(OperatorKind::gemm);
  gemm.flops = Flops{1e9};
  EXPECT_DOUBLE_EQ(pricer.time(gemm).value(), 2e-3);  // 1e9 / 0.5e12
  gemm.kind = OperatorKind::attention;
  EXPECT_DOUBLE_EQ(pricer.time(gemm).value(), 4e-3);                              // 1e9 / 0.25e12
  EXPECT_DOUBLE_EQ(pricer.time(op_of(OperatorKind::elementwise)).value(), 4e-3);  // 1e6 / 0.5e9 · 2
  Operator reduce = op_of(OperatorKind::all_reduce);
  reduce.group = Group::tensor;
  EXPECT_DOUBLE_EQ(pricer.time(reduce).value(), 1.5e-3);  // 2·3/4 · 1e6 / 1e9
  reduce.group = Group::data;                             // one rank
  EXPECT_EQ(pricer.time(reduce).value(), 0.0);
}

// Messages of one operator start one after the other: 4 latencies of 1 ms and 1e6 B at 1e9 B/s.
TEST(OperatorTime, EveryMessageHasItsLatency) {
  Scenario it = scenario();
  it.cluster.intra_node.base_latency = Seconds{1e-3};
  Operator ring = op_of(OperatorKind::send_recv);
  ring.group = Group::tensor;
  ring.launches = 4;
  EXPECT_DOUBLE_EQ(Pricer{it}.time(ring).value(), 5e-3);
}

// 1 ms on two nodes is 2 ms on four; 1 B takes no time.
TEST(OperatorTime, StartUpBetweenNodesGrowsWithTheNodes) {
  Scenario it = scenario();
  it.stack.host.start_between_nodes = Seconds{1e-3};
  it.cluster.inter_node = {BytesPerSecond{1e30}, 1.0, Seconds{0.0}, Seconds{0.0}};
  it.cluster.intra_node.bandwidth = BytesPerSecond{1e30};
  Operator reduce = op_of(OperatorKind::all_reduce);
  reduce.group = Group::tensor;
  reduce.bytes = Bytes{1};
  for (const auto& [ranks, seconds] : {std::pair{8, 0.0}, {16, 1e-3}, {24, 1.5e-3}, {32, 2e-3}}) {
    it.parallelism.tensor_model_parallel_size = ranks;
    EXPECT_NEAR(Pricer{it}.time(reduce).value(), seconds, 1e-12) << ranks;
  }
}

// 16 ranks on 2 nodes, state sharded inside a node: gathers see the fast links, 7/8 · 1e6 / 1e9; the all-reduce
// between the two nodes sees 1 NIC of 1e8 B/s, 2·1/2 · 1e6 / (1e8/8).
TEST(OperatorTime, HybridShardGathersInsideTheNode) {
  Scenario it = scenario();
  it.parallelism.tensor_model_parallel_size = 1;
  it.parallelism.data_parallel_size = 16;
  it.parallelism.zero_stage = 1;
  it.parallelism.num_distributed_optimizer_instances = 2;
  it.cluster.inter_node = {BytesPerSecond{1e8}, 1.0, Seconds{0.0}, Seconds{0.0}};
  Operator op = op_of(OperatorKind::all_gather);
  op.group = Group::data;
  EXPECT_DOUBLE_EQ(Pricer{it}.time(op).value(), 0.875e-3);
  op.kind = OperatorKind::all_reduce;
  EXPECT_DOUBLE_EQ(Pricer{it}.time(op).value(), 80e-3);
}

}  // namespace
}  // namespace shardsim::cost

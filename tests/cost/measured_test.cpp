// Devices and clusters that were measured point by point.
#include <gtest/gtest.h>

#include "sim/cost/gemm.hpp"
#include "sim/cost/measured_kernel.hpp"
#include "sim/cost/operator_time.hpp"

namespace shardsim::cost {
namespace {

using hardware::Collective;
using hardware::CollectivePoint;
using hardware::Kernel;
using model::OperatorKind;

const std::vector<hardware::MeasuredKernel> kKernels = {{Kernel::gelu, Bytes{1000}, BytesPerSecond{8e9}},
                                                        {Kernel::gelu, Bytes{100'000}, BytesPerSecond{4e9}},
                                                        {Kernel::adam, Bytes{1000}, BytesPerSecond{1e9}}};

// In logarithms 10,000 lies half way from 1,000 to 100,000.
TEST(MeasuredKernels, BandwidthIsInterpolatedInTheLogarithmOfTheSize) {
  EXPECT_DOUBLE_EQ(measured_bandwidth(kKernels, Kernel::gelu, Bytes{10'000}).value(), 6e9);
  EXPECT_EQ(measured_bandwidth(kKernels, Kernel::gelu, Bytes{10}).value(), 8e9);
  EXPECT_EQ(measured_bandwidth(kKernels, Kernel::gelu, Bytes{1'000'000}).value(), 4e9);
  EXPECT_EQ(measured_bandwidth(kKernels, Kernel::adam, Bytes{1'000'000}).value(), 1e9);
  EXPECT_EQ(measured_bandwidth(kKernels, Kernel::fill, Bytes{1000}).value(), 0.0);
}

TEST(MeasuredKernels, OperatorsKnowTheirKernels) {
  model::Model model;
  model::Operator op;
  op.kind = OperatorKind::softmax;
  model.attention_mask = model::AttentionMask::causal;
  EXPECT_EQ(kernel_of(op, model), Kernel::causal_softmax);
  model.attention_mask = model::AttentionMask::bidirectional;
  op.pass = model::Pass::backward;
  EXPECT_EQ(kernel_of(op, model), Kernel::softmax_backward);
  op.kind = OperatorKind::elementwise;
  op.name = "mlp_bda";
  model.hidden_dropout = 0.1;
  EXPECT_EQ(kernel_of(op, model), Kernel::dropout_add_backward);
  model.hidden_dropout = 0.0;
  EXPECT_EQ(kernel_of(op, model), Kernel::bias_gradient);
  op.kind = OperatorKind::gemm;
  EXPECT_FALSE(kernel_of(op, model).has_value());
}

const std::vector<CollectivePoint> kPoints = {
    {Collective::all_reduce, 2, 1, Bytes{100}, Seconds{1e-6}},
    {Collective::all_reduce, 2, 1, Bytes{10'000}, Seconds{1e-4}},
};

// In logarithms 1,000 bytes lie half way: √(1e-6 · 1e-4) = 1e-5 s.
TEST(CollectivePoints, TimesAreInterpolatedInLogarithms) {
  EXPECT_NEAR(interpolated_time(kPoints, Bytes{1000}).value(), 1e-5, 1e-12);
  EXPECT_EQ(interpolated_time(kPoints, Bytes{1}).value(), 1e-6);
  EXPECT_DOUBLE_EQ(interpolated_time(kPoints, Bytes{100'000}).value(), 1e-3);
}

hardware::Cluster cluster() {
  hardware::Cluster cluster;
  cluster.gpus_per_node = 4;
  cluster.intra_node = {BytesPerSecond{1e9}, 1.0, Seconds{0.0}, Seconds{0.0}};
  cluster.collective_points = kPoints;
  cluster.collective_points.push_back({Collective::send_recv, 2, 1, Bytes{1000}, Seconds{5e-6}});
  cluster.collective_points.push_back({Collective::started_all_reduce, 2, 1, Bytes{1000}, Seconds{7e-6}});
  return cluster;
}

TEST(CollectivePoints, BelongToGroupsOfTheirSize) {
  const GroupPath two = group_path(cluster(), {2, 2, 1});
  EXPECT_NEAR(collective_time(two, OperatorKind::all_reduce, Bytes{1000}).value(), 1e-5, 1e-12);
  // Four ranks were not measured: 2·3/4·1000/1e9 by the ring.
  const GroupPath four = group_path(cluster(), {4, 4, 1});
  EXPECT_DOUBLE_EQ(collective_time(four, OperatorKind::all_reduce, Bytes{1000}).value(), 1.5e-6);
  // A send has two ends in a group of any size.
  EXPECT_EQ(collective_time(four, OperatorKind::send_recv, Bytes{1000}).value(), 5e-6);
}

TEST(CollectivePoints, StartedReductionsAreThoseBesideCompute) {
  model::Scenario scenario;
  scenario.cluster = cluster();
  scenario.parallelism.data_parallel_size = 2;
  scenario.gpus = 2;
  const Pricer pricer{scenario};
  model::Operator op;
  op.kind = OperatorKind::all_reduce;
  op.group = model::Group::data;
  EXPECT_NEAR(pricer.communication_time(op, Bytes{1000}).value(), 1e-5, 1e-12);
  op.overlapped = true;
  EXPECT_EQ(pricer.communication_time(op, Bytes{1000}).value(), 7e-6);
}

// 1e6 FLOP at half of 1e9 FLOP/s; the rows of a batch do not fill the device together: m/(m + 8) = ½.
TEST(BatchedProducts, HaveAProfileOfTheirOwn) {
  hardware::Device device;
  device.memory_bandwidth = BytesPerSecond{1e12};
  device.gemm[static_cast<std::size_t>(model::DType::fp32)] = {FlopsPerSecond{1e9}, 1.0};
  const auto time = [&] {
    return batched_gemm_time(device, model::DType::fp32, model::Pass::forward, {8, 8, 8, 100}, Flops{1e6}, Bytes{0})
        .value();
  };
  EXPECT_DOUBLE_EQ(time(), 1e-3);
  device.batched_gemm = {FlopsPerSecond{1e9}, 1.0, 8.0};
  EXPECT_DOUBLE_EQ(time(), 2e-3);
}

// Four devices of a node together take twice as long as one; the profile holds the full node. Two are a third of the
// way from one to four: (1 + 1/3)/2.
TEST(FullNode, FewerDevicesAreFaster) {
  model::Scenario scenario;
  hardware::Device& device = scenario.cluster.device;
  scenario.cluster.gpus_per_node = 4;
  device.memory_bandwidth = BytesPerSecond{1e12};
  device.gemm[static_cast<std::size_t>(model::DType::fp32)] = {FlopsPerSecond{1e9}, 1.0};
  device.matrix_full_node_slowdown = 2.0;
  model::Operator op;
  op.kind = OperatorKind::gemm;
  op.dtype = model::DType::fp32;
  op.shape = {8, 8, 8, 1};
  op.flops = Flops{1e6};
  const auto time = [&](std::int64_t gpus) {
    scenario.gpus = gpus;
    return Pricer{scenario}.time(op).value();
  };
  EXPECT_DOUBLE_EQ(time(8), 1e-3);
  EXPECT_DOUBLE_EQ(time(4), 1e-3);
  EXPECT_DOUBLE_EQ(time(2), 2e-3 / 3.0);
  EXPECT_DOUBLE_EQ(time(1), 5e-4);
}

}  // namespace
}  // namespace shardsim::cost

#include "sim/cost/collective.hpp"

#include <gtest/gtest.h>

namespace shardsim::cost {
namespace {

using hardware::Cluster;
using model::GroupPlacement;
using model::OperatorKind;

/// DGX-2H in round numbers: 16 GPUs of 100 GB/s at 80 %, 8 NICs of 10 GB/s at 50 %; latencies 10/1 us and 20/5 us.
Cluster cluster() {
  Cluster cluster;
  cluster.gpus_per_node = 16;
  cluster.intra_node = {BytesPerSecond{100e9}, 0.8, Seconds{10e-6}, Seconds{1e-6}};
  cluster.nics_per_node = 8;
  cluster.inter_node = {BytesPerSecond{10e9}, 0.5, Seconds{20e-6}, Seconds{5e-6}};
  return cluster;
}

constexpr Bytes kGigabyte{1'000'000'000};

TEST(Collective, PathInsideANode) {
  const GroupPath path = group_path(cluster(), {8, 8, 1});
  EXPECT_DOUBLE_EQ(path.bandwidth.value(), 80e9);
  EXPECT_DOUBLE_EQ(path.base_latency.value(), 10e-6);
  EXPECT_EQ(path.sharp_efficiency, 0.0);
}

// Two ranks a node: 2 · 8 NICs · 10 GB/s / 16 GPUs · 0.5 = 5 GB/s; all 16: 40 GB/s.
TEST(Collective, SiblingGroupsShareTheNics) {
  EXPECT_DOUBLE_EQ(group_path(cluster(), {128, 2, 64}).bandwidth.value(), 5e9);
  EXPECT_DOUBLE_EQ(group_path(cluster(), {32, 16, 2}).bandwidth.value(), 40e9);
  Cluster fast = cluster();
  fast.inter_node.bandwidth = BytesPerSecond{100e9};  // 16 ranks could have 400 GB/s: the links inside limit to 80
  EXPECT_DOUBLE_EQ(group_path(fast, {32, 16, 2}).bandwidth.value(), 80e9);
}

// Points at 2 and 8 nodes: 4 nodes lie half way in log(nodes).
TEST(Collective, ScaleWithNodes) {
  Cluster scaled = cluster();
  EXPECT_EQ(inter_node_scale(scaled, 4), 1.0);
  scaled.inter_node_scaling = {{2, 1.0}, {8, 0.5}};
  EXPECT_DOUBLE_EQ(inter_node_scale(scaled, 2), 1.0);
  EXPECT_DOUBLE_EQ(inter_node_scale(scaled, 4), 0.75);
  EXPECT_DOUBLE_EQ(inter_node_scale(scaled, 8), 0.5);
  EXPECT_DOUBLE_EQ(inter_node_scale(scaled, 64), 0.5);
  EXPECT_DOUBLE_EQ(group_path(scaled, {8, 2, 4}).bandwidth.value(), 3.75e9);
}

// 4 nodes of 2 ranks: all-reduce 2·7 = 14 steps, 2·3 of them between nodes: 20 + 8·1 + 6·5 = 58 us.
TEST(Collective, RingLatency) {
  const GroupPath path = group_path(cluster(), {8, 2, 4});
  EXPECT_DOUBLE_EQ(ring_latency(path, 2).value(), 58e-6);
  EXPECT_DOUBLE_EQ(ring_latency(path, 1).value(), 39e-6);  // 20 + 4·1 + 3·5
}

// 8 ranks in a node, 1 GB at 80 GB/s = 12.5 ms. All-reduce: 10 + 14·1 = 24 us, 2·7/8; one pass: 17 us, 7/8.
TEST(Collective, Ring) {
  const GroupPath path = group_path(cluster(), {8, 8, 1});
  EXPECT_DOUBLE_EQ(ring_all_reduce(path, kGigabyte).value(), 24e-6 + 12.5e-3 * 1.75);
  EXPECT_DOUBLE_EQ(ring_pass(path, kGigabyte).value(), 17e-6 + 12.5e-3 * 0.875);
}

// 4 nodes of 2 ranks: 20 + 2(1·1 + 2·5) = 42 us; 1 GB at 5 GB/s = 200 ms, twice.
TEST(Collective, TreeWinsSmallRingWinsLarge) {
  const GroupPath path = group_path(cluster(), {8, 2, 4});
  EXPECT_DOUBLE_EQ(tree_all_reduce(path, kGigabyte).value(), 42e-6 + 0.4);
  EXPECT_DOUBLE_EQ(all_reduce(path, Bytes{0}).value(), 42e-6);
  EXPECT_DOUBLE_EQ(all_reduce(path, kGigabyte).value(), ring_all_reduce(path, kGigabyte).value());
}

// 8 ranks: 10 + 2·1 us, 9/8 · 12.5 ms against the ring's 14/8; at 60 % efficiency 15/8: the ring wins.
TEST(Collective, SwitchReduction) {
  Cluster hopper = cluster();
  hopper.nvlink_sharp = true;
  EXPECT_DOUBLE_EQ(all_reduce(group_path(hopper, {8, 8, 1}), kGigabyte).value(), 12e-6 + 12.5e-3 * 1.125);
  hopper.nvlink_sharp_efficiency = 0.6;
  EXPECT_DOUBLE_EQ(all_reduce(group_path(hopper, {8, 8, 1}), kGigabyte).value(), 24e-6 + 12.5e-3 * 1.75);
}

// In a node 7/8 of 1 GB at 80 GB/s. 4 nodes of 2: 6/8 GB over 8·10·0.5/16 = 2.5 GB/s of NIC = 0.3 s.
TEST(Collective, AllToAll) {
  EXPECT_DOUBLE_EQ(all_to_all(group_path(cluster(), {8, 8, 1}), kGigabyte).value(), 11e-6 + 12.5e-3 * 0.875);
  EXPECT_DOUBLE_EQ(all_to_all(group_path(cluster(), {8, 2, 4}), kGigabyte).value(), 25e-6 + 0.3);
}

TEST(Collective, SendToANeighbour) {
  EXPECT_DOUBLE_EQ(send_recv(group_path(cluster(), {2, 2, 1}), kGigabyte).value(), 11e-6 + 12.5e-3);
  EXPECT_DOUBLE_EQ(send_recv(group_path(cluster(), {2, 1, 2}), kGigabyte).value(), 25e-6 + 0.4);  // 2.5 GB/s
}

// Only groups of 4 ranks in one node, and only their all-gather. 1 GB: min(5 us + 0.1 s, 20 us + 10 ms); 0 B: 5 us.
TEST(Collective, MeasuredGroupsTakeTheMeasuredTime) {
  Cluster measured = cluster();
  measured.measured_collectives = {{hardware::Collective::all_gather,
                                    4,
                                    1,
                                    {Seconds{5e-6}, BytesPerSecond{10e9}, Seconds{20e-6}, BytesPerSecond{100e9}}}};
  const auto time = [&measured](GroupPlacement placement, OperatorKind kind, Bytes bytes) {
    return collective_time(group_path(measured, placement), kind, bytes).value();
  };
  EXPECT_DOUBLE_EQ(time({4, 4, 1}, OperatorKind::all_gather, kGigabyte), 20e-6 + 10e-3);
  EXPECT_DOUBLE_EQ(time({4, 4, 1}, OperatorKind::all_gather, Bytes{0}), 5e-6);
  EXPECT_DOUBLE_EQ(time({4, 4, 1}, OperatorKind::reduce_scatter, Bytes{0}), 13e-6);  // ring: 10 + 3·1
  EXPECT_DOUBLE_EQ(time({8, 8, 1}, OperatorKind::all_gather, Bytes{0}), 17e-6);
  EXPECT_DOUBLE_EQ(time({4, 2, 2}, OperatorKind::all_gather, Bytes{0}), 27e-6);  // 20 + 2·1 + 1·5
}

TEST(Collective, OneRankTakesNoTime) {
  for (const OperatorKind kind : {OperatorKind::all_reduce, OperatorKind::all_gather, OperatorKind::reduce_scatter,
                                  OperatorKind::all_to_all, OperatorKind::send_recv}) {
    EXPECT_EQ(collective_time(group_path(cluster(), {}), kind, kGigabyte).value(), 0.0);
    EXPECT_GT(collective_time(group_path(cluster(), {2, 2, 1}), kind, kGigabyte).value(), 0.0);
  }
}

}  // namespace
}  // namespace shardsim::cost

#include "sim/plan/flips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/engine/closed_form.hpp"
#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

using plan::Flip;

const Flip* named(const std::vector<Flip>& flips, std::string_view name) {
  const auto found = std::find_if(flips.begin(), flips.end(), [&](const Flip& flip) { return flip.name == name; });
  return found == flips.end() ? nullptr : &*found;
}

Seconds time_with(model::Scenario scenario, std::string_view name, double factor) {
  for (const plan::Constant& constant : plan::constants()) {
    if (constant.name == name) constant.scale(scenario, factor);
  }
  return engine::predict(scenario).iteration;
}

TEST(Flips, AtTheFactorBothPlansTakeTheSameTime) {
  // Tensor parallelism inside the node against pure data parallelism between nodes.
  model::Scenario a = two_nodes_job();
  model::Scenario b = two_nodes_job();
  divide(b, 2, 1, 8, 8);
  if (engine::predict(b).iteration < engine::predict(a).iteration) std::swap(a, b);
  const std::vector<Flip> flips = plan::flips(a, b);
  for (const Flip& flip : flips) {
    EXPECT_NEAR(time_with(a, flip.name, flip.factor) / time_with(b, flip.name, flip.factor), 1.0, 1e-6) << flip.name;
    EXPECT_GE(flip.factor, 1.0 / plan::kWidestFactor);
    EXPECT_LE(flip.factor, plan::kWidestFactor);
  }
  for (std::size_t i = 1; i < flips.size(); ++i) {
    EXPECT_LE(std::abs(std::log(flips[i - 1].factor)), std::abs(std::log(flips[i].factor)));
  }
}

TEST(Flips, NothingWithinTheFactorIsAnAnswer) {
  // The same work; one plan reduces its gradients beside the backward pass, which takes compute a tenth longer
  // where they overlap.
  model::Scenario after = two_nodes_job();
  model::Scenario beside = after;
  beside.parallelism.overlap.grad_reduce = true;
  beside.stack.gradient_bucket = after.stack.gradient_bucket = Bytes{40'000'000};
  beside.cluster.device.communication_slowdown = after.cluster.device.communication_slowdown = 1.1;
  ASSERT_LT(engine::predict(beside).iteration, engine::predict(after).iteration);
  // Hiding H costs a tenth of it: only a slowdown ten times as large would turn the order.
  EXPECT_TRUE(plan::flips(beside, after).empty());
}

TEST(Flips, FindTheConstantThatDecides) {
  model::Scenario a = two_nodes_job();
  model::Scenario b = two_nodes_job();
  divide(b, 2, 1, 8, 8);
  // Data parallelism over slow links against tensor parallelism inside the node: at some bandwidth between the nodes
  // they are equal. Put the cluster just beside that point, by the tool itself, and find it again.
  a.cluster.inter_node.bandwidth = b.cluster.inter_node.bandwidth = BytesPerSecond{25e9};
  double low = 1e8;
  double high = 1e13;
  const auto lead = [&](double bandwidth) {
    a.cluster.inter_node.bandwidth = b.cluster.inter_node.bandwidth = BytesPerSecond{bandwidth};
    return (engine::predict(b).iteration - engine::predict(a).iteration).value();
  };
  ASSERT_LT(lead(low), 0.0);
  ASSERT_GT(lead(high), 0.0);
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (lead(middle) < 0.0 ? low : high) = middle;
  }
  // A quarter above the point data parallelism leads; four fifths of that bandwidth are the point.
  ASSERT_GT(lead(1.25 * high), 0.0);
  const std::vector<Flip> flips = plan::flips(a, b);
  const Flip* bandwidth = named(flips, "inter_node.bandwidth");
  ASSERT_NE(bandwidth, nullptr);
  EXPECT_NEAR(bandwidth->factor, 0.8, 1e-4);
}

TEST(Flips, EveryConstantChangesSomePrediction) {
  model::Scenario scenario = two_nodes_job();
  divide(scenario, 8, 1, 2, 8);
  scenario.parallelism.overlap.grad_reduce = true;
  scenario.stack.gradient_bucket = Bytes{40'000'000};
  scenario.cluster.device.communication_slowdown = 1.1;
  scenario.stack.host.per_launch = Seconds{1e-5};
  scenario.stack.host.per_collective = Seconds{5e-5};
  const Seconds before = engine::predict(scenario).iteration;
  for (const plan::Constant& constant : plan::constants()) {
    EXPECT_NE(time_with(scenario, constant.name, 1.5), before) << constant.name;
    EXPECT_EQ(time_with(scenario, constant.name, 1.0), before) << constant.name;
  }
}

}  // namespace
}  // namespace shardsim::tests

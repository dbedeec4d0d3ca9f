// The greedy planner of ZB-1p and ZB-2p: plays the pipeline and lets every stage decide when it is free. As in the
// paper, a few rules of decision are tried and the fastest plan is kept.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::max();

/// How far forwards run ahead of input gradients: as memory allows, or one less on each further stage (H1), or two
/// (H2).
enum class Lead { as_memory_allows, one_a_stage, two_a_stage };
/// Which gaps a weight gradient may fill: any, or those as long as itself and those of the stage that idles most.
enum class Fill { any_gap, long_gaps };
struct Rule {
  Lead lead;
  Fill fill;
};

struct Plan {
  std::vector<Order> orders;
  /// The longest that a stage takes from its first pass to its last.
  double span = kUnknown;
};

class Planner {
 public:
  Planner(const PipelineShape& shape, std::int64_t most_in_flight, const std::vector<StageTime>& times)
      : micro_batches_{shape.micro_batches}, most_in_flight_{most_in_flight}, stages_(times.size()) {
    const auto m = static_cast<std::size_t>(micro_batches_);
    for (std::size_t i = 0; i < times.size(); ++i) {
      Stage& stage = stages_[i];
      stage.forward = times[i].forward.value();
      stage.weight = times[i].weight_gradient.value();
      stage.input = (times[i].backward - times[i].weight_gradient).value();
      stage.activation_arrival.assign(m, i == 0 ? 0.0 : kUnknown);
      stage.gradient_arrival.assign(m, kUnknown);
      stage.order.reserve(3 * m);
    }
  }

  Plan plan(const Rule& rule) {
    for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].lead = lead(rule.lead, i);
    return play([&](std::size_t index, double now) { decide(index, now, rule.fill); });
  }

  /// What given orders take.
  Plan follow(const std::vector<Order>& orders) {
    return play([&](std::size_t index, double now) { run_next(index, now, orders[index]); });
  }

 private:
  struct Stage {
    double forward = 0.0;
    double input = 0.0;
    double weight = 0.0;
    std::int64_t lead = 0;
    /// Passes begun; each kind takes the micro batches in order.
    std::int64_t forwards = 0;
    std::int64_t inputs = 0;
    std::int64_t weights = 0;
    bool gradient_ran_last = false;
    /// When the neighbours' results are there, by micro batch.
    std::vector<double> activation_arrival;
    std::vector<double> gradient_arrival;
    double wakes = 0.0;
    double begun = 0.0;
    double free_from = 0.0;
    double idle = 0.0;
    Order order;
  };

  std::int64_t lead(Lead lead, std::size_t index) const {
    const auto behind = static_cast<std::int64_t>(stages_.size() - index);
    if (lead == Lead::one_a_stage) return behind;
    return lead == Lead::two_a_stage ? 2 * behind - 1 : most_in_flight_;
  }

  template <class Decide>
  Plan play(const Decide& decide) {
    for (std::size_t i = 0; i < stages_.size(); ++i) awake_.push({0.0, i});
    while (!awake_.empty()) {
      const auto [time, index] = awake_.top();
      awake_.pop();
      if (time != stages_[index].wakes) continue;
      stages_[index].wakes = kUnknown;
      decide(index, time);
    }
    Plan plan{{}, 0.0};
    plan.orders.reserve(stages_.size());
    for (Stage& stage : stages_) {
      SHARDSIM_CHECK(stage.weights == micro_batches_, "a zero-bubble plan that comes to a halt");
      plan.orders.push_back(std::move(stage.order));
      plan.span = std::max(plan.span, stage.free_from - stage.begun);
    }
    return plan;
  }

  double next_gradient(const Stage& stage) const {
    return stage.inputs < micro_batches_ ? stage.gradient_arrival[static_cast<std::size_t>(stage.inputs)] : kUnknown;
  }
  double next_activation(const Stage& stage) const {
    return stage.forwards < micro_batches_ ? stage.activation_arrival[static_cast<std::size_t>(stage.forwards)]
                                           : kUnknown;
  }

  void wake(std::size_t index, double time) {
    if (time >= stages_[index].wakes) return;
    stages_[index].wakes = time;
    awake_.push({time, index});
  }

  /// A free stage takes forwards and input gradients in turn where both are there, else the one that is. A weight
  /// gradient makes room for a forward that is due, or fills the gap until a neighbour's result arrives.
  void decide(std::size_t index, double now, Fill fill) {
    const Stage& stage = stages_[index];
    const bool weight_waits = stage.weights < stage.inputs;
    const bool full = stage.forwards - stage.weights == most_in_flight_;
    const double gradient = next_gradient(stage);
    const double activation = stage.forwards - stage.inputs < stage.lead ? next_activation(stage) : kUnknown;
    const bool forward_due = activation <= now && (stage.gradient_ran_last || gradient > now);
    if (forward_due && !full) return run(index, now, Work::forward);
    if (forward_due && weight_waits) return run(index, now, Work::weight_gradient);
    if (gradient <= now) return run(index, now, Work::input_gradient);
    const double next = full ? gradient : std::min(gradient, activation);
    if (weight_waits && may_fill(stage, next - now, fill)) return run(index, now, Work::weight_gradient);
    if (next < kUnknown) wake(index, next);
  }

  bool may_fill(const Stage& stage, double gap, Fill fill) const {
    return fill == Fill::any_gap || gap >= stage.weight || stage.idle + gap > most_idle_;
  }

  void run_next(std::size_t index, double now, const Order& order) {
    const Stage& stage = stages_[index];
    if (stage.order.size() == order.size()) return;
    const Work work = order[stage.order.size()].work;
    double ready = now;
    if (work == Work::forward) ready = next_activation(stage);
    if (work == Work::input_gradient) ready = next_gradient(stage);
    if (ready <= now) return run(index, now, work);
    if (ready < kUnknown) wake(index, ready);
  }

  void run(std::size_t index, double now, Work work) {
    Stage& stage = stages_[index];
    const bool forward = work == Work::forward;
    const bool input = work == Work::input_gradient;
    if (forward || input) stage.gradient_ran_last = input;
    const std::int64_t micro_batch = (forward ? stage.forwards : input ? stage.inputs : stage.weights)++;
    (stage.order.empty() ? stage.begun : stage.idle) += now - stage.free_from;
    most_idle_ = std::max(most_idle_, stage.idle);
    stage.order.push_back({static_cast<std::int32_t>(micro_batch), 0, work});
    stage.free_from = now + (forward ? stage.forward : input ? stage.input : stage.weight);
    wake(index, stage.free_from);
    const auto at = static_cast<std::size_t>(micro_batch);
    if (forward && index + 1 == stages_.size()) stage.gradient_arrival[at] = stage.free_from;
    if (forward && index + 1 < stages_.size()) {
      stages_[index + 1].activation_arrival[at] = stage.free_from;
      wake(index + 1, std::max(stage.free_from, stages_[index + 1].free_from));
    }
    if (input && index > 0) {
      stages_[index - 1].gradient_arrival[at] = stage.free_from;
      wake(index - 1, std::max(stage.free_from, stages_[index - 1].free_from));
    }
  }

  std::int64_t micro_batches_;
  std::int64_t most_in_flight_;
  std::vector<Stage> stages_;
  double most_idle_ = 0.0;
  using Wake = std::pair<double, std::size_t>;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> awake_;
};

}  // namespace

std::vector<Order> planned_zero_bubble_orders(const PipelineShape& shape, std::int64_t most_in_flight,
                                              const std::vector<StageTime>& times) {
  SHARDSIM_CHECK(static_cast<std::int64_t>(times.size()) == shape.stages, "zero-bubble planning needs all stage times");
  constexpr std::array kRules{Rule{Lead::one_a_stage, Fill::long_gaps}, Rule{Lead::one_a_stage, Fill::any_gap},
                              Rule{Lead::two_a_stage, Fill::long_gaps}, Rule{Lead::two_a_stage, Fill::any_gap},
                              Rule{Lead::as_memory_allows, Fill::any_gap}};
  // H1 holds no more than any of these may.
  std::vector<Order> by_hand;
  for (std::int64_t stage = 0; stage < shape.stages; ++stage) by_hand.push_back(zero_bubble_h1_order(shape, stage));
  Plan best = Planner(shape, most_in_flight, times).follow(by_hand);
  for (const Rule& rule : kRules) {
    Plan plan = Planner(shape, most_in_flight, times).plan(rule);
    if (plan.span < best.span) best = std::move(plan);
  }
  return std::move(best.orders);
}

}  // namespace shardsim::schedule

// The greedy planner of ZB-1p and ZB-2p: plays the pipeline and lets every stage decide when it is free.
#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

class Planner {
 public:
  Planner(const PipelineShape& shape, std::int64_t most_in_flight, const std::vector<StageTime>& times)
      : micro_batches_{shape.micro_batches}, most_in_flight_{most_in_flight} {
    for (const StageTime& time : times) {
      Stage stage;
      stage.forward = time.forward.value();
      stage.weight = time.weight_gradient.value();
      stage.input = (time.backward - time.weight_gradient).value();
      stage.activation_arrival.assign(static_cast<std::size_t>(micro_batches_), kUnknown);
      stage.gradient_arrival.assign(static_cast<std::size_t>(micro_batches_), kUnknown);
      stage.order.reserve(static_cast<std::size_t>(3 * micro_batches_));
      stages_.push_back(std::move(stage));
    }
    std::fill(stages_.front().activation_arrival.begin(), stages_.front().activation_arrival.end(), 0.0);
  }

  std::vector<Order> plan() {
    wake(0, 0.0);
    while (!awake_.empty()) {
      const auto [time, index] = awake_.top();
      awake_.pop();
      if (time == stages_[index].wakes) decide(index, time);
    }
    std::vector<Order> orders;
    orders.reserve(stages_.size());
    for (Stage& stage : stages_) {
      SHARDSIM_CHECK(stage.weights == micro_batches_, "a zero-bubble plan that comes to a halt");
      orders.push_back(std::move(stage.order));
    }
    return orders;
  }

 private:
  struct Stage {
    double forward = 0.0;
    double input = 0.0;
    double weight = 0.0;
    /// Passes begun; each kind takes the micro batches in order.
    std::int64_t forwards = 0;
    std::int64_t inputs = 0;
    std::int64_t weights = 0;
    bool gradient_ran_last = false;
    /// When the neighbours' results are there, by micro batch.
    std::vector<double> activation_arrival;
    std::vector<double> gradient_arrival;
    double wakes = kUnknown;
    double idle_since = 0.0;
    double idle = 0.0;
    Order order;
  };

  double next_gradient(const Stage& stage) const {
    return stage.inputs < micro_batches_ ? stage.gradient_arrival[static_cast<std::size_t>(stage.inputs)] : kUnknown;
  }
  double next_activation(const Stage& stage) const {
    return stage.forwards < micro_batches_ ? stage.activation_arrival[static_cast<std::size_t>(stage.forwards)]
                                           : kUnknown;
  }
  bool is_full(const Stage& stage) const { return stage.forwards - stage.weights == most_in_flight_; }

  void wake(std::size_t index, double time) {
    if (time >= stages_[index].wakes) return;
    stages_[index].wakes = time;
    awake_.push({time, index});
  }

  /// A free stage takes forwards and input gradients in turn where both are there, else the one that is. A weight
  /// gradient makes room for a forward that is due, or fills the gap until a neighbour's result arrives.
  void decide(std::size_t index, double now) {
    Stage& stage = stages_[index];
    stage.wakes = kUnknown;
    const bool weight_waits = stage.weights < stage.inputs;
    const double gradient = next_gradient(stage);
    const double activation = next_activation(stage);
    const bool forward_due = activation <= now && (stage.gradient_ran_last || gradient > now);
    if (forward_due && !is_full(stage)) return run_forward(index, now);
    if (forward_due && weight_waits) return run_weight_gradient(index, now);
    if (gradient <= now) return run_input_gradient(index, now);
    const double next = is_full(stage) ? gradient : std::min(gradient, activation);
    if (weight_waits && fits(stage, next - now)) return run_weight_gradient(index, now);
    if (next < kUnknown) wake(index, next);
  }

  /// A weight gradient longer than the gap is still right where waiting would make this the stage that idles most.
  bool fits(const Stage& stage, double gap) const { return gap >= stage.weight || stage.idle + gap > most_idle_; }

  double run(std::size_t index, double now, Action action, double duration) {
    Stage& stage = stages_[index];
    if (!stage.order.empty()) stage.idle += now - stage.idle_since;
    most_idle_ = std::max(most_idle_, stage.idle);
    stage.order.push_back(action);
    stage.idle_since = now + duration;
    wake(index, stage.idle_since);
    return stage.idle_since;
  }

  void run_weight_gradient(std::size_t index, double now) {
    Stage& stage = stages_[index];
    run(index, now, {static_cast<std::int32_t>(stage.weights++), 0, Work::weight_gradient}, stage.weight);
  }

  void run_forward(std::size_t index, double now) {
    stages_[index].gradient_ran_last = false;
    const auto micro_batch = static_cast<std::size_t>(stages_[index].forwards++);
    const double end =
        run(index, now, {static_cast<std::int32_t>(micro_batch), 0, Work::forward}, stages_[index].forward);
    if (index + 1 == stages_.size()) {
      stages_[index].gradient_arrival[micro_batch] = end;
    } else {
      arrive(index + 1, stages_[index + 1].activation_arrival[micro_batch], end);
    }
  }

  void run_input_gradient(std::size_t index, double now) {
    stages_[index].gradient_ran_last = true;
    const auto micro_batch = static_cast<std::size_t>(stages_[index].inputs++);
    const double end =
        run(index, now, {static_cast<std::int32_t>(micro_batch), 0, Work::input_gradient}, stages_[index].input);
    if (index > 0) arrive(index - 1, stages_[index - 1].gradient_arrival[micro_batch], end);
  }

  /// A stage that waits wakes for it; one that is busy finds it when it is free.
  void arrive(std::size_t index, double& arrival, double time) {
    arrival = time;
    wake(index, std::max(time, stages_[index].idle_since));
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
  SHARDSIM_CHECK(static_cast<std::int64_t>(times.size()) == shape.stages,
                 "zero-bubble planning needs every stage's times");
  return Planner(shape, most_in_flight, times).plan();
}

}  // namespace shardsim::schedule

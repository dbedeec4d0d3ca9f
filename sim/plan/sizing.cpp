#include "sim/plan/sizing.hpp"

#include <algorithm>
#include <utility>

namespace shardsim::plan {
namespace {

constexpr std::int64_t kLargestMicroBatch = 16;
constexpr std::int64_t kLongSequence = 16384;
constexpr double kSecondsPerDay = 86400.0;

/// One sizing under way.
class Sizer {
 public:
  Sizer(const model::Scenario& base, const Goal& goal, const SizingOptions& options)
      : base_{base}, goal_{goal}, options_{options} {}

  Sizing run() {
    const std::int64_t node = base_.cluster.gpus_per_node;
    for (std::int64_t gpus = node; gpus <= options_.most_gpus && useful(gpus); gpus *= 2) attempt(gpus);
    refine(node);
    std::sort(result_.points.begin(), result_.points.end(),
              [](const SizePoint& a, const SizePoint& b) { return a.gpus < b.gpus; });
    compare();
    choose();
    return std::move(result_);
  }

 private:
  /// More GPUs help as long as each has a sample, and the last doubling saved a tenth of the time.
  [[nodiscard]] bool useful(std::int64_t gpus) const {
    if (result_.interrupted) return false;
    const auto& points = result_.points;
    if (points.size() < 2) return gpus <= base_.training.global_batch_size * base_.model.num_layers;
    return points.back().run.wall_clock.expected < 0.9 * points[points.size() - 2].run.wall_clock.expected;
  }

  void attempt(std::int64_t gpus) {
    if (options_.proceed && !options_.proceed()) result_.interrupted = true;
    if (result_.interrupted) return;
    model::Scenario scenario = base_;
    scenario.gpus = gpus;
    SearchOptions search_options;
    search_options.best = 1;
    search_options.threads = options_.threads;
    SearchResult found = search(scenario, narrowed_space(scenario), search_options);
    if (found.candidates.empty()) return;
    SizePoint point{gpus, std::move(found.candidates.front()), {}, 0.0, 1.0};
    point.run = estimate_run(point.candidate.scenario, point.candidate.prediction, goal_.tokens, options_.reliability,
                             options_.economics);
    result_.points.push_back(std::move(point));
  }

  /// Between the last size that is too slow and the first that is fast enough, in eighths of the smaller one.
  void refine(std::int64_t node) {
    const auto first = std::find_if(result_.points.begin(), result_.points.end(),
                                    [&](const SizePoint& point) { return meets(point, goal_); });
    if (first == result_.points.end()) return;
    const std::int64_t largest = first->gpus;
    for (std::int64_t eighths = 9; eighths < 16; ++eighths) {
      const std::int64_t nodes = largest / 2 / node * eighths;
      if (nodes == 0 || nodes % 8 != 0) continue;
      attempt(nodes / 8 * node);
      if (!result_.points.empty() && result_.points.back().gpus < largest && meets(result_.points.back(), goal_))
        return;
    }
  }

  void compare() {
    auto& points = result_.points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto speed = [](const SizePoint& point) {
        return 1.0 / (point.run.wall_clock.expected * static_cast<double>(point.gpus));
      };
      points[i].scaling_efficiency = speed(points[i]) / speed(points.front());
      if (i == 0) continue;
      const double days = (points[i - 1].run.wall_clock.expected - points[i].run.wall_clock.expected) / kSecondsPerDay;
      if (days > 0.0) {
        points[i].usd_per_day_saved = (points[i].run.usd.expected - points[i - 1].run.usd.expected) / days;
      }
    }
  }

  /// A larger cluster saves days, each of which costs less than a day of the smaller one.
  [[nodiscard]] bool pays(std::size_t i) const {
    const RunEstimate& smaller = result_.points[i - 1].run;
    const RunEstimate& larger = result_.points[i].run;
    const double saved = 1.0 - larger.wall_clock.expected / smaller.wall_clock.expected;
    const double gpus = static_cast<double>(result_.points[i].gpus) / static_cast<double>(result_.points[i - 1].gpus);
    const double more_gpu_time = gpus * larger.wall_clock.expected / smaller.wall_clock.expected - 1.0;
    return saved > 0.0 && more_gpu_time < saved;
  }

  void choose() {
    const auto& points = result_.points;
    if (points.empty()) return;
    result_.worthwhile = 0;
    for (std::size_t i = 1; i < points.size() && pays(i); ++i) result_.worthwhile = i;
    const auto cheaper = [&](std::size_t a, std::size_t b) { return gpu_time(points[a]) < gpu_time(points[b]); };
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!meets(points[i], goal_)) continue;
      if (!result_.smallest) result_.smallest = i;
      if (!result_.cheapest || cheaper(i, *result_.cheapest)) result_.cheapest = i;
    }
    if (!result_.smallest) result_.nearest = nearest();
  }

  [[nodiscard]] static double gpu_time(const SizePoint& point) {
    return point.run.wall_clock.expected * static_cast<double>(point.gpus);
  }

  [[nodiscard]] std::size_t nearest() const {
    const auto& points = result_.points;
    std::size_t best = 0;
    const auto in_time = [&](std::size_t i) { return points[i].run.wall_clock.expected <= goal_.deadline.value(); };
    for (std::size_t i = 1; i < points.size(); ++i) {
      const bool better = in_time(i) && in_time(best)
                              ? gpu_time(points[i]) < gpu_time(points[best])
                              : points[i].run.wall_clock.expected < points[best].run.wall_clock.expected;
      if (better) best = i;
    }
    return best;
  }

  const model::Scenario& base_;
  const Goal& goal_;
  const SizingOptions& options_;
  Sizing result_;
};

}  // namespace

Space narrowed_space(const model::Scenario& base) {
  Space space = whole_space(base);
  std::vector<std::int64_t> micro_batches;
  for (std::int64_t size = 1; size <= kLargestMicroBatch; size *= 2) micro_batches.push_back(size);
  space.micro_batch_size = std::move(micro_batches);
  if (base.model.seq_length < kLongSequence) space.context_parallel_size = {1};
  space.zero_stage = {1};
  return space;
}

bool meets(const SizePoint& point, const Goal& goal) {
  const bool in_time = point.run.wall_clock.expected <= goal.deadline.value();
  return in_time && (goal.budget == 0.0 || point.run.usd.expected <= goal.budget);
}

Sizing size_cluster(const model::Scenario& base, const Goal& goal, const SizingOptions& options) {
  return Sizer{base, goal, options}.run();
}

}  // namespace shardsim::plan

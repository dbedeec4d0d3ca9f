#include "sim/schedule/bubble.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/schedule/in_flight.hpp"

namespace shardsim::schedule {
namespace {

/// Weight gradients per stage that leave the critical path (Qi et al. 2023, Table 1).
constexpr double kDelayedByH1 = 2.0;
constexpr double kDelayedByH2 = 3.0;

/// m·max x_i + (Σ x_i − max x_i)/v of one quantity of every stage.
template <class Part>
Seconds flow_line(const std::vector<StageTime>& stages, std::int64_t micro_batches, std::int64_t chunks, Part part) {
  Seconds sum{0.0};
  Seconds slowest{0.0};
  for (const StageTime& stage : stages) {
    sum += part(stage);
    slowest = std::max(slowest, part(stage));
  }
  return static_cast<double>(micro_batches) * slowest + (sum - slowest) / static_cast<double>(chunks);
}

bool is_zero_bubble(model::Schedule schedule) {
  return schedule == model::Schedule::zero_bubble_h1 || schedule == model::Schedule::zero_bubble_1p ||
         schedule == model::Schedule::zero_bubble_2p;
}

}  // namespace

std::size_t slowest_stage(const std::vector<StageTime>& stages) {
  SHARDSIM_CHECK(!stages.empty(), "a pipeline without stages");
  const auto slowest = std::max_element(stages.begin(), stages.end(),
                                        [](const StageTime& a, const StageTime& b) { return a.total() < b.total(); });
  return static_cast<std::size_t>(slowest - stages.begin());
}

Seconds gpipe_span(const std::vector<StageTime>& stages, std::int64_t micro_batches) {
  return breadth_first_span(stages, micro_batches, 1);
}

Seconds breadth_first_span(const std::vector<StageTime>& stages, std::int64_t micro_batches, std::int64_t chunks) {
  return flow_line(stages, micro_batches, chunks, [](const StageTime& stage) { return stage.forward; }) +
         flow_line(stages, micro_batches, chunks, [](const StageTime& stage) { return stage.backward; });
}

Seconds one_f_one_b_span(const std::vector<StageTime>& stages, std::int64_t micro_batches) {
  if (micro_batches < static_cast<std::int64_t>(stages.size())) {
    return interleaved_span(stages, micro_batches, 1);
  }
  Seconds after{0.0};
  for (const StageTime& stage : stages) after += stage.total();
  Seconds before{0.0};
  Seconds span{0.0};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageTime& stage = stages[i];
    after -= stage.total();
    const auto warm_ups = static_cast<double>(stages.size() - i - 1);
    const Seconds wait = std::max(Seconds{0.0}, after - warm_ups * stage.forward) +
                         std::max(Seconds{0.0}, after - warm_ups * stage.backward);
    span = std::max(span, before + static_cast<double>(micro_batches) * stage.total() + wait);
    before += stage.total();
  }
  return span;
}

Seconds interleaved_span(const std::vector<StageTime>& stages, std::int64_t micro_batches, std::int64_t chunks) {
  return flow_line(stages, micro_batches, chunks, [](const StageTime& stage) { return stage.total(); });
}

Seconds zero_bubble_span(const std::vector<StageTime>& stages, std::int64_t micro_batches,
                         double delayed_weight_gradients) {
  const std::size_t slowest = slowest_stage(stages);
  const double others = static_cast<double>(stages.size()) - 1.0;
  const double most = 1.0 + static_cast<double>(micro_batches) / std::max(others, 1.0);
  const double delayed = std::min(delayed_weight_gradients, most);
  Seconds bubble{0.0};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (i == slowest) continue;
    bubble += std::max(Seconds{0.0}, stages[i].total() - delayed * stages[i].weight_gradient);
  }
  return static_cast<double>(micro_batches) * stages[slowest].total() + bubble;
}

Seconds pipeline_span(const model::Parallelism& parallelism, const std::vector<StageTime>& stages,
                      std::int64_t micro_batches) {
  using model::Schedule;
  const std::int64_t chunks = parallelism.virtual_pipeline_model_parallel_size;
  if (is_interleaved(parallelism)) return interleaved_span(stages, micro_batches, chunks);
  switch (parallelism.schedule) {
    case Schedule::gpipe:
    case Schedule::breadth_first:
      return breadth_first_span(stages, micro_batches, chunks);
    case Schedule::one_f_one_b:
    case Schedule::interleaved_one_f_one_b:
      return one_f_one_b_span(stages, micro_batches);
    case Schedule::zero_bubble_h1:
    case Schedule::zero_bubble_1p:
      return zero_bubble_span(stages, micro_batches, kDelayedByH1);
    case Schedule::zero_bubble_2p:
      return zero_bubble_span(stages, micro_batches, kDelayedByH2);
  }
  SHARDSIM_CHECK(false, "unknown schedule");
  return Seconds{0.0};
}

Seconds drain_lead(const model::Parallelism& parallelism, Seconds backward_before) {
  if (is_zero_bubble(parallelism.schedule)) return Seconds{0.0};
  return backward_before / static_cast<double>(parallelism.virtual_pipeline_model_parallel_size);
}

}  // namespace shardsim::schedule

#include "sim/plan/partial_search.hpp"

#include <algorithm>
#include <optional>

#include "sim/engine/assemble.hpp"
#include "sim/memory/memory.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/rank_grid.hpp"

namespace shardsim::plan {
namespace {

bool contains(const std::vector<std::int64_t>& admitted, std::int64_t value) {
  return admitted.empty() || std::find(admitted.begin(), admitted.end(), value) != admitted.end();
}

std::vector<model::Stage> layout_or_nothing(const model::Scenario& base, std::int64_t stages, std::int64_t chunks) {
  model::Parallelism parallelism = base.parallelism;
  parallelism.pipeline_model_parallel_size = stages;
  parallelism.virtual_pipeline_model_parallel_size = chunks;
  if (!model::layout_problem(base.model, parallelism, base.stack).empty()) return {};
  return model::layout(base.model, parallelism, base.stack);
}

/// Adding up terms in another order moves the last digits.
constexpr double kRounding = 1.0 - 1e-9;

}  // namespace

/// Of layouts that differ in schedule, chunks and ZeRO only.
struct PartialSearch::Prices {
  explicit Prices(const model::Scenario& scenario)
      : hybrid{scenario.parallelism.num_distributed_optimizer_instances > 1} {}

  bool hybrid;
  std::optional<cost::Pricer> pricer;
  bool sharded = false;
  std::optional<engine::Hop> hop;
  /// Of one schedule.
  std::optional<engine::Pipeline> pipeline;

  /// Groups of a sharded optimizer differ where its state has replicas.
  void place_groups(const model::Scenario& scenario) {
    const bool now_sharded = hybrid && scenario.parallelism.zero_stage > 0;
    if (pricer && sharded == now_sharded) return;
    pricer.emplace(scenario);
    sharded = now_sharded;
  }
};

PartialSearch::PartialSearch(const model::Scenario& base, const Space& space, const SearchOptions& options,
                             Shared& shared)
    : base_{base}, space_{space}, options_{options}, shared_{shared}, scenario_{base} {
  for (const std::int64_t stages : space.pipeline_model_parallel_size) {
    layouts_.emplace_back();
    for (const std::int64_t chunks : space.virtual_pipeline_model_parallel_size) {
      layouts_.back().push_back(layout_or_nothing(base, stages, chunks));
    }
  }
}

std::int64_t PartialSearch::units(const Space& space) {
  return static_cast<std::int64_t>(space.tensor_model_parallel_size.size() * space.context_parallel_size.size() *
                                   space.micro_batch_size.size() * space.recompute_granularity.size() *
                                   space.sequence_parallel.size());
}

void PartialSearch::search_unit(std::int64_t unit) {
  auto rest = static_cast<std::size_t>(unit);
  const auto next = [&rest](const auto& values) {
    const std::size_t at = rest % values.size();
    rest /= values.size();
    return at;
  };
  at_[4] = next(space_.sequence_parallel);
  at_[3] = next(space_.recompute_granularity);
  at_[2] = next(space_.micro_batch_size);
  at_[1] = next(space_.context_parallel_size);
  at_[0] = next(space_.tensor_model_parallel_size);
  degrees_.tensor_model_parallel_size = space_.tensor_model_parallel_size[at_[0]];
  degrees_.context_parallel_size = space_.context_parallel_size[at_[1]];
  degrees_.micro_batch_size = space_.micro_batch_size[at_[2]];
  degrees_.recompute_granularity = space_.recompute_granularity[at_[3]];
  degrees_.sequence_parallel = space_.sequence_parallel[at_[4]];
  for (auto& blocks : blocks_) blocks.reset();
  for (std::size_t i = 0; i < space_.pipeline_model_parallel_size.size(); ++i) search_pipeline(i);
}

void PartialSearch::search_pipeline(std::size_t pipeline) {
  degrees_.pipeline_model_parallel_size = space_.pipeline_model_parallel_size[pipeline];
  const std::size_t zeros = space_.zero_stage.size();
  const std::size_t chunkings = space_.virtual_pipeline_model_parallel_size.size();
  const auto combinations = static_cast<std::int64_t>(space_.schedule.size() * chunkings * zeros);
  considered_ += combinations;
  set_degrees(scenario_, base_, degrees_);
  Reason reason = against_shape(scenario_);
  const bool divides = reason != Reason::gpus;
  if (divides && !contains(space_.data_parallel_size, scenario_.parallelism.data_parallel_size)) {
    reason = Reason::data_parallel_size;
  }
  if (reason != Reason::none) return reject(reason, combinations);
  Prices prices{scenario_};
  for (std::size_t schedule = 0; schedule < space_.schedule.size(); ++schedule) {
    degrees_.schedule = space_.schedule[schedule];
    for (std::size_t chunks = 0; chunks < chunkings; ++chunks) {
      degrees_.virtual_pipeline_model_parallel_size = space_.virtual_pipeline_model_parallel_size[chunks];
      search_sharding(prices, layouts_[pipeline][chunks], place(pipeline, schedule, chunks));
    }
  }
}

void PartialSearch::search_sharding(Prices& prices, const std::vector<model::Stage>& layout, std::int64_t place) {
  set_degrees(scenario_, base_, degrees_);
  Reason against_all = against_schedule(scenario_);
  if (against_all == Reason::none && layout.empty()) against_all = Reason::layers;
  prices.pipeline.reset();
  for (const int zero : space_.zero_stage) {
    degrees_.zero_stage = zero;
    scenario_.parallelism.zero_stage = zero;
    const Reason own = against_sharding(scenario_);
    const Reason reason = own != Reason::none ? own : against_all;
    if (reason != Reason::none) {
      reject(reason, 1);
    } else {
      evaluate(prices, layout, place);
    }
    ++place;
  }
}

void PartialSearch::evaluate(Prices& prices, const std::vector<model::Stage>& layout, std::int64_t place) {
  prices.place_groups(scenario_);
  const engine::SharedBlocks& shared_blocks = blocks(*prices.pricer);
  const auto too_much = [this](Bytes used) { return !fits(scenario_, used, options_.max_memory); };
  if (memory::uses_too_much(scenario_, layout, shared_blocks.saved, too_much)) {
    ++out_of_memory_;
    if (shared_.something_fits) return;
    const Bytes used = memory::most_device_used(scenario_, layout, shared_blocks.saved);
    nearest_ = std::min(nearest_, Ranked{used.as_double(), place, degrees_});
    return;
  }
  if (!shared_.something_fits) shared_.something_fits = true;
  if (!prices.hop) prices.hop.emplace(scenario_, *prices.pricer, shared_blocks.operators);
  if (!prices.pipeline) prices.pipeline = engine::time_pipeline(scenario_, layout, shared_blocks, *prices.hop);
  const double least = kRounding * prices.pipeline->busy(model::micro_batches(scenario_)).value();
  if (options_.prunes && least > shared_.worst_of_best) return;
  engine::IterationTime time =
      engine::time_iteration(scenario_, *prices.pricer, layout, shared_blocks, *prices.hop, *prices.pipeline);
  if (options_.prunes && time.terms.total().value() > shared_.worst_of_best) return;
  const auto is_near = [this](Bytes used) { return out_of_memory_probability(scenario_, used) >= engine::kNearLimit; };
  if (memory::uses_too_much(scenario_, layout, shared_blocks.saved, is_near)) {
    const Bytes used = memory::most_device_used(scenario_, layout, shared_blocks.saved);
    engine::add_allocator_retries(scenario_, out_of_memory_probability(scenario_, used), time.terms);
  }
  keep({time.terms.total().value(), place, degrees_});
}

const engine::SharedBlocks& PartialSearch::blocks(const cost::Pricer& pricer) {
  const bool piped = scenario_.parallelism.pipeline_model_parallel_size > 1;
  const bool between_nodes = piped && model::place(scenario_, model::Group::pipeline).nodes > 1;
  auto& found = blocks_[between_nodes ? 2 : (piped ? 1 : 0)];
  if (found == nullptr) found = std::make_unique<engine::SharedBlocks>(scenario_, pricer);
  return *found;
}

/// In the order of degrees: tensor, pipeline, context, schedule, chunks, micro batch, recomputation, sequence, ZeRO.
std::int64_t PartialSearch::place(std::size_t pipeline, std::size_t schedule, std::size_t chunks) const {
  std::size_t place = at_[0];
  const auto then = [&place](std::size_t at, std::size_t size) { place = place * size + at; };
  then(pipeline, space_.pipeline_model_parallel_size.size());
  then(at_[1], space_.context_parallel_size.size());
  then(schedule, space_.schedule.size());
  then(chunks, space_.virtual_pipeline_model_parallel_size.size());
  then(at_[2], space_.micro_batch_size.size());
  then(at_[3], space_.recompute_granularity.size());
  then(at_[4], space_.sequence_parallel.size());
  then(0, space_.zero_stage.size());
  return static_cast<std::int64_t>(place);
}

void PartialSearch::keep(const Ranked& candidate) {
  if (best_.size() == options_.best && !(candidate < best_.back())) return;
  best_.insert(std::upper_bound(best_.begin(), best_.end(), candidate), candidate);
  if (best_.size() > options_.best) best_.pop_back();
  if (best_.size() < options_.best) return;
  double known = shared_.worst_of_best;
  while (best_.back().value < known && !shared_.worst_of_best.compare_exchange_weak(known, best_.back().value)) {
  }
}

}  // namespace shardsim::plan

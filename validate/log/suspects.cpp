#include "validate/log/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/engine/closed_form.hpp"
#include "validate/log/knobs.hpp"

namespace shardsim::validate::log {
namespace {

using model::Scenario;

double time_with(const Scenario& scenario, const Knob& knob, double log_factor) {
  return engine::predict(slowed(scenario, knob, std::exp(log_factor))).iteration.value();
}

/// The log factor at which the knob gives the measured time: time rises with it.
std::optional<double> log_factor_of(const Scenario& scenario, const Knob& knob, double measured) {
  constexpr int kHalvings = 40;
  double low = -std::log(kMostFactor);
  double high = std::log(kMostFactor);
  if (time_with(scenario, knob, low) > measured || time_with(scenario, knob, high) < measured) return std::nullopt;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (time_with(scenario, knob, middle) < measured ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

struct Change {
  std::string text;
  Scenario scenario;
};

std::string instead(const std::string& name, std::int64_t now, std::int64_t before) {
  return name + " " + std::to_string(now) + " instead of " + std::to_string(before);
}

bool can_run(const Scenario& scenario) {
  const auto& parallelism = scenario.parallelism;
  const std::int64_t step = scenario.training.micro_batch_size * parallelism.data_parallel_size;
  if (step == 0 || scenario.training.global_batch_size % step != 0) return false;
  const std::int64_t micro_batches = model::micro_batches(scenario);
  const bool interleaved = parallelism.virtual_pipeline_model_parallel_size > 1;
  if (interleaved && micro_batches % parallelism.pipeline_model_parallel_size != 0) return false;
  return engine::predict(scenario).memory.fits();
}

/// What a user changes with one flag.
std::vector<Change> changes(const Scenario& scenario) {
  std::vector<Change> all;
  const std::int64_t micro = scenario.training.micro_batch_size;
  const auto add = [&](const std::string& name, std::int64_t now, std::int64_t before, auto apply) {
    Change change{instead(name, now, before), scenario};
    apply(change.scenario);
    if (can_run(change.scenario)) all.push_back(std::move(change));
  };
  const auto set_micro = [](std::int64_t size) {
    return [size](Scenario& changed) { changed.training.micro_batch_size = size; };
  };
  add("micro batch", 2 * micro, micro, set_micro(2 * micro));
  if (micro % 2 == 0) add("micro batch", micro / 2, micro, set_micro(micro / 2));
  const std::int64_t batch = scenario.training.global_batch_size;
  add("global batch", 4 * batch, batch, [&](Scenario& changed) { changed.training.global_batch_size = 4 * batch; });
  const std::int64_t replicas = scenario.parallelism.data_parallel_size;
  if (replicas > 1 && batch % replicas == 0) {
    add("data parallel", 1, replicas, [&](Scenario& changed) {
      changed.parallelism.data_parallel_size = 1;
      changed.parallelism.num_distributed_optimizer_instances = 1;
      changed.gpus /= replicas;
      changed.training.global_batch_size /= replicas;
    });
  }
  return all;
}

const Knob& knob_of(std::string_view name) {
  return *std::find_if(time_knobs().begin(), time_knobs().end(), [&](const Knob& knob) { return knob.name == name; });
}

std::optional<Experiment> experiment(const Scenario& scenario, const Suspect& first, const Suspect& second) {
  std::optional<Experiment> best;
  // Less than run-to-run scatter tells nothing apart.
  double most = std::log(1.05);
  for (const Change& change : changes(scenario)) {
    const double one = time_with(change.scenario, knob_of(first.name), std::log(first.factor));
    const double other = time_with(change.scenario, knob_of(second.name), std::log(second.factor));
    const double apart = std::abs(std::log(one / other));
    if (apart <= most) continue;
    most = apart;
    best = Experiment{change.text, Seconds{one}, Seconds{other}};
  }
  return best;
}

}  // namespace

Suspicion suspicion(const Scenario& scenario, Seconds measured) {
  Suspicion result;
  for (const Knob& knob : time_knobs()) {
    const auto log_factor = log_factor_of(scenario, knob, measured.value());
    if (!log_factor) continue;
    const double surprise = std::abs(*log_factor) / std::max(knob.error(scenario), 1e-3);
    result.suspects.push_back({knob.name, knob.slows, knob.check, std::exp(*log_factor), surprise});
  }
  std::stable_sort(result.suspects.begin(), result.suspects.end(),
                   [](const Suspect& a, const Suspect& b) { return a.surprise < b.surprise; });
  if (result.suspects.size() > 1) result.experiment = experiment(scenario, result.suspects[0], result.suspects[1]);
  return result;
}

}  // namespace shardsim::validate::log

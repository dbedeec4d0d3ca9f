#include "validate/log/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/cli/collect.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/input/schema.hpp"
#include "sim/model/rank_grid.hpp"
#include "sim/report/format.hpp"

namespace shardsim::validate::log {
namespace {

using input::Setting;
using input::Settings;

constexpr const char* kCommandLine = "command line";
/// 90 % quantile of the standard normal distribution.
constexpr double kNormalP90 = 1.2815515655446004;

std::string place(const Setting& setting) {
  return setting.origin.file + (setting.origin.line > 0 ? ":" + std::to_string(setting.origin.line) : "");
}

/// Spelt alike: "0.10" and "0.1" are the same.
std::string canonical(const Setting& setting) {
  const input::SchemaKey* key = input::find_key(setting.key);
  if (key == nullptr) return setting.value;
  model::Scenario scratch;
  return key->read(scratch, setting.value).empty() ? key->write(scratch) : setting.value;
}

bool describes_job(const std::string& key) {
  for (const char* section : {"model.", "parallelism.", "training."}) {
    if (key.rfind(section, 0) == 0) return key != "training.global_batch_size";
  }
  return key == "cluster.gpus";
}

/// Files that say something else than the log are of another run; the command line may know better.
void refuse_contradictions(const Settings& of_log, const Settings& of_user, Problems& problems) {
  for (const Setting& setting : of_user.all()) {
    const Setting* logged = of_log.find(setting.key);
    if (logged == nullptr || !describes_job(setting.key) || setting.origin.file == kCommandLine) continue;
    if (!setting.assumed_because.empty() || !logged->assumed_because.empty()) continue;
    if (canonical(setting) == canonical(*logged)) continue;
    problems.add({setting.origin, setting.key, setting.value,
                  "the log says " + logged->value + " (" + place(*logged) + "); is it the script of this run?"});
  }
}

bool batch_changes(const TrainingLog& log) {
  const auto& first = log.iterations.front().global_batch_size;
  return std::any_of(log.iterations.begin(), log.iterations.end(),
                     [&](const Iteration& one) { return one.global_batch_size != first; });
}

/// Batch size and sequence length of the iterations that are compared.
void follow_iterations(const TrainingLog& log, Settings& settings, Problems& problems,
                       std::vector<std::string>& notes) {
  if (log.iterations.empty()) return;
  const std::vector<Segment> all = segments(log);
  const Iteration& last = all[steady_segment(all)].iterations.back();
  const auto follow = [&](const char* key, const std::optional<std::int64_t>& printed, bool varies) {
    if (!printed) return;
    const Setting* given = settings.find(key);
    if (given != nullptr && given->value == std::to_string(*printed)) return;
    const bool own = given == nullptr || given->origin.file == log.file || !given->assumed_because.empty();
    if (!own && !varies) {
      problems.add({given->origin, key, given->value,
                    "the log's iterations say " + std::to_string(*printed) + " (" + log.file + ":" +
                        std::to_string(last.line) + "); is it the script of this run?"});
      return;
    }
    if (given != nullptr) {
      notes.push_back(std::string{key} + " = " + std::to_string(*printed) + " as in the iterations compared, not " +
                      given->value);
    }
    settings.set({key, std::to_string(*printed), {log.file, last.line, ""}, ""});
  };
  follow("training.global_batch_size", last.global_batch_size, batch_changes(log));
  follow("model.seq_length", last.seq_length, true);
}

void compare_device(const TrainingLog& log, const model::Scenario& scenario, std::vector<std::string>& notes) {
  std::optional<Bytes> capacity = log.device_capacity;
  if (!log.out_of_memory.empty() && log.out_of_memory.front().capacity) capacity = log.out_of_memory.front().capacity;
  if (!capacity) return;
  constexpr double kSameDevice = 0.06;
  const Bytes profile = scenario.cluster.device.memory_capacity;
  if (std::abs(*capacity / profile - 1.0) < kSameDevice) return;
  notes.push_back("the log's GPU has " + report::gib(*capacity) + " GiB, the profile " + scenario.cluster.device.name +
                  " " + report::gib(profile) + " GiB: name the right one with --cluster or --device");
}

Rate compare_rate(const Steady& steady, const Comparison& comparison) {
  const model::IterationFlops& flops = comparison.prediction.flops;
  const double work = *steady.tflops_per_gpu * 1e12 * steady.median_s * static_cast<double>(comparison.scenario.gpus);
  const std::array<std::pair<std::string_view, double>, 3> counts{
      {{"without recomputation, full attention", flops.model.value()},
       {"without recomputation, half of causal attention", flops.model_causal.value()},
       {"with recomputation", flops.hardware.value()}}};
  const auto* nearest = std::min_element(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
    return std::abs(std::log(work / a.second)) < std::abs(std::log(work / b.second));
  });
  Rate rate;
  rate.measured = *steady.tflops_per_gpu;
  // The same FLOPs in another time: right whatever the program counts.
  rate.predicted = rate.measured * steady.median_s / comparison.prediction.iteration.value();
  rate.convention = nearest->first;
  rate.work = work / nearest->second;
  return rate;
}

/// Programs count attention, vocabulary and recomputation differently, by less than this.
constexpr double kOtherCount = 1.25;
constexpr double kOtherJob = 2.5;

void check_work(const Rate& rate, const Comparison& comparison, std::vector<std::string>& notes) {
  const double apart = std::max(rate.work, 1.0 / rate.work);
  if (apart < kOtherCount) return;
  const std::string message = "TFLOP/s times time is " + report::fixed(rate.work, 2) +
                              " times the FLOPs of this configuration (" + report::fixed(rate.measured, 1) +
                              " TFLOP/s per GPU on " + std::to_string(comparison.scenario.gpus) + " GPUs)";
  if (apart > kOtherJob) {
    throw InputError({Problem{{comparison.log.file, comparison.steady->last_line, ""},
                              "",
                              "",
                              message + ": the model, the batch or the number of GPUs is another one"}});
  }
  notes.push_back(message + ": check model, batch and number of GPUs");
}

/// The line with the most of one kind.
const MemoryPeak* largest(const std::vector<MemoryPeak>& peaks, std::optional<Bytes> MemoryPeak::*kind) {
  const MemoryPeak* most = nullptr;
  for (const MemoryPeak& peak : peaks) {
    if (peak.*kind && (most == nullptr || *(most->*kind) < *(peak.*kind))) most = &peak;
  }
  return most;
}

std::int64_t stage_of(const MemoryPeak& peak, const Comparison& comparison) {
  const auto refuse = [&](const std::string& what, std::int64_t number, std::int64_t count) {
    throw InputError({Problem{{comparison.log.file, peak.line, ""},
                              "",
                              "",
                              what + " " + std::to_string(number) + " prints its memory, but the configuration has " +
                                  std::to_string(count) + "; is it that of this run?"}});
  };
  const auto stages = static_cast<std::int64_t>(comparison.prediction.memory.stages.size());
  if (peak.stage) {
    if (*peak.stage < 0 || *peak.stage >= stages) refuse("stage", *peak.stage, stages);
    return *peak.stage;
  }
  if (!peak.rank) return comparison.prediction.memory.worst_stage;
  if (*peak.rank < 0 || *peak.rank >= comparison.scenario.gpus) refuse("rank", *peak.rank, comparison.scenario.gpus);
  return model::place_of_rank(comparison.scenario.parallelism, *peak.rank).pipeline;
}

void compare_memory(Comparison& comparison) {
  const double spread = std::exp(kNormalP90 * comparison.scenario.stack.error.memory);
  const auto add = [&](std::string_view kind, std::optional<Bytes> MemoryPeak::*measured,
                       Bytes memory::StageMemory::*predicted) {
    const MemoryPeak* peak = largest(comparison.log.memory, measured);
    if (peak == nullptr) return;
    const std::int64_t stage = stage_of(*peak, comparison);
    const double bytes = (comparison.prediction.memory.stages[static_cast<std::size_t>(stage)].*predicted).as_double();
    comparison.memory.push_back(
        {kind, {(peak->*measured)->as_double(), bytes, bytes / spread, bytes * spread}, peak->line, peak->rank, stage});
  };
  add("allocated", &MemoryPeak::allocated, &memory::StageMemory::peak_allocated);
  add("reserved", &MemoryPeak::reserved, &memory::StageMemory::peak_reserved);
}

void compare_time(Comparison& comparison) {
  const model::Scenario& scenario = comparison.scenario;
  const double tokens = static_cast<double>(scenario.training.global_batch_size) *
                        static_cast<double>(scenario.model.seq_length) / static_cast<double>(scenario.gpus);
  comparison.steady = steady(comparison.log, tokens);
  comparison.time = Pair{comparison.steady->median_s, comparison.prediction.iteration.value(),
                         comparison.prediction.iteration_p10.value(), comparison.prediction.iteration_p90.value()};
  if (!comparison.steady->tflops_per_gpu) return;
  comparison.rate = compare_rate(*comparison.steady, comparison);
  check_work(*comparison.rate, comparison, comparison.notes);
}

}  // namespace

Comparison compare(TrainingLog log, const cli::ScenarioOptions& options) {
  Comparison comparison;
  Problems problems;
  const Settings given = cli::collect_settings(options, problems);
  refuse_contradictions(log.settings, given, problems);
  Settings settings;
  settings.merge(log.settings);
  settings.merge(given);
  follow_iterations(log, settings, problems, comparison.notes);
  comparison.scenario = cli::resolve_all(settings, problems);
  comparison.prediction = engine::predict(comparison.scenario);
  comparison.log = std::move(log);
  if (!comparison.log.iterations.empty()) compare_time(comparison);
  compare_memory(comparison);
  compare_device(comparison.log, comparison.scenario, comparison.notes);
  if (!comparison.log.impossible.empty()) {
    comparison.notes.push_back(std::to_string(comparison.log.impossible.size()) +
                               " lines passed over, the first: " + to_string(comparison.log.impossible.front()));
  }
  return comparison;
}

}  // namespace shardsim::validate::log

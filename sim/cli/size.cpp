#include "sim/cli/size.hpp"

#include <algorithm>
#include <iostream>
#include <thread>

#include "sim/base/problems.hpp"
#include "sim/cli/collect.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/size_options.hpp"
#include "sim/input/job.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/report/size_report.hpp"

namespace shardsim::cli {
namespace {

using input::Setting;
using input::Settings;

constexpr std::string_view kGlobalBatch = "training.global_batch_size";
/// Of Llama 2 (Touvron et al. 2023, section 2.2).
constexpr std::int64_t kTokensOfBatch = std::int64_t{1} << 22;
/// Enough for networks between nodes to be checked.
constexpr const char* kSomeGpus = "4096";

bool of_command_line(const Setting& setting) { return setting.origin.name == "--set"; }

/// What the search chooses must not be asked for.
void refuse_layout(const Settings& settings) {
  Problems problems;
  for (const Setting& setting : settings.all()) {
    if (!of_command_line(setting) || !input::is_layout_key(setting.key)) continue;
    problems.add({setting.origin, setting.key, setting.value, "is what size chooses; leave it out"});
  }
  problems.throw_if_any();
}

bool is_hardware(const std::string& key) { return key.rfind("cluster.", 0) == 0 || key.rfind("device.", 0) == 0; }

/// The job on another cluster: what the files say of hardware gives way, what --set says stays.
Settings on_cluster(const Settings& settings, const std::string& cluster) {
  Settings changed;
  for (const Setting& setting : settings.all()) {
    if (!is_hardware(setting.key) || of_command_line(setting)) changed.append(setting);
  }
  changed.set({"cluster.preset", cluster, {"command line", 0, "--cluster"}, ""});
  return changed;
}

/// A name that is none is a mistake, however many others are right.
void check_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == "clusters") known.push_back(preset.name);
  }
  Problems problems;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    problems.add({{"command line", 0, "--cluster"},
                  "",
                  name,
                  "there is no such cluster" + suggestion(name, known) + "; `shardsim list clusters` lists them"});
  }
  problems.throw_if_any();
}

std::vector<std::string> clusters_of(const SizeOptions& options, const Settings& settings) {
  check_names(options.clusters);
  if (!options.clusters.empty()) return options.clusters;
  if (const Setting* own = settings.find("cluster.preset")) return {own->value};
  std::vector<std::string> names;
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == "clusters") names.push_back(preset.name);
  }
  return names;
}

void set_if_missing(Settings& settings, std::string_view key, const std::string& value) {
  if (settings.find(key) == nullptr) settings.set({std::string(key), value, {}, ""});
}

/// Four Mi tokens where nobody says; told in `assumed`.
void complete_batch(Settings& settings, const std::vector<std::string>& clusters, std::vector<std::string>& assumed) {
  if (settings.find(kGlobalBatch) != nullptr) return;
  Settings trial = on_cluster(settings, clusters.front());
  set_if_missing(trial, kGlobalBatch, "1");
  set_if_missing(trial, "cluster.gpus", kSomeGpus);
  const std::int64_t tokens = input::resolve_job(trial).model.seq_length;
  const std::string batch = std::to_string(std::max<std::int64_t>(1, kTokensOfBatch / tokens));
  settings.set({std::string(kGlobalBatch), batch, {}, ""});
  assumed.push_back("training.global_batch_size = " + batch + "  (4 Mi tokens, as Llama 2)");
}

Settings collect(const SizeOptions& options) {
  Problems problems;
  ScenarioOptions without_cluster = options;
  without_cluster.cluster.clear();
  Settings settings = collect_settings(without_cluster, problems);
  if (!options.global_batch_size.empty()) {
    settings.set(
        {std::string(kGlobalBatch), options.global_batch_size, {"command line", 0, "--global-batch-size"}, ""});
  }
  problems.throw_if_any();
  refuse_layout(settings);
  return settings;
}

/// Sizes one cluster after another, with progress and Ctrl-C.
report::SizeReport size_all(const SizeOptions& options, const Settings& settings,
                            const std::vector<std::string>& clusters) {
  const InterruptNoted noted;
  ProgressLine line{"sizing"};
  report::SizeReport report;
  report.goal = options.goal;
  report.reliability = options.reliability;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < clusters.size() && !report.interrupted; ++i) {
    line.show(static_cast<double>(i) / static_cast<double>(clusters.size()));
    report::SizedCluster sized;
    sized.cluster = clusters[i];
    try {
      Settings here = on_cluster(settings, clusters[i]);
      set_if_missing(here, "cluster.gpus", kSomeGpus);
      const model::Scenario base = input::resolve_job(here);
      report.name = base.name;
      sized.device = base.cluster.device.name;
      sized.economics = economics_of(sized.device, options.pricing);
      sized.price_origin = price_origin(sized.device, options.pricing);
      if (options.goal.budget > 0.0 && sized.economics.usd_per_gpu_hour.expected == 0.0) {
        throw InputError({Problem{
            {"command line", 0, "--budget"}, "", "", "no price of " + sized.device + " is listed; --price gives one"}});
      }
      plan::SizingOptions sizing;
      sizing.reliability = options.reliability;
      sizing.economics = sized.economics;
      sizing.most_gpus = options.most_gpus;
      sizing.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
      sizing.proceed = [] { return !InterruptNoted::was_interrupted(); };
      sized.sizing = plan::size_cluster(base, options.goal, sizing);
      report.interrupted = sized.sizing.interrupted;
    } catch (const InputError& error) {
      sized.unsuitable = to_string(error.problems().front());
      if (problems.empty()) problems = error.problems();
    }
    report.clusters.push_back(std::move(sized));
  }
  line.clear();
  const auto unsuitable = [](const report::SizedCluster& sized) { return !sized.unsuitable.empty(); };
  if (std::all_of(report.clusters.begin(), report.clusters.end(), unsuitable)) throw InputError(problems);
  return report;
}

int run_largest(const SizeOptions& options, Settings settings) {
  if (options.format == Format::csv) usage_error("size", "--largest prints table or json");
  if (!options.clusters.empty()) settings = on_cluster(settings, options.clusters.front());
  if (!options.gpus.empty()) settings.set({"cluster.gpus", options.gpus, {"command line", 0, "--gpus"}, ""});
  if (settings.find("cluster.gpus") == nullptr)
    usage_error("size", "--largest needs --gpus N, the size of the cluster");
  Problems problems;
  const model::Scenario base = resolve_job(settings, problems);
  const InterruptNoted noted;
  const auto largest =
      plan::largest_that_fits(base, *options.largest, [] { return !InterruptNoted::was_interrupted(); });
  if (!largest) {
    std::cerr << "shardsim size: not even the smallest " << options.largest_name << " fits " << base.gpus << " GPUs of "
              << base.cluster.name << "\n";
    return InterruptNoted::was_interrupted() ? kInterrupted : kDoesNotFit;
  }
  const report::LargestReport report{base.name, base.cluster.name, base.gpus, options.largest_name, *largest};
  options.format == Format::json ? report::write_json(std::cout, report) : report::write_table(std::cout, report);
  return InterruptNoted::was_interrupted() ? kInterrupted : kSuccess;
}

void write(const report::SizeReport& report, Format format) {
  switch (format) {
    case Format::table:
      return report::write_table(std::cout, report);
    case Format::json:
      return report::write_json(std::cout, report);
    case Format::csv:
      return report::write_csv(std::cout, report);
  }
}

}  // namespace

int run_size(const Arguments& arguments) {
  const SizeOptions options = parse_size_options(arguments);
  if (options.help) {
    std::cout << size_help();
    return kSuccess;
  }
  (void)economics_of("", options.pricing);  // bad prices are bad input, whatever the clusters are
  Settings settings = collect(options);
  const std::vector<std::string> clusters = clusters_of(options, settings);
  std::vector<std::string> assumed;
  complete_batch(settings, clusters, assumed);
  if (options.largest) return run_largest(options, std::move(settings));
  report::SizeReport report = size_all(options, settings, clusters);
  report.assumed = std::move(assumed);
  write(report, options.format);
  if (report.interrupted) return kInterrupted;
  return report::smallest(report) != nullptr ? kSuccess : kDoesNotFit;
}

}  // namespace shardsim::cli

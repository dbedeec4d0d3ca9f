#include "sim/cli/sweep.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/cli/collect.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/pricing.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/scenario_options.hpp"
#include "sim/cli/sweep_range.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/input/job.hpp"
#include "sim/input/resolve.hpp"
#include "sim/plan/sizing.hpp"
#include "sim/report/sweep_report.hpp"

namespace shardsim::cli {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kCommand = "sweep";
constexpr std::size_t kMostPoints = 10'000;

constexpr const char* kIntroduction =
    "Predicts at every point of one or two ranges of any keys.\n\n"
    "Usage: shardsim sweep [FILE.toml | RUN] [options] --over KEY=RANGE [--over KEY=RANGE]\n\n"
    "A range is 64..4096:x2 (by a factor), 1..8:+1 (by a step) or a list: 1,2,4 or x0.5,x1,x2 (multiples of what the\n"
    "key is now) or names of presets. Keys are those of --set: `cluster.preset`, `model.seq_length`, `device.…`.\n\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  shardsim sweep gpt3-175b-512-a100 --over cluster.gpus=64..4096:x2\n"
    "  shardsim sweep gpt3-175b-512-a100 --over cluster.gpus=64..4096:x2 --over training.micro_batch_size=1,2,4\n"
    "  shardsim sweep gpt3-175b-512-a100 --over cluster.nic_bandwidth=x0.5,x1,x2,x4 --figure network.svg\n"
    "  shardsim sweep --model llama2-70b --gpus 64 --set training.global_batch_size=512 --replan --metric cost \\\n"
    "      --over cluster.preset=a100-dgx,h100-dgx,h200-hgx\n"
    "\nExit codes: 0 some point fits, 2 bad input or every point is invalid, 3 no point fits, 130 interrupted.\n";

struct SweepOptions : ScenarioOptions {
  bool help = false;
  bool replan = false;
  Format format = Format::table;
  report::Metric metric = report::Metric::iteration_s;
  std::string figure;
  std::vector<SweepAxis> axes;
  PricingOptions pricing;
};

/// As given.
struct GivenSweep {
  std::vector<std::string> over;
  std::string metric = "iteration_s";
  std::string format = "table";
};

po::options_description described(SweepOptions& options, GivenSweep& given) {
  po::options_description described("Options", kLineLength);
  const auto add = [&](const char* name, std::string& target, const char* shown, const char* help) {
    described.add_options()(name, po::value(&target)->value_name(shown), help);
  };
  describe_scenario(described, options);
  described.add_options()("over", po::value(&given.over)->composing()->value_name("KEY=RANGE"),
                          "a key and its values; once or twice");
  described.add_options()("replan", po::bool_switch(&options.replan), "searches the best layout at every point");
  add("metric", given.metric, "NAME",
      "of matrix and chart: iteration_s (the default), tokens_per_s, tflops, mfu, memory, cost (USD per billion "
      "tokens)");
  add("price", options.pricing.price, "USD", "per GPU and hour, as 2.5; from the price list by default");
  add("terms", options.pricing.terms, "on-demand|reserved", "which prices of the list; on-demand by default");
  add("format", given.format, "table|json|csv", "table by default");
  add("figure", options.figure, "FILE.svg", "draws the metric");
  described.add_options()("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

report::Metric parse_metric(const std::string& name) {
  std::vector<std::string> names;
  for (const report::MetricText& known : report::metrics()) {
    if (known.name == name) return known.metric;
    names.emplace_back(known.name);
  }
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  usage_error(kCommand, "--metric " + name + suggestion(name, names) + ": the metrics are " + list);
}

SweepOptions parse_options(const Arguments& arguments) {
  SweepOptions options;
  options.command = kCommand;
  GivenSweep given;
  parse(arguments, described(options, given), options);
  if (options.help) return options;
  options.format = parse_format(given.format, kCommand);
  options.metric = parse_metric(given.metric);
  if (given.over.empty()) usage_error(kCommand, "--over KEY=RANGE is missing: what is to be swept");
  if (given.over.size() > 2) usage_error(kCommand, "--over may be given once or twice");
  for (const std::string& text : given.over) options.axes.push_back(parse_axis(text));
  if (options.axes.size() == 2 && options.axes[0].key == options.axes[1].key) {
    usage_error(kCommand, "--over names " + options.axes[0].name + " twice");
  }
  for (std::size_t i = 0; options.replan && i < options.axes.size(); ++i) {
    if (!input::is_layout_key(options.axes[i].key)) continue;
    usage_error(kCommand, "--over " + options.axes[i].name + " does not go with --replan, which chooses it");
  }
  std::size_t points = 1;
  for (const SweepAxis& axis : options.axes) points *= axis.values.size();
  if (points > kMostPoints) usage_error(kCommand, std::to_string(points) + " points are more than 10,000");
  return options;
}

/// The settings with one value of each axis.
input::Settings at_point(const input::Settings& settings, const SweepOptions& options,
                         const std::vector<std::string>& values, Problems& problems) {
  input::Settings point = settings;
  for (std::size_t i = 0; i < options.axes.size(); ++i) {
    const SweepAxis& axis = options.axes[i];
    override_value(point, {axis.key, values[i], {"command line", 0, "--over"}, ""}, problems);
  }
  return point;
}

std::optional<plan::Candidate> replan(const model::Scenario& base, std::string& reason) {
  plan::SearchOptions search_options;
  search_options.best = 1;
  plan::SearchResult found = plan::search(base, plan::narrowed_space(base), search_options);
  if (!found.candidates.empty()) return std::move(found.candidates.front());
  if (!found.nearest.empty()) return std::move(found.nearest.front());
  std::int64_t most = 0;
  for (const auto& [why, count] : found.impossible) {
    if (count > most) reason = why;
    most = std::max(most, count);
  }
  return {};
}

report::SweepPoint compute(const input::Settings& settings, const SweepOptions& options,
                           const std::vector<std::string>& values) {
  report::SweepPoint point{values, {}, "", 0.0};
  try {
    Problems problems;
    const input::Settings here = at_point(settings, options, values, problems);
    problems.throw_if_any();
    if (options.replan) {
      point.candidate = replan(input::resolve_job(here), point.reason);
    } else {
      model::Scenario scenario = input::resolve(here);
      engine::Prediction prediction = engine::predict(scenario);
      const plan::Degrees degrees = plan::degrees_of(scenario);
      point.candidate = plan::Candidate{degrees, std::move(scenario), std::move(prediction)};
    }
  } catch (const InputError& error) {
    point.reason = to_string(error.problems().front());
    return point;
  }
  if (point.candidate) {
    const std::string& device = point.candidate->scenario.cluster.device.name;
    point.usd_per_gpu_hour = economics_of(device, options.pricing).usd_per_gpu_hour.expected;
  }
  return point;
}

report::Sweep run_points(const input::Settings& settings, const SweepOptions& options) {
  const InterruptNoted noted;
  ProgressLine line{"sweeping"};
  report::Sweep sweep;
  sweep.metric = options.metric;
  sweep.replanned = options.replan;
  std::size_t points = 1;
  for (const SweepAxis& axis : options.axes) {
    sweep.axes.push_back({axis.name, axis.values});
    points *= axis.values.size();
  }
  const std::size_t inner = options.axes.back().values.size();
  for (std::size_t i = 0; i < points && !sweep.interrupted; ++i) {
    std::vector<std::string> values{options.axes.front().values[options.axes.size() > 1 ? i / inner : i]};
    if (options.axes.size() > 1) values.push_back(options.axes[1].values[i % inner]);
    sweep.points.push_back(compute(settings, options, values));
    const auto& candidate = sweep.points.back().candidate;
    if (sweep.name.empty() && candidate) sweep.name = candidate->scenario.name;
    line.show(static_cast<double>(i + 1) / static_cast<double>(points));
    sweep.interrupted = InterruptNoted::was_interrupted() && i + 1 < points;
  }
  line.clear();
  return sweep;
}

void write_figure(const std::string& path, const report::Sweep& sweep) {
  if (path.empty()) return;
  std::ofstream file{path};
  if (file) report::write_svg_chart(file, report::chart_of(sweep));
  if (file.flush()) return;
  throw InputError({Problem{{"command line", 0, "--figure"}, "", path, "the file cannot be written"}});
}

void write(const report::Sweep& sweep, Format format) {
  switch (format) {
    case Format::table:
      return report::write_table(std::cout, sweep);
    case Format::json:
      return report::write_json(std::cout, sweep);
    case Format::csv:
      return report::write_csv(std::cout, sweep);
  }
}

/// Nothing could be computed: what is wrong with the first point is wrong with the input.
void refuse_if_all_invalid(const report::Sweep& sweep) {
  const auto computed = [](const report::SweepPoint& point) { return point.candidate.has_value(); };
  if (std::any_of(sweep.points.begin(), sweep.points.end(), computed)) return;
  std::string at;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
    at += (i == 0 ? "" : ", ") + sweep.axes[i].name + " = " + sweep.points.front().values[i];
  }
  throw InputError({Problem{{}, "", "", "every point is invalid; at " + at + ": " + sweep.points.front().reason}});
}

}  // namespace

int run_sweep(const Arguments& arguments) {
  const SweepOptions options = parse_options(arguments);
  if (options.help) {
    SweepOptions unused;
    GivenSweep unused_given;
    std::cout << kIntroduction << described(unused, unused_given) << kExamples;
    return kSuccess;
  }
  (void)economics_of("", options.pricing);  // bad prices are bad input, whatever the points are
  Problems problems;
  const input::Settings settings = collect_settings(options, problems);
  problems.throw_if_any();
  const report::Sweep sweep = run_points(settings, options);
  refuse_if_all_invalid(sweep);
  write_figure(options.figure, sweep);
  write(sweep, options.format);
  if (sweep.interrupted) return kInterrupted;
  const auto fits = [](const report::SweepPoint& point) { return point.fits(); };
  return std::any_of(sweep.points.begin(), sweep.points.end(), fits) ? kSuccess : kDoesNotFit;
}

}  // namespace shardsim::cli

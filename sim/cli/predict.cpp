#include "sim/cli/predict.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/cli/collect.hpp"
#include "sim/cli/play.hpp"
#include "sim/cli/predict_options.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/input/resolve.hpp"
#include "sim/plan/changes_that_fit.hpp"
#include "sim/report/report.hpp"

namespace shardsim::cli {
namespace {

/// The file could not be read at all: no problem of one key.
bool is_of_whole_file(const Problem& problem) { return problem.key.empty() && problem.origin.name.empty(); }

/// Resolves even settings that were read with problems, so that all mistakes are reported at once; what follows from
/// a value that was refused already is left out, and what a file that could not be read may have held.
model::Scenario resolve_all(const input::Settings& settings, Problems& problems) {
  try {
    model::Scenario scenario = input::resolve(settings);
    problems.throw_if_any();
    return scenario;
  } catch (const InputError& error) {
    // What was passed over may be why something is missing.
    for (const std::string& warning : settings.warnings()) std::cerr << "warning: " << warning << '\n';
    if (problems.empty()) throw;
    std::vector<Problem> all = problems.all();
    const bool lacks_file = std::any_of(all.begin(), all.end(), is_of_whole_file);
    for (const Problem& problem : error.problems()) {
      const auto same = [&](const Problem& known) { return known.key == problem.key; };
      const bool may_follow = lacks_file && problem.origin.file.empty();
      if (!may_follow && std::none_of(all.begin(), all.end(), same)) all.push_back(problem);
    }
    throw InputError(all);
  }
}

void write(std::ostream& out, Format format, const model::Scenario& scenario, const engine::Prediction& prediction) {
  std::vector<plan::Change> changes;
  if (!prediction.memory.fits()) changes = plan::changes_that_fit(scenario);
  switch (format) {
    case Format::table:
      return report::write_table(out, scenario, prediction, changes);
    case Format::json:
      return report::write_json(out, scenario, prediction, changes);
    case Format::csv:
      return report::write_csv(out, scenario, prediction, changes);
  }
}

}  // namespace

int run_predict(const Arguments& arguments) {
  const PredictOptions options = parse_predict_options(arguments);
  if (options.help) {
    std::cout << predict_help();
    return kSuccess;
  }
  if (arguments.empty()) usage_error("predict", "nothing to predict: a scenario file, a run or options are expected");
  Problems problems;
  const input::Settings settings = collect_settings(options, problems);
  const model::Scenario scenario = resolve_all(settings, problems);
  Played played;
  try {
    played = options.engine == Engine::event ? play(scenario, options.play) : Played{engine::predict(scenario), ""};
  } catch (const engine::event::Interrupted&) {
    std::cerr << "shardsim predict: interrupted\n";
    return kInterrupted;
  }
  const engine::Prediction& prediction = played.prediction;
  // Whole or not at all: nothing is printed when writing the report fails.
  std::ostringstream text;
  write(text, options.format, scenario, prediction);
  std::cout << text.str() << played.timeline;
  return prediction.memory.fits() ? kSuccess : kDoesNotFit;
}

}  // namespace shardsim::cli

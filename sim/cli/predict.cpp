#include "sim/cli/predict.hpp"

#include <iostream>
#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/cli/collect.hpp"
#include "sim/cli/play.hpp"
#include "sim/cli/predict_options.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/plan/changes_that_fit.hpp"
#include "sim/report/report.hpp"

namespace shardsim::cli {
namespace {

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
    played =
        options.play.engine == Engine::event ? play(scenario, options.play) : Played{engine::predict(scenario), ""};
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

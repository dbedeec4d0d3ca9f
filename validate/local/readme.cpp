#include "validate/local/readme.hpp"

#include <cmath>
#include <filesystem>
#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/input/text_file.hpp"
#include "sim/report/format.hpp"
#include "validate/readme_section.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate::local {
namespace {

using Json = nlohmann::ordered_json;

constexpr Markers kMarkers{"<!-- local runs", "<!-- end of local runs -->"};

std::string percent(double fraction) { return report::fixed(100.0 * fraction, 1); }

std::string error(const Json& pair) {
  const double fraction = pair.at("predicted").get<double>() / pair.at("measured").get<double>() - 1.0;
  return (fraction >= 0.0 ? "+" : "") + percent(fraction);
}

std::string milliseconds(const Json& pair, const char* which) {
  return report::fixed(1e3 * pair.at(which).get<double>(), 1);
}

void write_errors(std::ostream& out, const char* name, const Json& errors) {
  out << "| " << name << " |";
  for (const char* what : {"median", "mape", "p90", "max", "bias"}) {
    out << ' ' << percent(errors.at(what).get<double>()) << " |";
  }
  out << '\n';
}

void write_job(std::ostream& out, const Json& job) {
  const Json& step = job.at("step_s");
  const Json& exposed = job.at("exposed_communication_s");
  out << "| " << job.at("name").get<std::string>() << " | " << milliseconds(step, "predicted") << " | "
      << milliseconds(step, "measured") << " | " << error(step) << " | " << percent(step.at("spread").get<double>())
      << " | " << milliseconds(exposed, "predicted") << " | " << milliseconds(exposed, "measured") << " | "
      << error(job.at("allocated_bytes")) << " | " << error(job.at("resident_bytes")) << " |\n";
}

std::string read(const std::string& path) {
  Problems problems;
  std::string text = input::read_text_file(path, problems);
  problems.throw_if_any();
  return text;
}

}  // namespace

std::string readme_table(const Json& comparison) {
  const Json& drift = comparison.at("drift");
  std::ostringstream out;
  out << "On " << comparison.at("machine").get<std::string>() << ": " << comparison.at("scored") << " of "
      << comparison.at("rows") << " jobs, rank correlation of predicted and measured step times "
      << report::fixed(comparison.at("rank_correlation").get<double>(), 3) << ". Errors in per cent:\n\n"
      << "| | median | mean | p90 | worst | bias |\n|---|--:|--:|--:|--:|--:|\n";
  write_errors(out, "step time", comparison.at("time"));
  write_errors(out, "step time, each run at the speed of the probe beside it", comparison.at("time_without_drift"));
  write_errors(out, "medians of step times, with what disturbed them", comparison.at("time_of_medians"));
  write_errors(out, "allocated memory", comparison.at("memory"));
  write_errors(out, "resident memory", comparison.at("resident"));
  out << "\nRepeats of a job differed by " << percent(comparison.at("repeat_spread").get<double>())
      << " % (median); beside the runs the machine computed at "
      << percent(1.0 / (1.0 + drift.at("since_calibration").get<double>()))
      << " % of the speed at which it was calibrated, varying by " << percent(drift.at("spread").get<double>())
      << " % between the 10 % and the 90 % quantile.\n\n"
      << "| job | predicted, ms | measured, ms | error | repeats | exposed, predicted | measured | allocated | "
         "resident "
         "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Json& job : comparison.at("configurations")) write_job(out, job);
  return out.str();
}

std::string with_local_runs(const std::string& readme, const std::string& file, const Json& comparison) {
  return with_section(readme, file, kMarkers, readme_table(comparison));
}

std::vector<std::string> record(const std::string& folder, const Comparison& comparison) {
  const auto path = [&](const char* file) { return (std::filesystem::path{folder} / file).string(); };
  const Json json = to_json(comparison);
  const std::string readme = with_local_runs(read(path(kReadmeFile)), path(kReadmeFile), json);
  write_file(path(kRecordFile), json.dump(1) + "\n");
  write_file(path(kFigureFile), figure(comparison.rows));
  write_file(path(kReadmeFile), readme);
  return {path(kRecordFile), path(kFigureFile), path(kReadmeFile)};
}

}  // namespace shardsim::validate::local

#include "validate/local/report.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "sim/report/format.hpp"
#include "validate/accuracy_figure.hpp"
#include "validate/summary_json.hpp"

namespace shardsim::validate::local {
namespace {

using Json = nlohmann::ordered_json;
using report::left;
using report::right;

constexpr std::size_t kNameWidth = 34;
constexpr double kFigureBand = 0.05;

std::string milliseconds(double seconds) { return report::fixed(1e3 * seconds, 1); }

std::string error_text(const Pair& pair) {
  const std::string text = report::fixed(100.0 * pair.error(), 1);
  return pair.error() >= 0.0 ? "+" + text : text;
}

void write_row(std::ostream& out, const Row& row) {
  out << left(row.job.name, kNameWidth);
  if (!row.scored()) {
    out << "  " << (row.failure.empty() ? "not run" : "FAILED: " + row.failure) << '\n';
    return;
  }
  const Pair step = row.step();
  const Pair exposed = row.exposed_communication();
  out << right(milliseconds(step.predicted), 9) << right(milliseconds(step.measured), 9) << right(error_text(step), 7)
      << right(step.covered() ? "yes" : "no", 5) << right(report::fixed(100.0 * row.spread(), 1), 6) << " |"
      << right(milliseconds(exposed.predicted), 7) << right(milliseconds(exposed.measured), 7) << " |"
      << right(error_text(row.allocated()), 6) << right(error_text(row.resident()), 7) << '\n';
}

void write_errors(std::ostream& out, const char* name, const ErrorStatistics& errors) {
  out << left(name, 22);
  for (const double value : {errors.median, errors.mape, errors.p90, errors.max, errors.bias}) {
    out << right(report::fixed(100.0 * value, 2), 9);
  }
  out << '\n';
}

void write_classes(std::ostream& out, const LocalSummary& summary) {
  out << "\nOperators              share of step  predicted/measured  median error, % of the step\n";
  for (std::size_t i = 0; i < kClasses; ++i) {
    const ClassSummary& one = summary.classes[i];
    out << left(kClassNames[i], 22) << right(report::fixed(100.0 * one.share, 1) + " %", 14)
        << right(report::fixed(one.ratio, 3), 20) << right(report::fixed(100.0 * one.median_of_step, 2), 29) << '\n';
  }
}

Json pair_json(const Pair& pair) { return {{"measured", pair.measured}, {"predicted", pair.predicted}}; }

Json row_json(const Row& row) {
  Json step = pair_json(row.step());
  step["p10"] = row.predicted.step.p10;
  step["p90"] = row.predicted.step.p90;
  step["spread"] = row.spread();
  const OperatorTimes measured = row.measured_operators();
  Json classes = Json::object();
  for (std::size_t i = 0; i < kClasses; ++i) {
    classes[std::string(kClassNames[i])] = {{"measured", measured.by_class[i]},
                                            {"predicted", row.predicted.operators.by_class[i]}};
  }
  return {{"name", row.job.name},
          {"ranks", row.job.ranks},
          {"step_s", std::move(step)},
          {"allocated_bytes", pair_json(row.allocated())},
          {"resident_bytes", pair_json(row.resident())},
          {"exposed_communication_s", pair_json(row.exposed_communication())},
          {"classes_s", std::move(classes)}};
}

void csv_pair(std::ostream& out, const Pair& pair) {
  out << ',' << pair.measured << ',' << pair.predicted << ',' << pair.error();
}

}  // namespace

void write_table(std::ostream& out, const Comparison& comparison) {
  const LocalSummary summary = summarise(comparison.rows);
  out << comparison.machine << "; profile: " << comparison.profile << "\n\n"
      << left("milliseconds, errors in %", kNameWidth) << "predicted measured  error  80 %  +/- |exposed   measured"
      << " | alloc. resident\n";
  for (const Row& row : comparison.rows) write_row(out, row);
  out << "\nErrors, %                median     mean      p90    worst     bias\n";
  write_errors(out, "step time", summary.time);
  write_errors(out, "  without drift", summary.time_without_drift);
  write_errors(out, "  medians", summary.time_of_medians);
  write_errors(out, "allocated memory", summary.allocated);
  write_errors(out, "resident memory", summary.resident);
  write_classes(out, summary);
  out << '\n'
      << summary.scored << " of " << summary.rows << " jobs compared; "
      << report::fixed(100.0 * summary.time.interval_coverage, 0) << " % of step times inside their 80 % interval; "
      << "rank correlation " << report::fixed(summary.rank_correlation, 3) << '\n'
      << "Repeats of a job differ by " << report::fixed(100.0 * summary.repeat_spread, 1)
      << " % (median). Beside the runs the machine computed "
      << report::fixed(100.0 * std::abs(summary.drift.since_calibration), 1) << " % "
      << (summary.drift.since_calibration < 0.0 ? "faster" : "slower") << " than when\nit was calibrated, varying by "
      << report::fixed(100.0 * summary.drift.spread, 1) << " % (10 % to 90 % quantile); " << comparison.run_again
      << " runs were done again because other programs used the machine.\n";
}

Json to_json(const Comparison& comparison) {
  const LocalSummary summary = summarise(comparison.rows);
  Json failed = Json::array();
  Json configurations = Json::array();
  for (const Row& row : comparison.rows) {
    if (row.scored()) {
      configurations.push_back(row_json(row));
    } else {
      failed.push_back({{"name", row.job.name}, {"reason", row.failure.empty() ? "not run" : row.failure}});
    }
  }
  Json classes = Json::object();
  for (std::size_t i = 0; i < kClasses; ++i) {
    const ClassSummary& one = summary.classes[i];
    classes[std::string(kClassNames[i])] = {
        {"share", one.share}, {"predicted_over_measured", one.ratio}, {"median_of_step", one.median_of_step}};
  }
  return Json{{"machine", comparison.machine},
              {"profile", comparison.profile},
              {"rows", summary.rows},
              {"scored", summary.scored},
              {"failed", std::move(failed)},
              {"time", to_json(summary.time)},
              {"time_without_drift", to_json(summary.time_without_drift)},
              {"time_of_medians", to_json(summary.time_of_medians)},
              {"memory", to_json(summary.allocated)},
              {"resident", to_json(summary.resident)},
              {"rank_correlation", summary.rank_correlation},
              {"repeat_spread", summary.repeat_spread},
              {"drift",
               {{"since_calibration", summary.drift.since_calibration},
                {"spread", summary.drift.spread},
                {"run_again", comparison.run_again}}},
              {"classes", std::move(classes)},
              {"configurations", std::move(configurations)}};
}

std::string rows_csv(const std::vector<Row>& rows) {
  std::ostringstream out;
  out.precision(9);
  out << "job,ranks,failure";
  for (const char* what : {"step_s", "allocated_bytes", "resident_bytes"}) {
    out << ",measured_" << what << ",predicted_" << what << ",error_" << what;
  }
  out << ",step_s_p10,step_s_p90,repeats,repeat_spread,measured_exposed_communication_s,"
      << "predicted_exposed_communication_s";
  for (const std::string_view name : kClassNames) out << ",measured_" << name << "_s,predicted_" << name << "_s";
  out << '\n';
  for (const Row& row : rows) {
    out << row.job.name << ',' << row.job.ranks << ",\"" << row.failure << '"';
    if (row.scored()) {
      csv_pair(out, row.step());
      csv_pair(out, row.allocated());
      csv_pair(out, row.resident());
      const Pair exposed = row.exposed_communication();
      out << ',' << row.predicted.step.p10 << ',' << row.predicted.step.p90 << ',' << row.runs.size() << ','
          << row.spread() << ',' << exposed.measured << ',' << exposed.predicted;
      const OperatorTimes measured = row.measured_operators();
      for (std::size_t i = 0; i < kClasses; ++i) {
        out << ',' << measured.by_class[i] << ',' << row.predicted.operators.by_class[i];
      }
    }
    out << '\n';
  }
  return out.str();
}

std::string operators_csv(const std::vector<Row>& rows) {
  std::ostringstream out;
  out.precision(9);
  out << "job,name,kind,pass,measured_count,predicted_count,measured_s,predicted_s\n";
  for (const Row& row : rows) {
    if (!row.scored()) continue;
    const auto measured = row.measured_operators().by_operator;
    auto all = measured;
    all.insert(row.predicted.operators.by_operator.begin(), row.predicted.operators.by_operator.end());
    for (const auto& [name, ignored] : all) {
      const auto of = [&name = name](const std::map<std::string, OperatorTime>& times) {
        const auto found = times.find(name);
        return found == times.end() ? OperatorTime{} : found->second;
      };
      const OperatorTime was = of(measured);
      const OperatorTime said = of(row.predicted.operators.by_operator);
      out << row.job.name << ',' << name << ',' << was.count << ',' << said.count << ',' << was.seconds << ','
          << said.seconds << '\n';
    }
  }
  return out.str();
}

std::string figure(const std::vector<Row>& rows) {
  std::vector<FigureSource> sources;
  for (const Row& row : rows) {
    if (!row.scored()) continue;
    const auto same = [&](const FigureSource& source) { return source.name == row.job.group; };
    auto source = std::find_if(sources.begin(), sources.end(), same);
    if (source == sources.end()) source = sources.insert(sources.end(), {row.job.group, {}});
    const Pair step = row.step();
    source->points.push_back({step.measured, step.predicted});
  }
  return accuracy_figure(std::move(sources), {"Predicted against measured steps on this machine", kFigureBand});
}

}  // namespace shardsim::validate::local

#include "validate/accuracy_table.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

#include "validate/readme_section.hpp"
#include "validate/report.hpp"

namespace shardsim::validate {
namespace {

constexpr std::size_t kNameWidth = 60;
constexpr std::string_view kStart = "<!-- accuracy table";
constexpr std::string_view kEnd = "<!-- end of accuracy table -->";

std::string percent(double fraction) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 100.0 * fraction;
  return text.str();
}

/// The cells of one row; what was not measured stays empty.
std::vector<std::string> cells(const std::string& name, const Summary& summary) {
  std::vector<std::string> row(15);
  row[0] = name;
  const ErrorStatistics& time = summary.time;
  if (time.n > 0) {
    row[1] = std::to_string(time.n);
    row[2] = percent(time.median);
    row[3] = percent(time.mape);
    row[4] = percent(time.p90);
    row[5] = (time.bias > 0.0 ? "+" : "") + percent(time.bias);
    row[6] = percent(time.interval_coverage);
  }
  if (summary.after_one_scale.n > 0) row[7] = percent(summary.after_one_scale.median);
  if (summary.transfer.time.n > 0) row[8] = percent(summary.transfer.time.mape);
  if (summary.repeats.n > 0) row[9] = percent(summary.repeats.spread);
  const ErrorStatistics& memory = summary.memory;
  if (memory.n > 0) {
    row[10] = std::to_string(memory.n);
    row[11] = percent(memory.median);
    row[12] = percent(memory.mape);
    row[13] = percent(memory.p90);
  }
  if (summary.transfer.memory.n > 0) row[14] = percent(summary.transfer.memory.mape);
  return row;
}

std::vector<std::pair<std::string, const Summary*>> worst_first(const AccuracyGroup& group) {
  std::vector<std::pair<std::string, const Summary*>> rows;
  for (const auto& [source, summary] : group.by_source) rows.emplace_back(source, &summary);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair{a.second->time.mape, a.second->memory.mape} >
           std::pair{b.second->time.mape, b.second->memory.mape};
  });
  return rows;
}

void write_rows(std::ostream& out, const AccuracyGroup& group) {
  out << "| source | time of | median | mean | p90 | bias | in 80 % | one scale | left out | repeats | memory of | "
         "median "
         "| mean | p90 | left out |\n"
         "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  const auto write = [&](const std::string& name, const Summary& summary) {
    if (summary.time.n == 0 && summary.memory.n == 0) return;
    for (const std::string& cell : cells(name, summary)) out << "| " << cell << (cell.empty() ? "" : " ");
    out << "|\n";
  };
  for (const auto& [source, summary] : worst_first(group)) write(shortened(source, kNameWidth), *summary);
  write("**all**", group.all);
  write("**median source**", median_source(group.by_source));
}

void write_outcomes(std::ostream& out, const std::string& name, const Confusion& fit) {
  out << "- " << name << ": " << fit.true_fit << " of " << fit.true_fit + fit.false_oom << " runs that fitted and "
      << fit.true_oom << " of " << fit.true_oom + fit.false_fit << " that ran out of memory are called right";
  if (fit.balanced_accuracy() > 0.0) out << " (balanced accuracy " << percent(fit.balanced_accuracy()) << " %)";
  out << ".\n";
}

void write_scaling(std::ostream& out, const std::vector<ScalingPoint>& points) {
  if (points.empty()) return;
  out << "\nWeak scaling of the first Megatron-LM: FLOP/s per GPU over that of one GPU, in per cent.\n\n"
         "| run | measured | predicted | points off | predicted times |\n|---|--:|--:|--:|--:|\n";
  for (const ScalingPoint& point : points) {
    out << "| " << point.id << " | " << percent(point.measured) << " | " << percent(point.predicted) << " | "
        << percent(point.predicted - point.measured) << " | " << percent(point.predicted_by_time) << " |\n";
  }
}

}  // namespace

std::string accuracy_table(const AccuracyRecord& record) {
  std::ostringstream out;
  out << "Quality A, in per cent of the measured value, worst source first:\n\n";
  write_rows(out, record.quality_a);
  out << "\nDoes it fit?\n\n";
  write_outcomes(out, "all sources", record.quality_a.all.fit);
  for (const auto& [source, summary] : record.quality_a.by_source) {
    if (summary.fit.true_oom + summary.fit.false_fit > 0)
      write_outcomes(out, shortened(source, kNameWidth), summary.fit);
  }
  write_scaling(out, record.weak_scaling);
  out << "\nConfigurations with something missing or inferred, toy models and plot readings:\n\n";
  write_rows(out, record.other_qualities);
  out << "\nRuns that their source makes suspect (composed times, thrashing, offload named in a remark only):\n\n";
  write_rows(out, record.suspect);
  const FittedConstants& fitted = record.fitted_constants;
  out << "\nFitted constants, guesses included: " << fitted.stacks << " in software stacks (to training runs), "
      << fitted.devices << " in devices and " << fitted.clusters
      << " in clusters (to measured kernels and collectives).\n";
  return out.str();
}

std::string with_accuracy_table(const std::string& readme, const std::string& file, const AccuracyRecord& record) {
  return with_section(readme, file, {kStart, kEnd}, accuracy_table(record));
}

}  // namespace shardsim::validate

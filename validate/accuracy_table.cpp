#include "validate/accuracy_table.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

#include "sim/base/problems.hpp"

namespace shardsim::validate {
namespace {

constexpr std::string_view kStart = "<!-- accuracy table";
constexpr std::string_view kEnd = "<!-- end of accuracy table -->";

std::string percent(double fraction) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 100.0 * fraction;
  return text.str();
}

/// "| 61 | 4.5 | 6.3 | 12.0 | +3.1 | 88 " or empty cells.
void write_time(std::ostream& out, const Summary& summary) {
  const ErrorStatistics& time = summary.time;
  if (time.n == 0) {
    out << "| | | | | | | ";
    return;
  }
  out << "| " << time.n << " | " << percent(time.median) << " | " << percent(time.mape) << " | " << percent(time.p90)
      << " | " << (time.bias > 0.0 ? "+" : "") << percent(time.bias) << " | " << percent(time.interval_coverage)
      << " | " << (summary.after_one_scale.n > 0 ? percent(summary.after_one_scale.median) : "");
}

void write_memory(std::ostream& out, const ErrorStatistics& memory) {
  if (memory.n == 0) {
    out << " | | | |";
    return;
  }
  out << " | " << memory.n << " | " << percent(memory.median) << " | " << percent(memory.mape) << " | "
      << percent(memory.p90);
  out << " |";
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
  out << "| source | time of | median | mean | p90 | bias | in 80 % | one scale | memory of | median | mean | p90 |\n"
         "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  const auto write = [&](const std::string& name, const Summary& summary) {
    if (summary.time.n == 0 && summary.memory.n == 0) return;
    out << "| " << name << ' ';
    write_time(out, summary);
    write_memory(out, summary.memory);
    out << '\n';
  };
  for (const auto& [source, summary] : worst_first(group)) write(source, *summary);
  write("**all**", group.all);
}

void write_outcomes(std::ostream& out, const std::string& name, const Confusion& fit) {
  out << name << ": " << fit.true_fit << " of " << fit.true_fit + fit.false_oom << " runs that fitted and "
      << fit.true_oom << " of " << fit.true_oom + fit.false_fit
      << " that ran out of memory are called right (balanced accuracy " << percent(fit.balanced_accuracy()) << " %).\n";
}

}  // namespace

std::string accuracy_table(const AccuracyRecord& record) {
  std::ostringstream out;
  out << "Quality A, in per cent of the measured value, worst source first:\n\n";
  write_rows(out, record.quality_a);
  out << "\nFits or not. ";
  write_outcomes(out, "All", record.quality_a.all.fit);
  for (const auto& [source, summary] : record.quality_a.by_source) {
    if (summary.fit.true_oom + summary.fit.false_fit > 0) write_outcomes(out, source, summary.fit);
  }
  out << "\nConfigurations with something missing or inferred, toy models and plot readings:\n\n";
  write_rows(out, record.other_qualities);
  out << "\nRuns that their source makes suspect (composed times, thrashing, offload named in a remark only):\n\n";
  write_rows(out, record.suspect);
  out << '\n' << record.fitted_constants << " constants of all profiles together were fitted on training runs.\n";
  return out.str();
}

std::string with_accuracy_table(const std::string& readme, const std::string& file, const AccuracyRecord& record) {
  const std::size_t start = readme.find(kStart);
  const std::size_t line_end = readme.find('\n', start);
  const std::size_t end = readme.find(kEnd, start);
  if (start == std::string::npos || line_end == std::string::npos || end == std::string::npos || end < line_end) {
    throw InputError({Problem{
        {file, 0, ""},
        "",
        "",
        "has no lines \"" + std::string{kStart} + " ... -->\" and \"" + std::string{kEnd} + "\" for the table"}});
  }
  return readme.substr(0, line_end + 1) + '\n' + accuracy_table(record) + '\n' + readme.substr(end);
}

}  // namespace shardsim::validate

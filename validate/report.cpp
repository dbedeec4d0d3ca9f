#include "validate/report.hpp"

#include <iomanip>
#include <ostream>
#include <sstream>

#include "validate/summary_json.hpp"

namespace shardsim::validate {
namespace {

using Json = nlohmann::ordered_json;

Json by_source(const std::map<std::string, Summary>& sources) {
  Json list = Json::array();
  for (const auto& [source, summary] : sources) {
    Json entry{{"source", source}};
    entry.update(to_json(summary));
    list.push_back(std::move(entry));
  }
  return list;
}

void write_percent(std::ostream& out, double fraction, int width) {
  out << std::setw(width) << std::fixed << std::setprecision(1) << 100.0 * fraction;
}

void write_errors(std::ostream& out, const ErrorStatistics& statistics) {
  out << std::setw(6) << statistics.n;
  if (statistics.n == 0) {
    out << "     -     -     -      -     -";
    return;
  }
  for (const double error : {statistics.median, statistics.mape, statistics.p90}) write_percent(out, error, 6);
  write_percent(out, statistics.bias, 7);
  write_percent(out, statistics.interval_coverage, 6);
}

constexpr int kSourceWidth = 44;

void write_line(std::ostream& out, const std::string& source, const Summary& summary) {
  out << std::left << std::setw(kSourceWidth) << shortened(source, kSourceWidth - 1) << std::right;
  write_errors(out, summary.time);
  if (summary.after_one_scale.n > 0) {
    write_percent(out, summary.after_one_scale.median, 7);
  } else {
    out << "      -";
  }
  if (summary.transfer.time.n > 0) {
    write_percent(out, summary.transfer.time.mape, 7);
  } else {
    out << "      -";
  }
  if (summary.repeats.n > 0) {
    write_percent(out, summary.repeats.spread, 7);
  } else {
    out << "      -";
  }
  out << " |";
  write_errors(out, summary.memory);
  out << '\n';
}

void write_optional_pair(std::ostream& out, const std::optional<Pair>& pair) {
  if (pair) {
    out << ',' << pair->measured << ',' << pair->predicted << ',' << pair->error();
  } else {
    out << ",,,";
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string{"\"\""} : std::string{c};
  return result + '"';
}

}  // namespace

void write_table(std::ostream& out, const Evaluation& evaluation) {
  out << std::left << std::setw(kSourceWidth) << "% of the measured value" << std::right
      << "  time median  mape   p90   bias   80%  scale1   left repeats |   mem median  mape   p90   bias   80%\n";
  for (const auto& [source, summary] : evaluation.by_source) write_line(out, source, summary);
  write_line(out, "all", evaluation.all);
  if (evaluation.by_source.size() > 1) write_line(out, "median source", median_source(evaluation.by_source));
  if (evaluation.suspect.scored > 0) {
    out << "suspect rows, scored apart\n";
    for (const auto& [source, summary] : evaluation.suspect_by_source) write_line(out, source, summary);
  }
  const Confusion& fit = evaluation.all.fit;
  out << "fits: " << fit.true_fit << " right, " << fit.false_oom
      << " called out of memory; ran out of memory: " << fit.true_oom << " right, " << fit.false_fit
      << " called fitting\n";
  out << evaluation.rows << " rows, " << evaluation.all.scored << " scored, " << evaluation.suspect.scored
      << " scored apart";
  std::size_t skipped = 0;
  for (const auto& [reason, count] : evaluation.skipped) skipped += count;
  out << ", " << skipped << " skipped\n";
  for (const auto& [reason, count] : evaluation.skipped) out << std::setw(6) << count << "  " << reason << '\n';
  const FittedConstants& fitted = evaluation.fitted_constants;
  out << "fitted constants: " << fitted.stacks << " in stacks, " << fitted.devices << " in devices, " << fitted.clusters
      << " in clusters\n";
}

void write_json(std::ostream& out, const Evaluation& evaluation) {
  Json object{{"rows", evaluation.rows}, {"scored", evaluation.all.scored}, {"skipped", Json::array()}};
  for (const auto& [reason, count] : evaluation.skipped) {
    object["skipped"].push_back({{"reason", reason}, {"count", count}});
  }
  object.update(to_json(evaluation.all));
  object["by_source"] = by_source(evaluation.by_source);
  object["suspect"] = to_json(evaluation.suspect);
  object["suspect"]["by_source"] = by_source(evaluation.suspect_by_source);
  const FittedConstants& fitted = evaluation.fitted_constants;
  object["fitted_constants"] = fitted.total();
  object["fitted_constants_by_kind"] = {
      {"stacks", fitted.stacks}, {"devices", fitted.devices}, {"clusters", fitted.clusters}};
  // Reasons may hold text of the input in any encoding.
  out << object.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string rows_csv(const std::vector<Result>& results) {
  std::ostringstream out;
  out << "id,source,where,quality,suspect,skipped,measured_s,predicted_s,time_error,measured_bytes,predicted_bytes,"
         "memory_error,outcome,predicted_outcome\n"
      << std::setprecision(10);
  for (const Result& result : results) {
    for (const std::string* text : {&result.id, &result.source, &result.where, &result.quality, &result.suspect}) {
      out << quoted(*text) << ',';
    }
    out << quoted(result.skipped);
    write_optional_pair(out, result.time);
    write_optional_pair(out, result.memory);
    out << ',';
    if (result.outcome) out << (*result.outcome == Outcome::fits ? "fits" : "oom");
    out << ',';
    if (result.skipped.empty()) out << (result.predicted_fit ? "fits" : "oom");
    out << '\n';
  }
  return out.str();
}

std::string shortened(const std::string& name, std::size_t width) {
  if (name.size() <= width) return name;
  const std::size_t tail = (width - 2) / 3;
  return name.substr(0, width - 2 - tail) + ".." + name.substr(name.size() - tail);
}

}  // namespace shardsim::validate

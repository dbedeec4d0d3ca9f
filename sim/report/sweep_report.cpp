#include "sim/report/sweep_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/model/enum_text.hpp"
#include "sim/report/format.hpp"
#include "sim/report/layout_json.hpp"

namespace shardsim::report {
namespace {

using nlohmann::ordered_json;

const engine::Prediction& prediction_of(const SweepPoint& point) { return point.candidate->prediction; }

std::string_view status_of(const SweepPoint& point) {
  if (!point.candidate) return "invalid";
  return point.fits() ? "ok" : "does_not_fit";
}

const MetricText& text_of(Metric metric) {
  return *std::find_if(metrics().begin(), metrics().end(), [&](const MetricText& m) { return m.metric == metric; });
}

std::string metric_text(const SweepPoint& point, Metric metric) {
  const auto value = metric_of(point, metric);
  if (!value) return "no price";
  switch (metric) {
    case Metric::iteration_s:
      return duration(Seconds{*value});
    case Metric::tokens_per_s:
      return grouped(std::llround(*value));
    case Metric::tflops:
      return fixed(*value, 1);
    case Metric::mfu:
      return percent(*value);
    case Metric::memory:
      return fixed(*value, 2) + " GiB";
    case Metric::cost:
      return grouped(std::llround(*value));
  }
  return {};
}

/// What a cell of a matrix says.
std::string cell(const SweepPoint& point, Metric metric) {
  if (!point.candidate) return "invalid";
  return point.fits() ? metric_text(point, metric) : "no fit";
}

std::string remark(const SweepPoint& point, bool replanned) {
  if (!point.candidate) return "invalid: " + point.reason;
  if (!point.fits()) return "DOES NOT FIT: " + gib(Bytes{0} - prediction_of(point).memory.margin()) + " GiB too much";
  return replanned ? layout_text(point.candidate->scenario) : "";
}

void write_rows(std::ostream& out, const Sweep& sweep) {
  const std::string& name = sweep.axes[0].name;
  std::size_t width = name.size();
  for (const SweepPoint& point : sweep.points) width = std::max(width, point.values[0].size());
  const bool priced = sweep.metric == Metric::cost;
  out << left(name, width) << "   iteration      80 % interval        tokens/s     MFU  memory, GiB"
      << (priced ? "  USD/B tokens" : "") << '\n';
  for (const SweepPoint& point : sweep.points) {
    std::string line = right(point.values[0], width);
    if (point.candidate) {
      const engine::Prediction& p = prediction_of(point);
      line += right(duration(p.iteration), 12) +
              right(duration(p.iteration_p10) + " to " + duration(p.iteration_p90), 23) +
              right(grouped(std::llround(p.tokens_per_s)), 13) + right(percent(p.mfu), 8) +
              right(gib(p.memory.worst().device_used), 13);
      if (priced) line += right(metric_text(point, Metric::cost), 14);
    }
    const std::string note = remark(point, sweep.replanned);
    if (!note.empty()) line += "  " + (point.candidate ? note : one_line(note, 120));
    out << line << '\n';
  }
}

void write_matrix(std::ostream& out, const Sweep& sweep) {
  const SweepAxis& rows = sweep.axes[0];
  const SweepAxis& columns = sweep.axes[1];
  std::size_t width = 8;
  for (const std::string& value : columns.values) width = std::max(width, value.size());
  for (const SweepPoint& point : sweep.points) width = std::max(width, cell(point, sweep.metric).size());
  std::size_t first = rows.name.size();
  for (const std::string& value : rows.values) first = std::max(first, value.size());
  out << text_of(sweep.metric).title << "; across: " << columns.name << '\n' << left(rows.name, first);
  for (const std::string& value : columns.values) out << "  " << right(value, width);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    if (i % columns.values.size() == 0) out << '\n' << right(point.values[0], first);
    out << "  " << right(cell(point, sweep.metric), width);
  }
  out << '\n';
  std::vector<std::string> reasons;
  for (const SweepPoint& point : sweep.points) {
    if (point.candidate || std::find(reasons.begin(), reasons.end(), point.reason) != reasons.end()) continue;
    reasons.push_back(point.reason);
    if (reasons.size() <= 5) {
      out << "invalid at " << point.values[0] << ", " << point.values[1] << ": " << one_line(point.reason, 120) << '\n';
    }
  }
  if (reasons.size() > 5) out << "and for " << reasons.size() - 5 << " other reasons\n";
}

ordered_json point_json(const Sweep& sweep, const SweepPoint& point) {
  ordered_json json;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) json["values"][sweep.axes[i].name] = point.values[i];
  json["status"] = status_of(point);
  if (!point.candidate) {
    json["reason"] = point.reason;
    return json;
  }
  const engine::Prediction& p = prediction_of(point);
  json["iteration_s"] = p.iteration.value();
  json["iteration_s_p10"] = p.iteration_p10.value();
  json["iteration_s_p90"] = p.iteration_p90.value();
  json["tokens_per_s"] = p.tokens_per_s;
  json["mfu"] = p.mfu;
  json["model_tflops_per_gpu"] = p.model_flops_per_gpu.value() / 1e12;
  json["memory_bytes"] = p.memory.worst().device_used.value();
  json["margin_bytes"] = p.memory.margin().value();
  const auto cost = metric_of(point, Metric::cost);
  json["usd_per_billion_tokens"] = cost ? ordered_json(*cost) : ordered_json(nullptr);
  json["gpus"] = point.candidate->scenario.gpus;
  json["layout"] = layout_json(point.candidate->scenario);
  return json;
}

/// Quoted where commas or quotes stand in it (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_value(const ordered_json& value) {
  if (value.is_null()) return "";
  return csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

const std::vector<MetricText>& metrics() {
  static const std::vector<MetricText> all = {{Metric::iteration_s, "iteration_s", "iteration, s"},
                                              {Metric::tokens_per_s, "tokens_per_s", "tokens/s"},
                                              {Metric::tflops, "tflops", "TFLOP/s per GPU"},
                                              {Metric::mfu, "mfu", "MFU"},
                                              {Metric::memory, "memory", "memory of the worst stage, GiB"},
                                              {Metric::cost, "cost", "USD per billion tokens"}};
  return all;
}

std::optional<double> metric_of(const SweepPoint& point, Metric metric) {
  if (!point.candidate) return {};
  const engine::Prediction& p = prediction_of(point);
  switch (metric) {
    case Metric::iteration_s:
      return p.iteration.value();
    case Metric::tokens_per_s:
      return p.tokens_per_s;
    case Metric::tflops:
      return p.model_flops_per_gpu.value() / 1e12;
    case Metric::mfu:
      return p.mfu;
    case Metric::memory:
      return p.memory.worst().device_used / 1_GiB;
    case Metric::cost: {
      if (point.usd_per_gpu_hour <= 0.0) return {};
      const auto gpus = static_cast<double>(point.candidate->scenario.gpus);
      return point.usd_per_gpu_hour * gpus * (1e9 / p.tokens_per_s) / 3600.0;
    }
  }
  return {};
}

std::string layout_text(const model::Scenario& scenario) {
  const model::Parallelism& p = scenario.parallelism;
  std::string text = "TP " + std::to_string(p.tensor_model_parallel_size);
  if (p.context_parallel_size > 1) text += " x CP " + std::to_string(p.context_parallel_size);
  text += " x PP " + std::to_string(p.pipeline_model_parallel_size);
  if (p.virtual_pipeline_model_parallel_size > 1) {
    text += " (" + std::to_string(p.virtual_pipeline_model_parallel_size) + " chunks)";
  }
  return text + " x DP " + std::to_string(p.data_parallel_size) + ", micro batch " +
         std::to_string(scenario.training.micro_batch_size) + ", recompute " +
         std::string(model::choice_text(scenario.training.recompute.granularity));
}

Chart chart_of(const Sweep& sweep) {
  Chart chart;
  chart.x_name = sweep.axes[0].name;
  chart.x_labels = sweep.axes[0].values;
  chart.y_name = text_of(sweep.metric).title;
  const bool two = sweep.axes.size() > 1;
  const std::size_t lines = two ? sweep.axes[1].values.size() : 1;
  for (std::size_t line = 0; line < lines; ++line) {
    Series series{two ? sweep.axes[1].name + " " + sweep.axes[1].values[line] : "", {}};
    for (std::size_t i = line; i < chart.x_labels.size() * lines; i += lines) {
      const bool drawn = i < sweep.points.size() && sweep.points[i].fits();
      series.values.push_back(drawn ? metric_of(sweep.points[i], sweep.metric) : std::nullopt);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void write_table(std::ostream& out, const Sweep& sweep) {
  out << sweep.name << (sweep.replanned ? "; the best layout at every point" : "") << '\n';
  if (sweep.axes.size() == 1) {
    write_rows(out, sweep);
  } else {
    write_matrix(out, sweep);
  }
  if (sweep.interrupted) out << "interrupted: further points were not computed\n";
  out << '\n';
  write_text_chart(out, chart_of(sweep));
}

void write_json(std::ostream& out, const Sweep& sweep) {
  ordered_json json;
  json["name"] = sweep.name;
  json["axes"] = ordered_json::array();
  for (const SweepAxis& axis : sweep.axes) json["axes"].push_back({{"key", axis.name}, {"values", axis.values}});
  json["metric"] = text_of(sweep.metric).name;
  json["replanned"] = sweep.replanned;
  json["interrupted"] = sweep.interrupted;
  json["points"] = ordered_json::array();
  for (const SweepPoint& point : sweep.points) json["points"].push_back(point_json(sweep, point));
  out << json.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void write_csv(std::ostream& out, const Sweep& sweep) {
  constexpr std::array kColumns = {"status",
                                   "reason",
                                   "iteration_s",
                                   "iteration_s_p10",
                                   "iteration_s_p90",
                                   "tokens_per_s",
                                   "mfu",
                                   "model_tflops_per_gpu",
                                   "memory_bytes",
                                   "margin_bytes",
                                   "usd_per_billion_tokens",
                                   "gpus"};
  constexpr std::array kLayout = {
      "tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size",
      "context_parallel_size",      "data_parallel_size",           "micro_batch_size",
      "recompute_granularity"};
  for (const SweepAxis& axis : sweep.axes) out << csv_field(axis.name) << ',';
  for (const char* column : kColumns) out << column << ',';
  for (const char* column : kLayout) out << column << (column == kLayout.back() ? "\n" : ",");
  for (const SweepPoint& point : sweep.points) {
    const ordered_json json = point_json(sweep, point);
    for (const std::string& value : point.values) out << csv_field(value) << ',';
    for (const char* column : kColumns) out << csv_value(json.value(column, ordered_json())) << ',';
    const ordered_json layout = json.value("layout", ordered_json::object());
    for (const char* column : kLayout) {
      out << csv_value(layout.value(column, ordered_json())) << (column == kLayout.back() ? "\n" : ",");
    }
  }
}

}  // namespace shardsim::report

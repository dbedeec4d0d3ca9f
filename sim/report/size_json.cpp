#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/model/parameters.hpp"
#include "sim/report/csv.hpp"
#include "sim/report/layout_json.hpp"
#include "sim/report/prediction_json.hpp"
#include "sim/report/size_summary.hpp"

namespace shardsim::report {
namespace {

using nlohmann::ordered_json;

ordered_json estimate_json(const plan::Estimate& estimate) {
  return {{"expected", estimate.expected}, {"p10", estimate.p10}, {"p90", estimate.p90}};
}

ordered_json point_json(const plan::SizePoint& point) {
  const plan::RunEstimate& run = point.run;
  const engine::Prediction& prediction = point.candidate.prediction;
  const bool priced = run.usd.expected > 0.0;
  return {{"gpus", point.gpus},
          {"layout", layout_json(point.candidate.scenario)},
          {"iteration_s", prediction.iteration.value()},
          {"iteration_s_p10", prediction.iteration_p10.value()},
          {"iteration_s_p90", prediction.iteration_p90.value()},
          {"mfu", prediction.mfu},
          {"memory_bytes", prediction.memory.worst().device_used.value()},
          {"margin_bytes", prediction.memory.margin().value()},
          {"iterations", run.iterations},
          {"productive_s", run.productive.value()},
          {"goodput", run.goodput},
          {"scaling_efficiency", point.scaling_efficiency},
          {"usd_per_day_saved", point.usd_per_day_saved},
          {"checkpoint_bytes", run.checkpoint.value()},
          {"checkpoint_s", run.checkpoint_time.value()},
          {"checkpoint_interval_s", run.checkpoint_interval.value()},
          {"between_failures_s", run.between_failures.value()},
          {"expected_failures", run.expected_failures},
          {"wall_clock_s", estimate_json(run.wall_clock)},
          {"energy_kwh", estimate_json(run.energy_kwh)},
          {"usd", priced ? estimate_json(run.usd) : ordered_json(nullptr)}};
}

ordered_json cluster_json(const SizedCluster& sized) {
  ordered_json json;
  json["cluster"] = sized.cluster;
  json["device"] = sized.device;
  json["status"] = status_of(sized);
  if (!sized.unsuitable.empty()) json["reason"] = sized.unsuitable;
  json["usd_per_gpu_hour"] = estimate_json(sized.economics.usd_per_gpu_hour);
  json["price_origin"] = sized.price_origin;
  const auto gpus = [&](const std::optional<std::size_t>& place) {
    return place ? ordered_json(sized.sizing.points[*place].gpus) : ordered_json(nullptr);
  };
  json["smallest"] = gpus(sized.sizing.smallest);
  json["cheapest"] = gpus(sized.sizing.cheapest);
  json["worthwhile"] = gpus(sized.sizing.worthwhile);
  json["nearest"] = gpus(sized.sizing.nearest);
  json["points"] = ordered_json::array();
  for (const plan::SizePoint& point : sized.sizing.points) json["points"].push_back(point_json(point));
  return json;
}

ordered_json name_or_null(const SizedCluster* sized) {
  return sized != nullptr ? ordered_json(sized->cluster) : ordered_json(nullptr);
}

/// A point with nothing nested: "usd_p10".
ordered_json flat_point(const SizedCluster& sized, const plan::SizePoint& point) {
  ordered_json flat;
  flat["cluster"] = sized.cluster;
  const ordered_json nested = point_json(point);
  for (const auto& [key, value] : nested.items()) {
    if (key == "usd" && value.is_null()) {
      for (const char* part : {"usd_expected", "usd_p10", "usd_p90"}) flat[part] = nullptr;
    } else if (value.is_object()) {
      for (const auto& [inner, number] : value.items()) flat[key == "layout" ? inner : key + "_" + inner] = number;
    } else {
      flat[key] = value;
    }
  }
  return flat;
}

}  // namespace

void write_json(std::ostream& out, const SizeReport& report) {
  ordered_json json;
  json["name"] = report.name;
  json["tokens"] = report.goal.tokens;
  json["deadline_s"] = report.goal.deadline.value();
  json["budget_usd"] = report.goal.budget > 0.0 ? ordered_json(report.goal.budget) : ordered_json(nullptr);
  json["smallest"] = name_or_null(smallest(report));
  json["cheapest"] = name_or_null(cheapest(report));
  json["interrupted"] = report.interrupted;
  json["assumed"] = report.assumed;
  json["clusters"] = ordered_json::array();
  for (const SizedCluster& sized : report.clusters) json["clusters"].push_back(cluster_json(sized));
  write(out, json);
}

void write_csv(std::ostream& out, const SizeReport& report) {
  std::vector<ordered_json> flat;
  for (const SizedCluster& sized : report.clusters) {
    for (const plan::SizePoint& point : sized.sizing.points) flat.push_back(flat_point(sized, point));
  }
  std::vector<Columns> rows;
  for (const ordered_json& point : flat) {
    Columns row;
    for (const auto& [name, value] : point.items()) {
      row.emplace_back(name, value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
    }
    rows.push_back(std::move(row));
  }
  write_csv_rows(out, rows);
}

void write_json(std::ostream& out, const LargestReport& report) {
  const plan::Largest& largest = report.largest;
  const engine::Prediction& prediction = largest.candidate.prediction;
  write(out, {{"name", report.name},
              {"cluster", report.cluster},
              {"gpus", report.gpus},
              {"dimension", report.dimension},
              {"value", largest.value},
              {"step", largest.step},
              {"too_large", largest.too_large},
              {"excess_bytes", largest.excess.value()},
              {"parameters", model::total_parameters(largest.candidate.scenario)},
              {"iteration_s", prediction.iteration.value()},
              {"memory_bytes", prediction.memory.worst().device_used.value()},
              {"margin_bytes", prediction.memory.margin().value()},
              {"layout", layout_json(largest.candidate.scenario)}});
}

}  // namespace shardsim::report

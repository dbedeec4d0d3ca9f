#include "validate/accuracy_record.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "sim/base/problems.hpp"
#include "validate/summary_json.hpp"

namespace shardsim::validate {
namespace {

using Json = nlohmann::ordered_json;

AccuracyGroup group_of(const std::vector<const Result*>& rows) { return {summarise(rows), summarise_by_source(rows)}; }

/// Four decimals of every fraction: what changes below is noise of compilers.
void round_all(Json& json) {
  if (json.is_number_float()) json = std::round(json.get<double>() * 1e4) / 1e4;
  if (json.is_structured()) {
    for (Json& value : json) round_all(value);
  }
}

Json group_json(const AccuracyGroup& group) {
  Json json{{"all", to_json(group.all)}, {"by_source", Json::object()}};
  for (const auto& [source, summary] : group.by_source) json["by_source"][source] = to_json(summary);
  return json;
}

AccuracyGroup group_from_json(const Json& json) {
  AccuracyGroup group;
  group.all = summary_from_json(json.at("all"));
  for (const auto& [source, summary] : json.at("by_source").items()) {
    group.by_source[source] = summary_from_json(summary);
  }
  return group;
}

Json scaling_json(const std::vector<ScalingPoint>& points) {
  Json json = Json::array();
  for (const ScalingPoint& point : points) {
    json.push_back({{"id", point.id},
                    {"measured", point.measured},
                    {"predicted", point.predicted},
                    {"predicted_by_time", point.predicted_by_time}});
  }
  return json;
}

std::vector<ScalingPoint> scaling_from_json(const Json& json) {
  std::vector<ScalingPoint> points;
  for (const Json& point : json.value("weak_scaling", Json::array())) {
    points.push_back({point.at("id"), point.at("measured"), point.at("predicted"), point.at("predicted_by_time")});
  }
  return points;
}

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_{tolerance} {}

  void compare(const std::string& group, const AccuracyGroup& recorded, const AccuracyGroup& now) {
    compare(group + ", all", recorded.all, now.all);
    for (const auto& [source, summary] : recorded.by_source) {
      const auto found = now.by_source.find(source);
      if (found == now.by_source.end()) {
        lines_.push_back(group + ", " + source + ": is gone");
      } else {
        compare(group + ", " + source, summary, found->second);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> lines() const { return lines_; }

 private:
  void compare(const std::string& name, const Summary& recorded, const Summary& now) {
    errors(name + ": time", recorded.time, now.time);
    errors(name + ": memory", recorded.memory, now.memory);
    if (now.scored < recorded.scored) {
      lines_.push_back(name + ": " + std::to_string(now.scored) + " rows scored, recorded " +
                       std::to_string(recorded.scored));
    }
    if (recorded.fit.balanced_accuracy() > 0.0) {
      error(name + ": wrong outcomes", 1.0 - recorded.fit.balanced_accuracy(), 1.0 - now.fit.balanced_accuracy());
    }
  }

  void errors(const std::string& name, const ErrorStatistics& recorded, const ErrorStatistics& now) {
    if (recorded.n == 0 || now.n == 0) return;
    error(name + " median", recorded.median, now.median);
    error(name + " mean", recorded.mape, now.mape);
  }

  void error(const std::string& name, double recorded, double now) {
    if (now <= recorded + tolerance_) return;
    std::ostringstream line;
    line << name << ": " << std::fixed << std::setprecision(2) << 100.0 * now << " %, recorded " << 100.0 * recorded
         << " %";
    lines_.push_back(line.str());
  }

  double tolerance_;
  std::vector<std::string> lines_;
};

}  // namespace

AccuracyRecord accuracy_of(const std::vector<Result>& results) {
  std::vector<const Result*> quality_a;
  std::vector<const Result*> other;
  std::vector<const Result*> suspect;
  for (const Result& result : results) {
    if (!result.skipped.empty()) continue;
    const bool of_a = result.quality.empty() || result.quality == "A";
    (!result.suspect.empty() ? suspect : of_a ? quality_a : other).push_back(&result);
  }
  return {group_of(quality_a), group_of(other), group_of(suspect), weak_scaling(results), fitted_constants()};
}

std::string to_text(const AccuracyRecord& record) {
  Json json{{"quality_a", group_json(record.quality_a)},
            {"other_qualities", group_json(record.other_qualities)},
            {"suspect", group_json(record.suspect)},
            {"weak_scaling", scaling_json(record.weak_scaling)},
            {"fitted_constants",
             {{"stacks", record.fitted_constants.stacks},
              {"devices", record.fitted_constants.devices},
              {"clusters", record.fitted_constants.clusters}}}};
  round_all(json);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

AccuracyRecord read_accuracy_record(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    const Json& fitted = json.at("fitted_constants");
    return {group_from_json(json.at("quality_a")),
            group_from_json(json.at("other_qualities")),
            group_from_json(json.at("suspect")),
            scaling_from_json(json),
            {fitted.at("stacks"), fitted.at("devices"), fitted.at("clusters")}};
  } catch (const Json::exception& error) {
    throw InputError({Problem{{file, 0, ""}, "", "", std::string{"is no recorded accuracy: "} + error.what()}});
  }
}

std::vector<std::string> worse_than_recorded(const AccuracyRecord& recorded, const AccuracyRecord& now,
                                             double tolerance) {
  Comparison comparison{tolerance};
  comparison.compare("quality A", recorded.quality_a, now.quality_a);
  comparison.compare("other qualities", recorded.other_qualities, now.other_qualities);
  comparison.compare("suspect", recorded.suspect, now.suspect);
  return comparison.lines();
}

}  // namespace shardsim::validate

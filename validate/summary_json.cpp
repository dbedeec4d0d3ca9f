#include "validate/summary_json.hpp"

namespace shardsim::validate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Confusion& fit) {
  return {{"true_fit", fit.true_fit},
          {"false_fit", fit.false_fit},
          {"true_oom", fit.true_oom},
          {"false_oom", fit.false_oom},
          {"balanced_accuracy", fit.balanced_accuracy()}};
}

ErrorStatistics errors_from_json(const Json& json) {
  ErrorStatistics statistics;
  json.at("n").get_to(statistics.n);
  json.at("median").get_to(statistics.median);
  json.at("mape").get_to(statistics.mape);
  json.at("p90").get_to(statistics.p90);
  json.at("max").get_to(statistics.max);
  json.at("bias").get_to(statistics.bias);
  json.at("interval_coverage").get_to(statistics.interval_coverage);
  return statistics;
}

}  // namespace

Json to_json(const ErrorStatistics& statistics) {
  return {{"n", statistics.n},
          {"median", statistics.median},
          {"mape", statistics.mape},
          {"p90", statistics.p90},
          {"max", statistics.max},
          {"bias", statistics.bias},
          {"interval_coverage", statistics.interval_coverage}};
}

Json to_json(const Summary& summary) {
  Json json{{"scored", summary.scored}, {"time", to_json(summary.time)}};
  json["time"]["after_one_scale"] = {{"n", summary.after_one_scale.n},
                                     {"median", summary.after_one_scale.median},
                                     {"p90", summary.after_one_scale.p90}};
  json["memory"] = to_json(summary.memory);
  if (summary.repeats.n > 0) json["repeats"] = {{"n", summary.repeats.n}, {"spread", summary.repeats.spread}};
  if (summary.transfer.time.n + summary.transfer.memory.n > 0) {
    json["leave_one_source_out"] = {{"time", to_json(summary.transfer.time)},
                                    {"memory", to_json(summary.transfer.memory)},
                                    {"from_kin", summary.transfer.from_kin}};
  }
  json["fit"] = to_json(summary.fit);
  return json;
}

Summary summary_from_json(const Json& json) {
  Summary summary;
  json.at("scored").get_to(summary.scored);
  summary.time = errors_from_json(json.at("time"));
  const Json& scaled = json.at("time").at("after_one_scale");
  scaled.at("n").get_to(summary.after_one_scale.n);
  scaled.at("median").get_to(summary.after_one_scale.median);
  scaled.at("p90").get_to(summary.after_one_scale.p90);
  summary.memory = errors_from_json(json.at("memory"));
  if (json.contains("repeats")) {
    json.at("repeats").at("n").get_to(summary.repeats.n);
    json.at("repeats").at("spread").get_to(summary.repeats.spread);
  }
  if (json.contains("leave_one_source_out")) {
    const Json& transfer = json.at("leave_one_source_out");
    summary.transfer.time = errors_from_json(transfer.at("time"));
    summary.transfer.memory = errors_from_json(transfer.at("memory"));
    transfer.at("from_kin").get_to(summary.transfer.from_kin);
  }
  const Json& fit = json.at("fit");
  fit.at("true_fit").get_to(summary.fit.true_fit);
  fit.at("false_fit").get_to(summary.fit.false_fit);
  fit.at("true_oom").get_to(summary.fit.true_oom);
  fit.at("false_oom").get_to(summary.fit.false_oom);
  return summary;
}

}  // namespace shardsim::validate

#include <nlohmann/json.hpp>
#include <ostream>

#include "validate/log/log_report.hpp"

namespace shardsim::validate::log {
namespace {

using Json = nlohmann::ordered_json;

Json of_steady(const Steady& steady) {
  Json left_out = Json::array();
  for (const LeftOut& one : steady.left_out) left_out.push_back({{"reason", one.reason}, {"count", one.count}});
  return {{"used", steady.used},
          {"first", steady.first_iteration},
          {"last", steady.last_iteration},
          {"left_out", std::move(left_out)}};
}

Json of_time(const Steady& steady, const Pair& time) {
  return {{"measured_s", time.measured},   {"measured_p10_s", steady.p10_s}, {"measured_p90_s", steady.p90_s},
          {"predicted_s", time.predicted}, {"predicted_p10_s", time.p10},    {"predicted_p90_s", time.p90},
          {"error", time.error()},         {"inside", time.covered()}};
}

Json of_memory(const MemoryPair& pair) {
  Json entry{{"kind", pair.kind},
             {"measured_bytes", pair.bytes.measured},
             {"predicted_bytes", pair.bytes.predicted},
             {"error", pair.bytes.error()},
             {"inside", pair.bytes.covered()},
             {"stage", pair.stage},
             {"line", pair.line}};
  if (pair.rank) entry["rank"] = *pair.rank;
  return entry;
}

void add_suspicion(Json& object, const Suspicion& suspicion) {
  object["suspects"] = Json::array();
  for (const Suspect& one : suspicion.suspects) {
    object["suspects"].push_back(
        {{"name", one.name}, {"factor", one.factor}, {"surprise", one.surprise}, {"check", one.check}});
  }
  if (suspicion.experiment) {
    object["experiment"] = {{"change", suspicion.experiment->change},
                            {"with_first_s", suspicion.experiment->with_first.value()},
                            {"with_second_s", suspicion.experiment->with_second.value()}};
  }
}

Json of_out_of_memory(const Comparison& comparison, const OutOfMemoryExplained& explained) {
  Json object{{"line", explained.message.line}, {"messages", explained.messages}};
  const auto add = [&](const char* key, const std::optional<Bytes>& bytes) {
    if (bytes) object[key] = bytes->value();
  };
  object["tried_bytes"] = explained.message.tried.value();
  add("capacity_bytes", explained.message.capacity);
  add("free_bytes", explained.message.free);
  add("allocated_bytes", explained.message.allocated);
  add("reserved_unallocated_bytes", explained.unallocated);
  add("outside_bytes", explained.outside);
  add("need_bytes", explained.need);
  object["fragmented"] = explained.fragmented;
  object["predicted_bytes"] = comparison.prediction.memory.worst().device_used.value();
  object["exact"] = explained.exact;
  object["last_straw"] = explained.last_straw;
  object["matches"] = Json::array();
  for (const Allocation& match : explained.matches) {
    object["matches"].push_back({{"name", match.name}, {"bytes", match.bytes.value()}});
  }
  object["changes_that_fit"] = Json::array();
  for (const plan::Change& change : explained.changes) {
    object["changes_that_fit"].push_back({{"change", change.description},
                                          {"flags", change.flags},
                                          {"device_used_bytes", change.prediction.memory.worst().device_used.value()},
                                          {"iteration_s", change.prediction.iteration.value()}});
  }
  return object;
}

Json of_report(const LogReport& report) {
  const Comparison& comparison = report.comparison;
  const model::Scenario& scenario = comparison.scenario;
  Json object{{"file", comparison.log.file},
              {"framework", comparison.log.framework},
              {"scenario",
               {{"gpus", scenario.gpus},
                {"cluster", scenario.cluster.name},
                {"device", scenario.cluster.device.name},
                {"stack", scenario.stack.name},
                {"global_batch_size", scenario.training.global_batch_size}}}};
  if (comparison.steady) {
    object["iterations"] = of_steady(*comparison.steady);
    object["time"] = of_time(*comparison.steady, *comparison.time);
  }
  if (comparison.rate) {
    object["tflops"] = {{"measured", comparison.rate->measured},
                        {"predicted", comparison.rate->predicted},
                        {"convention", comparison.rate->convention},
                        {"work", comparison.rate->work}};
  }
  object["memory"] = Json::array();
  for (const MemoryPair& pair : comparison.memory) object["memory"].push_back(of_memory(pair));
  if (report.suspicion) add_suspicion(object, *report.suspicion);
  if (report.out_of_memory) object["out_of_memory"] = of_out_of_memory(comparison, *report.out_of_memory);
  object["notes"] = comparison.notes;
  object["assumed"] = Json::array();
  for (const model::Assumption& one : scenario.assumed) {
    object["assumed"].push_back({{"key", one.key}, {"value", one.value}, {"reason", one.reason}});
  }
  object["warnings"] = scenario.warnings;
  return object;
}

Json of_errors(std::size_t runs, const FitErrors& errors) {
  return {{"runs", runs}, {"before", errors.before}, {"after", errors.after}, {"left_out", errors.left_out}};
}

Json of_fit(const FitReport& report) {
  const Fit& fit = report.fit;
  std::vector<Refined> all = fit.time;
  all.push_back(fit.workspace);
  all.push_back(fit.fragmentation);
  Json constants = Json::array();
  for (const Refined& one : all) {
    constants.push_back(
        {{"name", one.name}, {"value", one.value}, {"error", one.error}, {"determined", one.determined}});
  }
  return {{"profile", report.file},
          {"constants", std::move(constants)},
          {"time", of_errors(fit.timed, fit.time_errors)},
          {"memory", of_errors(fit.weighed, fit.memory_errors)}};
}

}  // namespace

void write_json(std::ostream& out, const std::vector<LogReport>& reports, const std::optional<FitReport>& fit) {
  Json object{{"logs", Json::array()}};
  for (const LogReport& report : reports) object["logs"].push_back(of_report(report));
  if (fit) object["fit"] = of_fit(*fit);
  // Names of files and lines of logs may hold text in any encoding.
  out << object.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace shardsim::validate::log

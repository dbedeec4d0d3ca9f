#include <ostream>

#include "sim/model/enum_text.hpp"
#include "sim/report/prediction_json.hpp"
#include "sim/report/report.hpp"
#include "sim/report/resolved_json.hpp"
#include "sim/report/summary.hpp"

namespace shardsim::report {
namespace {

using nlohmann::ordered_json;

double tera(FlopsPerSecond rate) { return rate.value() / 1e12; }

ordered_json time_json(const std::vector<engine::TimeTerm>& terms) {
  ordered_json json = ordered_json::object();
  for (const engine::TimeTerm& term : terms) json[std::string(term.name)] = term.time.value();
  return json;
}

ordered_json communication_json(const std::vector<engine::GroupCommunication>& groups) {
  ordered_json json = ordered_json::object();
  for (const engine::GroupCommunication& group : groups) {
    json[std::string(group_name(group.group))] = {
        {"total_s", group.total.value()}, {"exposed_s", group.exposed.value()}, {"bytes", group.bytes.value()}};
  }
  return json;
}

ordered_json stage_json(const memory::StageMemory& stage) {
  ordered_json json;
  json["stage"] = stage.stage;
  for (const Component& component : components(stage)) json[std::string(component.name)] = component.bytes.value();
  json["peak_allocated_bytes"] = stage.peak_allocated.value();
  json["peak_reserved_bytes"] = stage.peak_reserved.value();
  json["device_used_bytes"] = stage.device_used.value();
  json["peak_moment"] = stage.peak_moment;
  return json;
}

ordered_json memory_json(const memory::Memory& memory) {
  const memory::StageMemory& worst = memory.worst();
  ordered_json json;
  json["peak_allocated_bytes"] = worst.peak_allocated.value();
  json["peak_reserved_bytes"] = worst.peak_reserved.value();
  json["device_used_bytes"] = worst.device_used.value();
  json["device_total_bytes"] = memory.device_total.value();
  json["fits"] = memory.fits();
  json["margin_bytes"] = memory.margin().value();
  json["out_of_memory_probability"] = memory.out_of_memory_probability;
  json["worst_stage"] = memory.worst_stage;
  json["stages"] = ordered_json::array();
  for (const memory::StageMemory& stage : memory.stages) json["stages"].push_back(stage_json(stage));
  return json;
}

ordered_json assumed_json(const std::vector<model::Assumption>& assumed) {
  ordered_json json = ordered_json::array();
  for (const model::Assumption& assumption : assumed) {
    json.push_back({{"key", assumption.key}, {"value", assumption.value}, {"reason", assumption.reason}});
  }
  return json;
}

ordered_json utilisation_json(const std::vector<engine::Utilisation>& utilisation) {
  ordered_json json = ordered_json::array();
  for (const engine::Utilisation& one : utilisation) {
    json.push_back({{"stage", one.stage},
                    {"first_rank", one.first_rank},
                    {"ranks", one.ranks},
                    {"compute_busy_s", one.compute_busy.value()},
                    {"compute_idle_s", one.compute_idle.value()},
                    {"host_busy_s", one.host_busy.value()},
                    {"tensor_busy_s", one.tensor_busy.value()},
                    {"context_busy_s", one.context_busy.value()},
                    {"pipeline_busy_s", one.pipeline_busy.value()},
                    {"data_busy_s", one.data_busy.value()}});
  }
  return json;
}

ordered_json in_time_json(const std::vector<engine::MemoryInTime>& stages) {
  ordered_json json = ordered_json::array();
  for (const engine::MemoryInTime& one : stages) {
    json.push_back({{"stage", one.stage},
                    {"peak_start_s", one.peak_start.value()},
                    {"peak_end_s", one.peak_end.value()},
                    {"peak_action", one.peak_action},
                    {"micro_batch", one.micro_batch},
                    {"chunk", one.chunk},
                    {"peak_allocated_bytes", one.peak_allocated.value()},
                    {"peak_reserved_bytes", one.peak_reserved.value()},
                    {"fragmentation", one.fragmentation}});
  }
  return json;
}

ordered_json biggest_terms_json(const memory::StageMemory& stage) {
  ordered_json json = ordered_json::array();
  for (const Component& component : biggest_components(stage)) {
    json.push_back({{"component", component.name}, {"bytes", component.bytes.value()}});
  }
  return json;
}

ordered_json changes_json(const std::vector<plan::Change>& changes) {
  ordered_json json = ordered_json::array();
  for (const plan::Change& change : changes) {
    const memory::StageMemory& worst = change.prediction.memory.worst();
    ordered_json entry;
    entry["change"] = change.description;
    entry["flags"] = change.flags;
    entry["peak_allocated_bytes"] = worst.peak_allocated.value();
    entry["device_used_bytes"] = worst.device_used.value();
    entry["iteration_s"] = change.prediction.iteration.value();
    entry["gpus"] = change.scenario.gpus;
    entry["time_cost"] = change.time_cost;
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

ordered_json prediction_json(const model::Scenario& scenario, const engine::Prediction& prediction,
                             const std::vector<plan::Change>& changes) {
  ordered_json json;
  json["name"] = scenario.name;
  json["iteration_s"] = prediction.iteration.value();
  json["iteration_s_p10"] = prediction.iteration_p10.value();
  json["iteration_s_p90"] = prediction.iteration_p90.value();
  json["tokens_per_s"] = prediction.tokens_per_s;
  json["model_tflops_per_gpu"] = tera(prediction.model_flops_per_gpu);
  json["hardware_tflops_per_gpu"] = tera(prediction.hardware_flops_per_gpu);
  json["mfu"] = prediction.mfu;
  json["hfu"] = prediction.hfu;
  json["mfu_causal"] = causal_mfu(prediction);
  json["peak_tflops"] = tera(matrix_peak(scenario));
  json["peak_format"] = model::choice_text(scenario.training.precision);
  json["time"] = time_json(prediction.time);
  json["communication"] = communication_json(prediction.communication);
  json["memory"] = memory_json(prediction.memory);
  if (!prediction.utilisation.empty()) json["utilisation"] = utilisation_json(prediction.utilisation);
  if (!prediction.memory_in_time.empty()) json["memory_in_time"] = in_time_json(prediction.memory_in_time);
  json["resolved"] = resolved_json(scenario, prediction.memory);
  json["assumed"] = assumed_json(scenario.assumed);
  json["warnings"] = scenario.warnings;
  if (!prediction.memory.fits()) {
    json["biggest_terms"] = biggest_terms_json(prediction.memory.worst());
    json["changes_that_fit"] = changes_json(changes);
  }
  return json;
}

void write(std::ostream& out, const ordered_json& json) {
  // Names can hold any bytes; what is no UTF-8 is replaced instead of thrown at.
  out << json.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void write_json(std::ostream& out, const model::Scenario& scenario, const engine::Prediction& prediction,
                const std::vector<plan::Change>& changes) {
  write(out, prediction_json(scenario, prediction, changes));
}

}  // namespace shardsim::report

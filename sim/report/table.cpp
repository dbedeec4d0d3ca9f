#include <algorithm>
#include <ostream>
#include <string>

#include "sim/model/enum_text.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/parameters.hpp"
#include "sim/report/format.hpp"
#include "sim/report/report.hpp"
#include "sim/report/summary.hpp"

namespace shardsim::report {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMostTimeTerms = 10;
constexpr std::size_t kMostComponents = 3;
constexpr std::size_t kBarColumns = 40;

Lines verdict(const model::Scenario& scenario, const memory::Memory& memory) {
  const memory::StageMemory& worst = memory.worst();
  const bool fits = memory.fits();
  const Bytes margin = memory.margin();
  std::string line = fits ? "FITS: " : "DOES NOT FIT: ";
  line += gib(worst.device_used) + " of " + gib(memory.device_total) + " GiB on stage " + std::to_string(worst.stage) +
          ", ";
  line += margin >= Bytes{0} ? gib(margin) + " GiB to spare" : gib(Bytes{0} - margin) + " GiB too much";
  line += " (out of memory: " + percent(memory.out_of_memory_probability) + ")";
  const std::string title = scenario.name + ": " + parameter_count(model::total_parameters(scenario)) + " model, " +
                            grouped(scenario.gpus) + " x " + scenario.cluster.device.name + " (" +
                            scenario.cluster.name + "), " + scenario.stack.name;
  return {title, line};
}

Lines speed(const model::Scenario& scenario, const engine::Prediction& prediction) {
  const std::string per_gpu = fixed(prediction.model_flops_per_gpu.value() / 1e12, 1) + " model, " +
                              fixed(prediction.hardware_flops_per_gpu.value() / 1e12, 1) + " hardware";
  return {"Iteration  " + left(duration(prediction.iteration), 12) + "80 % between " +
              duration(prediction.iteration_p10) + " and " + duration(prediction.iteration_p90) + "; " +
              grouped(static_cast<std::int64_t>(prediction.tokens_per_s)) + " tokens/s",
          "TFLOP/s    " + per_gpu + " per GPU; MFU " + percent(prediction.mfu) + ", HFU " + percent(prediction.hfu) +
              " of the " + std::string(model::choice_text(scenario.training.precision)) + " peak, " +
              fixed(matrix_peak(scenario).value() / 1e12, 0),
          "           (full attention counted, HFU with recomputation; causal attention halved: MFU " +
              percent(causal_mfu(prediction)) + ")"};
}

std::string time_line(std::string_view name, Seconds time, Seconds iteration) {
  const double share = time / iteration;
  return "  " + left(one_line(name, 32), 32) + right(duration(time), 12) + right(percent(share), 9) + "  " +
         bar(share, kBarColumns);
}

/// Terms that would show as 0.0 % are left out.
constexpr double kLeastShownShare = 0.0005;

Lines time_terms(const engine::Prediction& prediction) {
  auto terms = prediction.time;
  std::stable_sort(terms.begin(), terms.end(),
                   [](const engine::TimeTerm& a, const engine::TimeTerm& b) { return a.time > b.time; });
  Lines lines{"Time"};
  Seconds other{0.0};
  std::size_t others = 0;
  for (const engine::TimeTerm& term : terms) {
    if (lines.size() <= kMostTimeTerms) {
      if (term.time > kLeastShownShare * prediction.iteration)
        lines.push_back(time_line(term.name, term.time, prediction.iteration));
    } else {
      other += term.time;
      ++others;
    }
  }
  if (others > 0) {
    lines.push_back(time_line("other (" + std::to_string(others) + " terms)", other, prediction.iteration));
  }
  return lines;
}

Lines communication(const engine::Prediction& prediction) {
  Lines lines{"Communication                          total     exposed         GiB"};
  for (const engine::GroupCommunication& group : prediction.communication) {
    if (group.bytes == Bytes{0}) continue;
    lines.push_back("  " + left(group_name(group.group), 30) + right(duration(group.total), 12) +
                    right(duration(group.exposed), 12) + right(gib(group.bytes), 12));
  }
  if (lines.size() == 1) lines.clear();
  return lines;
}

/// When the worst stage's tensors peak, and what the allocator's model reserves for them.
Lines peak_in_time(const engine::Prediction& prediction) {
  if (prediction.memory_in_time.empty()) return {};
  const engine::MemoryInTime& worst =
      prediction.memory_in_time[static_cast<std::size_t>(prediction.memory.worst_stage)];
  std::string action{worst.peak_action};
  if (worst.micro_batch >= 0) action += " of micro batch " + std::to_string(worst.micro_batch);
  return {"  played: at " + duration(worst.peak_start) + ", " + action + "; allocator reserves " +
          gib(worst.peak_reserved) + " (" + signed_percent(worst.fragmentation) + ")"};
}

Lines memory_by_component(const engine::Prediction& prediction) {
  const memory::Memory& memory = prediction.memory;
  constexpr std::size_t kName = 16;
  constexpr std::size_t kValue = 8;
  std::string head = left("Memory, GiB", kName);
  for (const std::string_view name :
       {"params", "grads", "optim", "activ", "temp", "logits", "work", "alloc", "reserved", "device"}) {
    head += right(name, name == "reserved" ? kValue + 1 : kValue);
  }
  Lines lines{head};
  for (const NotableStage& notable : notable_stages(memory)) {
    const memory::StageMemory& stage = *notable.stage;
    std::string line = left("  " + std::string(notable.name) + " (" + std::to_string(stage.stage) + ")", kName);
    for (const Component& component : components(stage)) line += right(gib(component.bytes), kValue);
    line += right(gib(stage.peak_allocated), kValue) + right(gib(stage.peak_reserved), kValue + 1) +
            right(gib(stage.device_used), kValue);
    lines.push_back(line);
  }
  lines.push_back("  peak of the worst stage: " + std::string(memory.worst().peak_moment));
  for (const std::string& line : peak_in_time(prediction)) lines.push_back(line);
  return lines;
}

/// "6", or "5, 6 x 14, 5": runs of stages that hold the same number of layers.
std::string layers_by_stage(const model::Scenario& scenario) {
  const auto stages = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  std::string text;
  for (std::size_t at = 0; at < stages.size();) {
    const std::int64_t layers = stages[at].layers();
    std::size_t end = at;
    while (end < stages.size() && stages[end].layers() == layers) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(layers);
    if (end - at > 1) text += " x " + std::to_string(end - at);
    at = end;
  }
  return text;
}

Lines layout(const model::Scenario& scenario, const memory::Memory& memory) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const auto size = [](const char* name, std::int64_t degree) { return name + std::to_string(degree); };
  std::string degrees = size("Layout     TP ", parallelism.tensor_model_parallel_size) +
                        size(" x CP ", parallelism.context_parallel_size) +
                        size(" x PP ", parallelism.pipeline_model_parallel_size) +
                        size(" x DP ", parallelism.data_parallel_size) + size(", ZeRO ", parallelism.zero_stage);
  if (parallelism.sequence_parallel) degrees += ", sequence parallel";
  degrees += ", recompute " + std::string(model::choice_text(scenario.training.recompute.granularity));
  std::string batch = size("           micro batch ", scenario.training.micro_batch_size) +
                      size(" x ", model::micro_batches(scenario)) +
                      size(", global batch ", scenario.training.global_batch_size) + ", vocabulary padded to " +
                      grouped(model::padded_vocab_size(scenario.model, parallelism)) + ", " +
                      fixed(bytes_per_parameter(scenario, memory), 1) + " B/parameter";
  std::string layers = "           layers per stage " + layers_by_stage(scenario);
  if (parallelism.virtual_pipeline_model_parallel_size > 1) {
    layers += size(", in ", parallelism.virtual_pipeline_model_parallel_size) + " virtual stages each";
  }
  return {degrees, batch, layers};
}

Lines way_out(const memory::Memory& memory, const std::vector<plan::Change>& changes) {
  if (memory.fits()) return {};
  std::string biggest = "Biggest    ";
  const auto terms = biggest_components(memory.worst());
  for (std::size_t i = 0; i < terms.size() && i < kMostComponents; ++i) {
    biggest += (i == 0 ? "" : ", ") + std::string(terms[i].name) + " " + gib(terms[i].bytes) + " GiB";
  }
  Lines lines{biggest, changes.empty() ? "No single change makes it fit." : "Any one of these makes it fit"};
  for (const plan::Change& change : changes) {
    lines.push_back(right(gib(change.prediction.memory.worst().device_used), 8) + " GiB" +
                    right(duration(change.prediction.iteration), 11) + ", GPU time " +
                    right(signed_percent(change.time_cost), 8) + "  " + change.description);
  }
  return lines;
}

Lines warnings(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  Lines lines{"Warnings"};
  for (const std::string& text : texts) lines.push_back("  " + text);
  return lines;
}

Lines assumptions(const std::vector<model::Assumption>& assumed) {
  if (assumed.empty()) return {};
  Lines lines{"Assumed"};
  for (const model::Assumption& assumption : assumed) {
    lines.push_back("  " + assumption.key + " = " + assumption.value + "  (" + assumption.reason + ")");
  }
  return lines;
}

/// Adds a section after a blank line. At most `room` lines are used; what is left out is counted.
void add_section(Lines& table, Lines section, std::size_t room) {
  if (section.empty() || room < 3) return;
  if (section.size() + 1 > room) {
    const std::size_t shown = room - 2;
    const std::string rest = "  ... and " + std::to_string(section.size() - shown) + " more (--format json has all)";
    section.resize(shown);
    section.push_back(rest);
  }
  table.emplace_back();
  table.insert(table.end(), section.begin(), section.end());
}

}  // namespace

void write_table(std::ostream& out, const model::Scenario& scenario, const engine::Prediction& prediction,
                 const std::vector<plan::Change>& changes) {
  Lines table = verdict(scenario, prediction.memory);
  const auto room = [&table] { return kTableLines - std::min(table.size(), kTableLines); };
  for (const Lines& section :
       {way_out(prediction.memory, changes), speed(scenario, prediction), time_terms(prediction),
        communication(prediction), memory_by_component(prediction), layout(scenario, prediction.memory)}) {
    add_section(table, section, room());
  }
  // Both lists can be long: warnings take at most half of what is left.
  const Lines assumed = assumptions(scenario.assumed);
  const std::size_t for_warnings = std::max(room() / 2, room() - std::min(room(), assumed.size() + 1));
  add_section(table, warnings(scenario.warnings), for_warnings);
  add_section(table, assumed, room());
  for (const std::string& line : table) {
    std::string text = one_line(line, kTableColumns);
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

}  // namespace shardsim::report

#include "sim/report/decision.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/model/enum_text.hpp"
#include "sim/report/format.hpp"
#include "sim/report/report.hpp"

namespace shardsim::report {
namespace {

using nlohmann::ordered_json;
using plan::Comparison;
using plan::Decision;
using plan::TermDifference;
using Lines = std::vector<std::string>;

std::string more_or_less(Seconds saved) {
  return duration(saved < Seconds{0.0} ? Seconds{0.0} - saved : saved) + (saved < Seconds{0.0} ? " more" : " less");
}

std::string margin(Bytes bytes) {
  return bytes < Bytes{0} ? gib(Bytes{0} - bytes) + " GiB too much" : gib(bytes) + " GiB to spare";
}

std::string term_line(std::string_view name, const std::string& text) {
  return one_line("  " + left(name, 26) + text, kTableColumns);
}

Lines reasons(const Comparison& comparison, const std::string& other) {
  const bool faster = comparison.saved() >= Seconds{0.0};
  const std::string share = percent(std::abs(comparison.saved() / comparison.winner));
  Lines lines{"Why        " + other + " " + duration(comparison.other) + ", " +
              duration(faster ? comparison.saved() : Seconds{0.0} - comparison.saved()) + " (" + share + ") " +
              (faster ? "more" : "less") + "; the winner's"};
  Seconds rest{0.0};
  for (std::size_t i = 0; i < comparison.terms.size(); ++i) {
    const TermDifference& term = comparison.terms[i];
    if (i >= kMostReasons) {
      rest += term.saved();
      continue;
    }
    const std::string size = right(more_or_less(term.saved()), 16) +
                             right("(" + percent(std::abs(term.saved() / comparison.other)) + ")", 10);
    lines.push_back(term_line(term.name, term.cause.empty() ? size : size + "  " + term.cause));
  }
  if (comparison.terms.size() > kMostReasons) lines.push_back(term_line("other terms", right(more_or_less(rest), 16)));
  lines.push_back(
      term_line("memory", "  " + margin(comparison.winner_margin) + " instead of " + margin(comparison.other_margin)));
  return lines;
}

Lines sureness(const Decision& decision) {
  Lines lines{"How sure   the first is the fastest of these with probability " + percent(decision.probability_best)};
  if (!decision.against_runner_up) return lines;
  if (decision.flips.empty()) {
    lines.push_back("  no constant within a factor of " + fixed(plan::kWidestFactor, 0) +
                    " of its value would put the second first");
  }
  for (const plan::Flip& flip : decision.flips) {
    lines.push_back(one_line(
        "  " + left(std::string(flip.title) + ",", 44) + " x " + fixed(flip.factor, 2) + ", would put the second first",
        kTableColumns));
  }
  return lines;
}

std::string degrees_text(const plan::Degrees& d) {
  std::string text = "TP " + std::to_string(d.tensor_model_parallel_size) + " CP " +
                     std::to_string(d.context_parallel_size) + " PP " + std::to_string(d.pipeline_model_parallel_size);
  if (d.virtual_pipeline_model_parallel_size > 1) {
    text += " x " + std::to_string(d.virtual_pipeline_model_parallel_size);
  }
  text += ", micro batch " + std::to_string(d.micro_batch_size) + ", ZeRO " + std::to_string(d.zero_stage);
  if (d.sequence_parallel) text += ", SP";
  return text + ", recompute " + std::string(model::choice_text(d.recompute_granularity));
}

std::string objective_text(const plan::Candidate& candidate, plan::Objective objective) {
  switch (objective) {
    case plan::Objective::time:
      return duration(candidate.prediction.iteration);
    case plan::Objective::memory:
      return gib(candidate.prediction.memory.worst().device_used) + " GiB";
    case plan::Objective::cost:
      return fixed(plan::value_of(candidate, objective), 1) + " GPU s";
    case plan::Objective::gpus:
      return grouped(candidate.scenario.gpus) + " GPUs";
  }
  return "";
}

Lines front_lines(const Decision& decision) {
  if (decision.front.empty()) return {};
  Lines lines{"Best in one or another way"};
  for (const plan::Candidate& candidate : decision.front) {
    std::string line = "  ";
    for (const plan::Objective objective : decision.objectives) {
      line += right(objective_text(candidate, objective), 14);
    }
    lines.push_back(one_line(line + "  " + degrees_text(candidate.degrees), kTableColumns));
  }
  return lines;
}

void append(Lines& all, const Lines& section) {
  if (section.empty()) return;
  if (!all.empty()) all.emplace_back();
  all.insert(all.end(), section.begin(), section.end());
}

ordered_json comparison_json(const Comparison& comparison, std::string_view against) {
  ordered_json json;
  json["against"] = against;
  json["winner_s"] = comparison.winner.value();
  json["other_s"] = comparison.other.value();
  json["saved_s"] = comparison.saved().value();
  json["saved_share"] = comparison.saved() / comparison.other;
  json["winner_margin_bytes"] = comparison.winner_margin.value();
  json["other_margin_bytes"] = comparison.other_margin.value();
  json["terms"] = ordered_json::array();
  for (const TermDifference& term : comparison.terms) {
    json["terms"].push_back({{"term", term.name},
                             {"winner_s", term.winner.value()},
                             {"other_s", term.other.value()},
                             {"saved_s", term.saved().value()},
                             {"saved_share", term.saved() / comparison.other},
                             {"cause", term.cause}});
  }
  return json;
}

ordered_json front_json(const plan::Candidate& candidate, const std::vector<plan::Objective>& objectives) {
  const plan::Degrees& d = candidate.degrees;
  ordered_json json;
  json["tensor_model_parallel_size"] = d.tensor_model_parallel_size;
  json["pipeline_model_parallel_size"] = d.pipeline_model_parallel_size;
  json["virtual_pipeline_model_parallel_size"] = d.virtual_pipeline_model_parallel_size;
  json["context_parallel_size"] = d.context_parallel_size;
  json["data_parallel_size"] = candidate.scenario.parallelism.data_parallel_size;
  json["micro_batch_size"] = d.micro_batch_size;
  json["recompute_granularity"] = model::choice_text(d.recompute_granularity);
  json["sequence_parallel"] = d.sequence_parallel;
  json["zero_stage"] = d.zero_stage;
  json["schedule"] = model::choice_text(d.schedule);
  for (const plan::Objective objective : objectives) {
    json[std::string(plan::objective_name(objective))] = plan::value_of(candidate, objective);
  }
  return json;
}

}  // namespace

Lines decision_lines(const Decision& decision) {
  Lines lines;
  if (decision.against_given) append(lines, reasons(*decision.against_given, "what you had takes"));
  if (decision.against_runner_up) append(lines, reasons(*decision.against_runner_up, "the runner-up takes"));
  append(lines, sureness(decision));
  append(lines, front_lines(decision));
  return lines;
}

void add_decision(ordered_json& json, const Decision& decision) {
  json["why"] = ordered_json::array();
  if (decision.against_runner_up) json["why"].push_back(comparison_json(*decision.against_runner_up, "runner_up"));
  if (decision.against_given) json["why"].push_back(comparison_json(*decision.against_given, "given"));
  ordered_json flips = ordered_json::array();
  for (const plan::Flip& flip : decision.flips) {
    flips.push_back({{"constant", flip.name}, {"title", flip.title}, {"factor", flip.factor}});
  }
  json["confidence"] = {{"probability_best", decision.probability_best},
                        {"flips", std::move(flips)},
                        {"within_factor", plan::kWidestFactor}};
  if (decision.objectives.empty()) return;
  json["pareto"] = ordered_json::array();
  for (const plan::Candidate& candidate : decision.front) {
    json["pareto"].push_back(front_json(candidate, decision.objectives));
  }
}

}  // namespace shardsim::report

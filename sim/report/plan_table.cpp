#include <algorithm>
#include <ostream>
#include <string>

#include "sim/model/enum_text.hpp"
#include "sim/model/parameters.hpp"
#include "sim/report/decision.hpp"
#include "sim/report/format.hpp"
#include "sim/report/plan_report.hpp"
#include "sim/report/plan_summary.hpp"
#include "sim/report/report.hpp"

namespace shardsim::report {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMostReasons = 3;
constexpr std::size_t kMostTermColumns = 10;

std::string schedule_text(model::Schedule schedule) {
  switch (schedule) {
    case model::Schedule::one_f_one_b:
    case model::Schedule::interleaved_one_f_one_b:
      return "";  // the virtual stages tell them apart
    default:
      return std::string(model::choice_text(schedule));
  }
}

/// "8 x 1 x 16 x 8": tensor, context, pipeline, data.
std::string layout_text(const model::Parallelism& parallelism) {
  return std::to_string(parallelism.tensor_model_parallel_size) + " x " +
         std::to_string(parallelism.context_parallel_size) + " x " +
         std::to_string(parallelism.pipeline_model_parallel_size) + " x " +
         std::to_string(parallelism.data_parallel_size);
}

Lines heading(const PlanReport& report) {
  const model::Scenario& job = report.job;
  return {job.name + ": " + parameter_count(model::total_parameters(job)) + " model, " + grouped(job.gpus) + " x " +
              job.cluster.device.name + " (" + job.cluster.name + "), " + job.stack.name,
          "global batch " + grouped(job.training.global_batch_size) + " x " + grouped(job.model.seq_length) +
              " tokens, " + gib(report.max_memory) + " GiB a device"};
}

Lines counts(const PlanReport& report) {
  const plan::SearchResult& found = report.found;
  const std::int64_t fit = fitting(found);
  Lines lines{grouped(found.considered) + " layouts: " + grouped(fit) + " fit, " + grouped(found.out_of_memory) +
              " do not fit into memory, " + grouped(found.considered - fit - found.out_of_memory) + " cannot run" +
              (found.interrupted ? "; interrupted, the best so far" : "")};
  std::int64_t others = 0;
  for (const Rejection& rejection : rejections(found)) {
    if (rejection.reason == kOutOfMemory) continue;
    if (lines.size() <= kMostReasons) {
      lines.push_back(right(grouped(rejection.count), 12) + "  " + rejection.reason);
    } else {
      others += rejection.count;
    }
  }
  if (others > 0) lines.push_back(right(grouped(others), 12) + "  other reasons");
  return lines;
}

std::string candidate_line(const std::string& name, const plan::Candidate& candidate, const std::string& event,
                           Bytes max_memory) {
  const engine::Prediction& prediction = candidate.prediction;
  const plan::Degrees& degrees = candidate.degrees;
  std::string line = left(name, 5) + right(duration(prediction.iteration), 9) +
                     right(fixed(prediction.iteration_p10 / prediction.iteration, 2), 6) + "-" +
                     left(fixed(prediction.iteration_p90 / prediction.iteration, 2), 5) + right(event, 9) +
                     right(gib(max_memory - prediction.memory.worst().device_used), 8) +
                     right(fixed(prediction.model_flops_per_gpu.value() / 1e12, 1), 7) + "  " +
                     left(layout_text(candidate.scenario.parallelism), 18) +
                     right(std::to_string(degrees.virtual_pipeline_model_parallel_size), 3) +
                     right(std::to_string(degrees.micro_batch_size), 4) + "  " +
                     left(model::choice_text(degrees.recompute_granularity), 10) +
                     left(degrees.sequence_parallel ? "SP" : "-", 3) + std::to_string(degrees.zero_stage);
  const std::string schedule = schedule_text(degrees.schedule);
  return schedule.empty() ? line : line + " " + schedule;
}

Lines candidates(const PlanReport& report) {
  const auto& all = report.found.candidates;
  if (all.empty()) return {};
  Lines lines{left("", 5) + right("iteration", 9) + "  80 % of it" + right("played", 9) + right("spare", 8) +
                  right("TFLOP/s", 8) + " " + left("TP x CP x PP x DP", 19) + "VP  mb  recompute SP ZeRO",
              left("", 5) + left("", 9) + left("", 12) + left("", 9) + right("GiB", 8) + right("per GPU", 8)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool played = i < report.event_iterations.size();
    lines.push_back(candidate_line(right(std::to_string(i + 1), 3), all[i],
                                   played ? duration(report.event_iterations[i]) : "", report.max_memory));
  }
  if (report.given) lines.push_back(candidate_line("given", *report.given, "", report.max_memory));
  return lines;
}

Lines change_of_order(const PlanReport& report) {
  const std::vector<std::size_t> order = event_order(report.event_iterations);
  if (std::is_sorted(order.begin(), order.end())) return {};
  std::string line = "The event engine orders them otherwise:";
  for (const std::size_t place : order) line += " " + std::to_string(place + 1);
  return {line};
}

Lines terms(const std::vector<plan::Candidate>& candidates) {
  const std::vector<std::size_t> differing = differing_terms(candidates);
  if (differing.empty()) return {};
  const bool milliseconds = candidates.front().prediction.iteration < Seconds{1.0};
  const std::size_t shown = std::min(candidates.size(), kMostTermColumns);
  std::string head = left(milliseconds ? "Terms that differ, ms" : "Terms that differ, s", 25);
  for (std::size_t i = 0; i < shown; ++i) head += right(std::to_string(i + 1), 7);
  Lines lines{head};
  for (const std::size_t term : differing) {
    std::string line = left("  " + std::string(engine::kTermNames[term]), 25);
    for (std::size_t i = 0; i < shown; ++i) {
      const double time = candidates[i].prediction.time[term].time.value();
      line += right(milliseconds ? fixed(1e3 * time, 1) : fixed(time, 3), 7);
    }
    lines.push_back(line);
  }
  return lines;
}

Lines nearest(const PlanReport& report) {
  if (report.found.nearest.empty()) return {};
  const plan::Candidate& candidate = report.found.nearest.front();
  const Bytes used = candidate.prediction.memory.worst().device_used;
  return {"NOTHING FITS: the nearest layout needs " + gib(used) + " GiB a device, " + gib(missing_memory(report)) +
              " GiB more than the " + gib(report.max_memory) + " GiB allowed",
          candidate_line("", candidate, "", report.max_memory)};
}

}  // namespace

void write_plan_table(std::ostream& out, const PlanReport& report) {
  Lines table = heading(report);
  Lines given;
  if (!report.given_problem.empty()) given.push_back("The layout given cannot run: " + report.given_problem);
  for (const Lines& section :
       {nearest(report), counts(report), candidates(report), change_of_order(report), given,
        terms(report.found.candidates), report.decision ? decision_lines(*report.decision) : Lines{}}) {
    if (section.empty()) continue;
    table.emplace_back();
    table.insert(table.end(), section.begin(), section.end());
  }
  for (const std::string& line : table) {
    std::string text = one_line(line, kTableColumns);
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

}  // namespace shardsim::report

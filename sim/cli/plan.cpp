#include "sim/cli/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/plan_constraints.hpp"
#include "sim/cli/plan_job.hpp"
#include "sim/cli/plan_options.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/sibling.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/engine/event/predict.hpp"
#include "sim/report/plan_report.hpp"

namespace shardsim::cli {
namespace {

/// Of the best, played by the event engine.
constexpr std::size_t kPlayed = 5;
/// The fastest, among which the front over several objectives is looked for.
constexpr std::size_t kComparedByObjectives = 1000;

plan::SearchResult search_shown(const PlanJob& job, const plan::Space& space, const PlanOptions& options,
                                const PlanProcess& process) {
  ProgressLine line{"searching"};
  plan::SearchOptions how;
  how.best = options.objectives.empty() ? options.best : std::max(options.best, kComparedByObjectives);
  how.max_memory = options.max_memory;
  how.threads = options.threads;
  how.part = process.rank;
  how.parts = process.size;
  how.progress = [&line](double share) {
    line.show(share);
    return !InterruptNoted::was_interrupted();
  };
  plan::SearchResult found = plan::search(job.base, space, how);
  line.clear();
  return process.size > 1 ? process.gather(job.base, std::move(found), how.best) : found;
}

/// Fewer than the best when interrupted.
std::vector<Seconds> play(const std::vector<plan::Candidate>& candidates) {
  ProgressLine line{"playing"};
  std::vector<Seconds> iterations;
  const std::size_t count = std::min(candidates.size(), kPlayed);
  try {
    while (iterations.size() < count) {
      engine::event::Options options;
      options.progress = [&](std::int64_t done, std::int64_t all) {
        const double share = static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(1, all));
        line.show((static_cast<double>(iterations.size()) + share) / static_cast<double>(count));
        return !InterruptNoted::was_interrupted();
      };
      iterations.push_back(engine::event::predict(candidates[iterations.size()].scenario, options).iteration);
    }
  } catch (const engine::event::Interrupted&) {
  }
  line.clear();
  return iterations;
}

report::PlanReport make_report(const PlanJob& job, plan::SearchResult found, const PlanOptions& options) {
  report::PlanReport report;
  report.job = job.base;
  std::vector<plan::Candidate> front = plan::pareto(found.candidates, options.objectives);
  if (found.candidates.size() > options.best) found.candidates.resize(options.best);
  for (auto* list : {&found.candidates, &found.nearest, &front}) {
    for (plan::Candidate& candidate : *list) candidate = resolved(job.settings, candidate.degrees);
  }
  report.found = std::move(found);
  report.event_iterations = play(report.found.candidates);
  if (job.given) report.given = {plan::degrees_of(*job.given), *job.given, engine::predict(*job.given)};
  report.given_problem = job.given_problem;
  if (!report.found.candidates.empty()) {
    report.decision = plan::decide(report.found.candidates, report.given);
    report.decision->objectives = options.objectives;
    if (!options.objectives.empty()) report.decision->front = std::move(front);
  }
  const Bytes capacity = job.base.cluster.device.memory_capacity;
  report.max_memory = options.max_memory > Bytes{0} ? std::min(options.max_memory, capacity) : capacity;
  return report;
}

bool same_prediction(const model::Scenario& a, const model::Scenario& b) {
  const engine::Prediction x = engine::predict(a);
  const engine::Prediction y = engine::predict(b);
  const memory::StageMemory& here = x.memory.worst();
  const memory::StageMemory& there = y.memory.worst();
  return x.iteration == y.iteration && x.mfu == y.mfu && x.hfu == y.hfu && here.device_used == there.device_used &&
         here.peak_allocated == there.peak_allocated;
}

void write(std::ostream& out, Format format, const report::PlanReport& report) {
  switch (format) {
    case Format::table:
      return report::write_plan_table(out, report);
    case Format::json:
      return report::write_plan_json(out, report);
    case Format::csv:
      return report::write_plan_csv(out, report);
  }
}

/// Constraints may ask for more than the stack's software does.
void warn_beyond_stack(const report::PlanReport& report) {
  if (report.found.candidates.empty() || plan::is_able(report.found.candidates.front().scenario)) return;
  std::cerr << "warning: the stack " << report.job.stack.name
            << " cannot run the first plan (its file's [stack.abilities]); constraints asked for it\n";
}

bool reads_standard_input(const ScenarioOptions& options) {
  for (const std::string* file :
       {&options.scenario, &options.megatron, &options.hf_config, &options.deepspeed_config}) {
    if (*file == "-") return true;
  }
  return false;
}

int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

/// mpirun of Open MPI, of MPICH and its kin, and srun say how many were started.
bool has_siblings() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* size = std::getenv(variable);
    if (size != nullptr && std::string_view(size) != "1") return true;
  }
  return false;
}

}  // namespace

int run_plan(const Arguments& arguments) {
  return has_siblings() ? become_sibling("plan", arguments) : run_plan(arguments, PlanProcess{});
}

int run_plan(const Arguments& arguments, const PlanProcess& process) {
  PlanOptions options = parse_plan_options(arguments);
  const bool prints = process.rank == 0;
  if (options.help) {
    if (prints) std::cout << plan_help();
    return kSuccess;
  }
  if (arguments.empty()) usage_error("plan", "nothing to plan: a scenario file, a run or options are expected");
  if (process.size > 1 && reads_standard_input(options)) {
    usage_error("plan", "standard input (-) reaches only one of several processes; give a file");
  }
  if (options.threads == 0) options.threads = process.size > 1 ? 1 : all_cores();
  const PlanJob job = collect_job(options);
  const Constraints constraints{options.fixed, options.forbidden};
  const plan::Space space = constrained(plan::whole_space(job.base), job.base, constraints);
  const InterruptNoted noted;
  plan::SearchResult found = search_shown(job, space, options, process);
  if (!prints) return kSuccess;
  const bool empty = found.candidates.empty() && found.nearest.empty();
  if (empty && !found.interrupted) explain_empty(job.base, constraints, found);
  const report::PlanReport report = make_report(job, std::move(found), options);
  // Whole or not at all: nothing is printed when writing the report fails.
  std::ostringstream text;
  write(text, options.format, report);
  warn_beyond_stack(report);
  const bool emits = options.emit && !report.found.candidates.empty();
  if (emits) {
    std::cout << input::emit(*options.emit, report.found.candidates.front().scenario, same_prediction);
  } else {
    (options.emit ? std::cerr : std::cout) << text.str();
  }
  if (InterruptNoted::was_interrupted()) return kInterrupted;
  return report.found.candidates.empty() ? kDoesNotFit : kSuccess;
}

}  // namespace shardsim::cli

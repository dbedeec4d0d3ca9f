#include "sim/cli/play.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/engine/event/predict.hpp"
#include "sim/model/rank_grid.hpp"
#include "sim/report/text_timeline.hpp"
#include "sim/report/trace.hpp"

namespace shardsim::cli {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"command line", 0, option}, "", value, message}});
}

std::string ranks_of_job(const model::Scenario& scenario) {
  return "the job's ranks are 0 to " + std::to_string(scenario.gpus - 1);
}

void check_stragglers(const model::Scenario& scenario, const engine::event::Variation& variation) {
  for (const engine::event::Straggler& straggler : variation.stragglers) {
    if (straggler.rank >= scenario.gpus) {
      refuse("--straggler", "rank=" + std::to_string(straggler.rank), ranks_of_job(scenario));
    }
  }
}

/// Of one replica: every rank, or those of the first tensor and context place only.
std::vector<std::int64_t> ranks_of_replica(const model::Scenario& scenario, bool first_only) {
  const model::Parallelism& parallelism = scenario.parallelism;
  std::vector<std::int64_t> ranks;
  for (std::int64_t stage = 0; stage < parallelism.pipeline_model_parallel_size; ++stage) {
    for (std::int64_t context = 0; context < (first_only ? 1 : parallelism.context_parallel_size); ++context) {
      for (std::int64_t tensor = 0; tensor < (first_only ? 1 : parallelism.tensor_model_parallel_size); ++tensor) {
        ranks.push_back(model::global_rank(parallelism, {tensor, context, 0, stage}));
      }
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<std::int64_t> ranks_to_trace(const model::Scenario& scenario, const PlayOptions& options) {
  std::vector<std::int64_t> ranks;
  for (const auto& [first, last] : options.trace_ranks) {
    if (last >= scenario.gpus) refuse("--trace-ranks", std::to_string(last), ranks_of_job(scenario));
    for (std::int64_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks.empty() ? ranks_of_replica(scenario, false) : ranks;
}

std::string name_of(const model::Scenario& scenario, std::int64_t rank) {
  const model::RankPlace place = model::place_of_rank(scenario.parallelism, rank);
  std::string name = "rank " + std::to_string(rank) + " (stage " + std::to_string(place.pipeline) + ", dp " +
                     std::to_string(place.data);
  if (scenario.parallelism.context_parallel_size > 1) name += ", cp " + std::to_string(place.context);
  return name + ", tp " + std::to_string(place.tensor) + ")";
}

void write_trace(const std::string& path, const model::Scenario& scenario, const model::Timeline& timeline,
                 const std::vector<std::int64_t>& ranks) {
  std::vector<report::NamedRank> named;
  for (const std::int64_t rank : ranks) named.push_back({rank, name_of(scenario, rank)});
  std::ofstream file{path};
  if (file) report::write_trace(file, timeline, named);
  if (!file.flush()) refuse("--trace", path, "the file cannot be written");
}

std::string draw(const model::Timeline& timeline) {
  std::ostringstream text;
  text << '\n';
  const bool colours = ::isatty(STDOUT_FILENO) == 1;
  report::write_text_timeline(text, timeline, {100, colours ? report::Colour::ansi : report::Colour::none, 64});
  return text.str();
}

engine::event::Outcome play_shown(const model::Scenario& scenario, const engine::event::Variation& variation,
                                  const std::vector<std::int64_t>& recorded_ranks) {
  const InterruptNoted noted;
  ProgressLine line{"playing"};
  engine::event::Options options;
  options.variation = variation;
  options.recorded_ranks = recorded_ranks;
  options.memory_in_time = true;
  options.progress = [&line](std::int64_t done, std::int64_t all) {
    line.show(static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(1, all)));
    return !InterruptNoted::was_interrupted();
  };
  engine::event::Outcome outcome = engine::event::play(scenario, options);
  line.clear();
  return outcome;
}

}  // namespace

Played play(const model::Scenario& scenario, const PlayOptions& options) {
  check_stragglers(scenario, options.variation);
  const std::vector<std::int64_t> traced =
      options.trace.empty() ? std::vector<std::int64_t>{} : ranks_to_trace(scenario, options);
  engine::event::Outcome outcome = play_shown(scenario, options.variation, traced);
  if (!options.trace.empty()) write_trace(options.trace, scenario, outcome.timeline, traced);
  Played played{std::move(outcome.prediction), ""};
  if (options.timeline) {
    // One rank of each stage, and nothing of a trace's.
    played.timeline = draw(play_shown(scenario, options.variation, ranks_of_replica(scenario, true)).timeline);
  }
  return played;
}

}  // namespace shardsim::cli

// `shardsim plan`: from a job to the layouts that run it fastest.
#pragma once

#include <functional>

#include "sim/cli/command.hpp"
#include "sim/plan/search.hpp"

namespace shardsim::cli {

/// Started by a launcher as one of several, becomes the program that shares the search among them.
int run_plan(const Arguments& arguments);

/// One process of those that share a search.
struct PlanProcess {
  int rank = 0;
  int size = 1;
  /// This process's part -> the whole answer on the first process, anything elsewhere.
  std::function<plan::SearchResult(const model::Scenario& base, plan::SearchResult part, std::size_t best)> gather;
};

/// The first process prints.
int run_plan(const Arguments& arguments, const PlanProcess& process);

}  // namespace shardsim::cli

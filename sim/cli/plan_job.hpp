// What `shardsim plan` starts from, and the way back from a choice to settings.
#pragma once

#include <optional>
#include <string>

#include "sim/base/problems.hpp"
#include "sim/cli/plan_options.hpp"
#include "sim/input/settings.hpp"
#include "sim/model/scenario.hpp"
#include "sim/plan/search.hpp"

namespace shardsim::cli {

struct PlanJob {
  /// All but the layout.
  input::Settings settings;
  model::Scenario base;
  /// The layout that the input named, as it would run, or why it cannot.
  std::optional<model::Scenario> given;
  std::string given_problem;
};

/// Throws InputError.
[[nodiscard]] PlanJob collect_job(const PlanOptions& options);

/// The job's settings and a choice.
[[nodiscard]] input::Settings with_layout(const input::Settings& job, const plan::Degrees& degrees);

/// A candidate of the search as `predict` would resolve and predict it.
[[nodiscard]] plan::Candidate resolved(const input::Settings& job, const plan::Degrees& degrees);

}  // namespace shardsim::cli

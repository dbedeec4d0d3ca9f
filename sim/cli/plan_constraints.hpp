// --fixed and --forbid: what a user wants of the layout.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/search.hpp"

namespace shardsim::cli {

struct Constraints {
  /// "key=value" or "key=value,value…" each.
  std::vector<std::string> fixed;
  std::vector<std::string> forbidden;
};

/// `space` within the constraints. Throws InputError for unknown keys, unreadable values and constraints that
/// contradict one another.
[[nodiscard]] plan::Space constrained(plan::Space space, const model::Scenario& base, const Constraints& constraints);

/// Throws InputError where no layout of the constrained space can run but some would without one of the constraints,
/// which it names; or, where none can run anyhow, with the reasons.
void explain_empty(const model::Scenario& base, const Constraints& constraints, const plan::SearchResult& found);

}  // namespace shardsim::cli

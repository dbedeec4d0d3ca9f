// Why one plan is faster than another: term by term, with what makes the difference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/search.hpp"

namespace shardsim::plan {

/// One term of the iteration in two plans.
struct TermDifference {
  std::string_view name;
  Seconds winner;
  Seconds other;
  /// What of the plans bears on the term and differs: "8 pipeline stages instead of 4, …"; empty = nothing obvious.
  std::string cause;

  /// Time that the winner saves; negative = it takes longer.
  [[nodiscard]] Seconds saved() const { return other - winner; }
};

struct Comparison {
  Seconds winner;
  Seconds other;
  /// Terms that differ, largest difference first. They sum to other − winner.
  std::vector<TermDifference> terms;
  /// Device memory that stays free on the worst stage.
  Bytes winner_margin;
  Bytes other_margin;

  [[nodiscard]] Seconds saved() const { return other - winner; }
};

[[nodiscard]] Comparison compare(const Candidate& winner, const Candidate& other);

}  // namespace shardsim::plan

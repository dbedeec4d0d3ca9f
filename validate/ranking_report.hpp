// How well layouts are ranked, for people and for programs.
#pragma once

#include <iosfwd>
#include <vector>

#include "validate/ranking.hpp"

namespace shardsim::validate {

/// A line per source, and the groups whose choice costs most.
void write_table(std::ostream& out, const std::vector<RankedGroup>& groups);

/// {groups, layouts, best_chosen, failed, regret{median, mean}, regret_of_three{median, mean}, spearman{median, mean},
/// by_source[{source, ...}], jobs[{source, job, layouts, regret, spearman, chosen, best}]}; regrets are fractions.
void write_json(std::ostream& out, const std::vector<RankedGroup>& groups);

}  // namespace shardsim::validate

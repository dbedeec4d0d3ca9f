// A timeline as a picture: a band a rank, a row a lane, time from left to right.
#pragma once

#include <iosfwd>
#include <vector>

#include "sim/model/timeline.hpp"
#include "sim/report/timeline_rows.hpp"

namespace shardsim::report {

/// SVG, 1600 wide. Colours tell passes, shades micro batches, whose numbers stand in spans that are wide enough. Spans
/// of one shade that touch are one box: the picture stays small however many operators there are.
void write_timeline_svg(std::ostream& out, const model::Timeline& timeline, const std::vector<NamedRank>& ranks);

}  // namespace shardsim::report

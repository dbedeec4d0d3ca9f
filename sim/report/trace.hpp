// A timeline as a trace for Perfetto (ui.perfetto.dev) and Chrome's viewer: JSON in the Trace Event Format
// (Google 2016, "Trace Event Format"). Used for what was predicted and for what was measured.
#pragma once

#include <iosfwd>
#include <vector>

#include "sim/model/timeline.hpp"
#include "sim/report/timeline_rows.hpp"

namespace shardsim::report {

/// Writes event by event. A process is a rank (numbered from 1: viewers keep 0 for the idle task), in this order, a
/// thread one of its lanes; messages are arrows, memory is counters in MiB. Times are in microseconds, with all
/// picoseconds. What happens on other ranks is left out.
void write_trace(std::ostream& out, const model::Timeline& timeline, const std::vector<NamedRank>& ranks);

}  // namespace shardsim::report

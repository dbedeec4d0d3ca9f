// What viewers ask of a trace (Google 2016, "Trace Event Format"; Perfetto's importer).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardsim::tests {

/// Everything wrong with a trace, an event a line; empty: nothing. Checked are the keys that each phase requires, that
/// processes and threads are named, that times never fall, that spans of a thread do not overlap (in picoseconds), and
/// that each arrow has one start and one later end, each inside a span (in whole nanoseconds, as Perfetto counts).
[[nodiscard]] std::vector<std::string> trace_problems(std::string_view trace);

}  // namespace shardsim::tests

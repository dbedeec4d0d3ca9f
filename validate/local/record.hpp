// The trainer's record of what every rank executed, summed by iteration.
#pragma once

#include <map>
#include <string>

#include "validate/local/operator_times.hpp"

namespace shardsim::validate::local {

/// By rank, then by iteration.
using Record = std::map<std::int64_t, std::map<std::int64_t, OperatorTimes>>;

/// Reads the lines of `shardsim train --record`. Throws InputError for a line that is none.
[[nodiscard]] Record read_record(const std::string& path);

/// The kUndisturbed quantiles over iterations from `first` on, of the rank that computes longest.
[[nodiscard]] OperatorTimes longest_rank(const Record& record, std::int64_t first);

}  // namespace shardsim::validate::local

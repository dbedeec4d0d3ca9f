// A share's answer as whole numbers, for processes that share a search.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/search.hpp"

namespace shardsim::plan {

[[nodiscard]] std::vector<std::int64_t> packed(const SearchResult& result);

/// Predictions are made anew, and are the same.
[[nodiscard]] SearchResult unpacked(const model::Scenario& base, const std::vector<std::int64_t>& numbers);

}  // namespace shardsim::plan

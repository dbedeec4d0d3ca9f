// "Did you mean …": the known name nearest to a misspelt one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace shardsim {

/// The nearest of `known` by edit distance (a swap of neighbours is one edit, case and '-'/'_' count half),
/// or nothing when even the nearest differs in more than a third of its letters.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view name,
                                                      const std::vector<std::string_view>& known);

}  // namespace shardsim

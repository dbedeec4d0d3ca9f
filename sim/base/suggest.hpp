// "Did you mean": the known name closest to a misspelt one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace shardsim {

/// Insertions, deletions and substitutions that turn `a` into `b` (Levenshtein 1966).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest of `names`, the first of equals; nothing when even that shares too little (more than two fifths of the
/// longer name differ).
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view name,
                                                      const std::vector<std::string_view>& names);

}  // namespace shardsim

#include "sim/base/suggest.hpp"

#include <algorithm>

namespace shardsim {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j]: distance between the first i letters of a and the first j of b.
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& names) {
  constexpr std::size_t kLongestName = 200;
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  if (name.size() > kLongestName) return best;
  for (const std::string_view known : names) {
    const std::size_t distance = edit_distance(name, known);
    if (!best || distance < best_distance) {
      best = known;
      best_distance = distance;
    }
  }
  if (best && best_distance * 5 > std::max(name.size(), best->size()) * 2) best.reset();
  return best;
}

}  // namespace shardsim

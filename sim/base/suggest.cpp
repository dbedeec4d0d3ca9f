#include "sim/base/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace shardsim {
namespace {

// Costs are in half edits, so that a difference of case alone is the smallest.
constexpr std::size_t kEdit = 2;
constexpr std::size_t kSpelling = 1;

char folded(char c) { return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t substitution(char a, char b) {
  if (a == b) return 0;
  return folded(a) == folded(b) ? kSpelling : kEdit;
}

// Damerau-Levenshtein distance with adjacent swaps, three rows at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j * kEdit;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i * kEdit;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t shift = std::min(last[j], row[j - 1]) + kEdit;
      row[j] = std::min(shift, last[j - 1] + substitution(a[i - 1], b[j - 1]));
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + kEdit);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& known) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t limit = std::max<std::size_t>(kEdit, longer * kEdit / 3);
    const std::size_t candidate_distance = distance(name, candidate);
    if (candidate_distance > limit || candidate_distance >= longer * kEdit) continue;
    if (!best || candidate_distance < best_distance) {
      best = candidate;
      best_distance = candidate_distance;
    }
  }
  return best;
}

}  // namespace shardsim

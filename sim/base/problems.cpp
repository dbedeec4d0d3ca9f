#include "sim/base/problems.hpp"

#include <cstddef>

namespace shardsim {
namespace {

constexpr std::size_t kLongestValue = 200;
constexpr std::size_t kLongestMessage = 1000;

/// What a person reads of a text that may be a whole file.
std::string clipped(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  const auto inside_character = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; };
  while (end > 0 && inside_character()) --end;
  return text.substr(0, end) + "…";
}

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_string(problem);
  }
  return text;
}

}  // namespace

std::string to_string(const Problem& problem) {
  std::string text;
  if (!problem.origin.file.empty()) {
    text += problem.origin.file;
    if (problem.origin.line > 0) text += ":" + std::to_string(problem.origin.line);
    text += ": ";
  }
  const bool renamed = !problem.origin.name.empty() && problem.origin.name != problem.key;
  if (renamed) text += problem.origin.name;
  if (!problem.key.empty()) text += renamed ? " (" + problem.key + ")" : problem.key;
  if (!problem.value.empty()) text += " = " + clipped(problem.value, kLongestValue);
  if (renamed || !problem.key.empty()) text += ": ";
  return text + clipped(problem.message, kLongestMessage);
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

void Problems::throw_if_any() const {
  if (!problems_.empty()) throw InputError(problems_);
}

}  // namespace shardsim

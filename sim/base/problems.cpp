#include "sim/base/problems.hpp"

namespace shardsim {
namespace {

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
  if (!problem.value.empty()) text += " = " + problem.value;
  if (renamed || !problem.key.empty()) text += ": ";
  return text + problem.message;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

void Problems::throw_if_any() const {
  if (!problems_.empty()) throw InputError(problems_);
}

}  // namespace shardsim

#include "sim/cli/sweep_range.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/problems.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/input/schema.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::cli {
namespace {

constexpr std::size_t kMostValues = 1000;
constexpr const char* kForms = "64..4096:x2, 1..8:+1 or 1,2,4";

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"command line", 0, "--over"}, key, value, message}});
}

/// A whole number stays one.
std::string text_of(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? input::to_text(whole) : input::to_text(value);
}

std::vector<std::string> range_values(const std::string& key, const std::string& range, std::size_t dots) {
  const std::size_t colon = range.find(':', dots);
  const auto first = input::parse_number(range.substr(0, dots));
  const auto last = input::parse_number(range.substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2));
  const std::string step = colon == std::string::npos ? "+1" : range.substr(colon + 1);
  const bool factor = !step.empty() && step.front() == 'x';
  const auto by = input::parse_number(step.empty() ? step : step.substr(1));
  const bool stepped = !step.empty() && (factor || step.front() == '+');
  if (!first.value || !last.value || !by.value || !stepped) refuse(key, range, std::string("expected ") + kForms);
  if (*last.value < *first.value) refuse(key, range, "ends before it begins");
  const bool grows = factor ? *by.value > 1.0 && *first.value > 0.0 : *by.value > 0.0;
  if (!grows) {
    refuse(key, range,
           factor ? "never ends: a factor must be more than 1 and the first value more than 0"
                  : "never ends: a step must be more than 0");
  }
  std::vector<std::string> values;
  // Rounding must not lose the last value.
  const double end = *last.value + 1e-9 * std::max(1.0, std::abs(*last.value));
  for (double value = *first.value; value <= end; value = factor ? value * *by.value : value + *by.value) {
    values.push_back(text_of(value));
    if (values.size() > kMostValues) refuse(key, range, "has more than 1,000 values");
  }
  return values;
}

std::vector<std::string> list_values(const std::string& key, const std::string& list) {
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string value(input::trimmed(std::string_view(list).substr(at, comma - at)));
    if (value.empty()) refuse(key, list, "holds an empty value");
    if (std::find(values.begin(), values.end(), value) != values.end()) refuse(key, list, "holds " + value + " twice");
    values.push_back(value);
    if (values.size() > kMostValues) refuse(key, list, "has more than 1,000 values");
    at = comma + 1;
  }
  return values;
}

bool is_known(const std::string& key) {
  const auto& derived = input::derived_keys();
  return input::find_key(key) != nullptr ||
         std::any_of(derived.begin(), derived.end(), [&](const auto& known) { return known.name == key; });
}

}  // namespace

SweepAxis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    refuse("", text, std::string("expected key=RANGE, as cluster.gpus=64..4096:x2; a range is ") + kForms);
  }
  SweepAxis axis;
  axis.name = text.substr(0, equals);
  axis.key = input::canonical_key(axis.name);
  const std::string range = text.substr(equals + 1);
  if (!is_known(axis.key)) {
    const std::string near = input::nearest_key(axis.key);
    refuse(axis.name, range, "is no known key" + (near.empty() ? near : "; did you mean \"" + near + "\"?"));
  }
  const std::size_t dots = range.find("..");
  axis.values = dots == std::string::npos ? list_values(axis.name, range) : range_values(axis.name, range, dots);
  return axis;
}

}  // namespace shardsim::cli

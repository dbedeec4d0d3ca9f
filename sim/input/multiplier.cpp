#include "sim/input/multiplier.hpp"

#include <cmath>
#include <string>

#include "sim/input/schema.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

/// Length of the digits, sign, point and exponent at the start of `text`.
std::size_t number_length(std::string_view text) {
  for (std::size_t length = text.size(); length > 0; --length) {
    if (parse_number(text.substr(0, length)).value && text[length - 1] != ' ') return length;
  }
  return 0;
}

/// "25 GB/s" by 2 is "50 GB/s".
std::optional<std::string> product(std::string_view value, double factor) {
  value = trimmed(value);
  const std::size_t length = number_length(value);
  if (length == 0) return {};
  std::string text = to_text(*parse_number(value.substr(0, length)).value * factor);
  // A whole number that to_text() would write with an exponent.
  const double number = *parse_number(text).value;
  if (text.find('e') != std::string::npos && number == std::floor(number) && std::abs(number) < 1e15) {
    text = std::to_string(static_cast<std::int64_t>(number));
  }
  return text + std::string(value.substr(length));
}

/// What the key is where nobody says: the field's default, which only hardware has.
std::string default_value(const SchemaKey& key) {
  const bool hardware = key.name.rfind("cluster.", 0) == 0 || key.name.rfind("device.", 0) == 0;
  return hardware && key.name != "cluster.gpus" ? key.write(model::Scenario{}) : std::string();
}

}  // namespace

std::optional<double> multiplier_of(std::string_view value) {
  value = trimmed(value);
  if (value.empty() || value.front() != 'x') return {};
  return parse_number(value.substr(1)).value;
}

std::optional<Setting> multiplied(const Setting& setting, const Settings& below, Problems& problems) {
  const auto factor = multiplier_of(setting.value);
  const SchemaKey* key = find_key(setting.key);
  if (!factor || key == nullptr || key->kind == "text") return setting;
  const auto refuse = [&](const std::string& message) {
    problems.add({setting.origin, setting.key, setting.value, message});
    return std::optional<Setting>();
  };
  if (!(*factor > 0.0)) return refuse("a multiplier must be more than 0, like x2 or x0.5");
  const Setting* known = below.find(setting.key);
  const std::string value = known != nullptr ? known->value : default_value(*key);
  if (value.empty()) return refuse("nothing gives a value to multiply; write the value itself (" + key->kind + ")");
  auto result = product(value, *factor);
  if (!result) return refuse("multiplies numbers only, and this is " + in_quotes(value));
  Setting changed = setting;
  changed.value = std::move(*result);
  return changed;
}

}  // namespace shardsim::input

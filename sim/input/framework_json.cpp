#include "sim/input/framework_json.hpp"

#include <algorithm>

#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

int line_at(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

}  // namespace

std::optional<nlohmann::json> parse_json_object(std::string_view text, const std::string& file, Problems& problems) {
  try {
    nlohmann::json object = nlohmann::json::parse(text, nullptr, true, true);
    if (object.is_object()) return object;
    problems.add({{file, 0, {}}, {}, {}, "is no JSON object {…}"});
  } catch (const nlohmann::json::parse_error& error) {
    // `byte` counts from 1 and may stand behind the end.
    const std::size_t position = std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0);
    problems.add({{file, line_at(text, position), {}}, {}, {}, "is no valid JSON here"});
  } catch (const nlohmann::json::out_of_range&) {
    problems.add({{file, 0, {}}, {}, {}, "holds a number that is too large"});
  }
  return {};
}

std::string json_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return to_text(value.get<double>());
  if (value.is_structured()) return value.is_array() ? "[…]" : "{…}";
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_left_open(const std::string& value) {
  return value == "auto" || value.find("${") != std::string::npos || value.find("{{") != std::string::npos;
}

Origin JsonReader::origin(const std::string& name) const {
  const std::size_t position = text_.find(in_quotes(name));
  return {file_, position == std::string_view::npos ? 0 : line_at(text_, position), name};
}

void JsonReader::put(const std::string& key, const std::string& value, const std::string& name,
                     const std::string& because) {
  settings_.set({key, value, origin(name), because});
}

void JsonReader::take(const nlohmann::json& object, const std::string& name, const std::string& key) {
  const auto member = object.find(name);
  if (member == object.end() || member->is_null()) return;
  const std::string value = json_text(*member);
  put(key, value, name, is_left_open(value) ? "left open in " + file_ : "");
}

}  // namespace shardsim::input

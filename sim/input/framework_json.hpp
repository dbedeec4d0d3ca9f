// What the readers of other frameworks' JSON share: parsing, and values as the text of settings.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

/// The JSON object of a file (comments allowed), or nothing and a problem with the line of the mistake.
[[nodiscard]] std::optional<nlohmann::json> parse_json_object(std::string_view text, const std::string& file,
                                                              Problems& problems);

/// Turns the members of one JSON object into settings, with the line on which each name stands.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string file, Settings& settings)
      : text_{text}, file_{std::move(file)}, settings_{settings} {}

  /// Sets `key` from the member `name` when it is there and not null.
  void take(const nlohmann::json& object, const std::string& name, const std::string& key);
  /// A value that the file implies; `because` not empty: an assumption, listed and weaker than given values.
  void put(const std::string& key, const std::string& value, const std::string& name, const std::string& because = {});

  [[nodiscard]] Origin origin(const std::string& name) const;

 private:
  std::string_view text_;
  std::string file_;
  Settings& settings_;
};

/// Text of a JSON value as a user would write it; lists and objects as JSON.
[[nodiscard]] std::string json_text(const nlohmann::json& value);

/// "auto", or a template's ${…} or {{…}}: left to someone else.
[[nodiscard]] bool is_left_open(const std::string& value);

}  // namespace shardsim::input

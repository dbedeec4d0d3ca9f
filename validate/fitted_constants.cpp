#include "validate/fitted_constants.hpp"

#include <sstream>

namespace shardsim::validate {
namespace {

constexpr std::string_view kMark = "# fitted:";

/// "43 us" holds one number, "0.5 0.7 0.9" three.
std::size_t numbers_in(const std::string& value) {
  std::istringstream words{value};
  std::size_t count = 0;
  for (std::string word; words >> word;) {
    if (word.find_first_of("0123456789") <= 1) ++count;
  }
  return count;
}

}  // namespace

std::vector<std::string> fitted_keys(const input::Preset& preset) {
  std::vector<std::string> keys;
  std::istringstream lines{std::string{preset.text}};
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, kMark.size(), kMark) != 0) continue;
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream words{line.substr(kMark.size())};
    for (std::string key; words >> key;) keys.push_back(key);
  }
  return keys;
}

std::size_t fitted_constants(const input::Preset& preset) {
  const std::vector<std::string> keys = fitted_keys(preset);
  if (keys.empty()) return 0;
  Problems ignored;
  const input::Settings settings = input::read_scenario(preset.text, input::preset_file(preset), ignored);
  // The kind "stacks" has the section "stack".
  const std::string section = preset.kind.substr(0, preset.kind.size() - 1) + ".";
  std::size_t count = 0;
  for (const std::string& key : keys) {
    const input::Setting* setting = settings.find(section + key);
    if (setting != nullptr) count += numbers_in(setting->value);
  }
  return count;
}

std::size_t fitted_constants() {
  std::size_t count = 0;
  for (const input::Preset& preset : input::presets()) {
    const bool profile = preset.kind == "stacks" || preset.kind == "devices" || preset.kind == "clusters";
    if (profile) count += fitted_constants(preset);
  }
  return count;
}

}  // namespace shardsim::validate

#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "sim/input/megatron.hpp"

namespace shardsim::input {

std::string Reading::value(const std::string& key) const {
  const Setting* const setting = settings.find(key);
  return setting == nullptr ? "(none)" : setting->value;
}

bool Reading::warns_of(const std::string& part) const {
  const auto& warnings = settings.warnings();
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

std::string Reading::problem_text() const {
  std::string text;
  for (const Problem& problem : problems.all()) text += to_string(problem) + "\n";
  return text;
}

Reading read(const std::string& text) {
  Reading reading;
  reading.settings = read_megatron(text, "launch.sh", reading.problems);
  return reading;
}

Reading read_script(const std::string& name) { return read(test_data("launch_scripts/" + name)); }

std::string source_file(const std::string& path) {
  std::ifstream file(std::string(SHARDSIM_SOURCE_DIR) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string test_data(const std::string& name) { return source_file("tests/data/" + name); }

}  // namespace shardsim::input

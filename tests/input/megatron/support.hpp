// Reading of texts and test files for the Megatron tests.
#pragma once

#include <string>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

struct Reading {
  Settings settings;
  Problems problems;

  /// The value of a setting, "(none)" when it was not set.
  [[nodiscard]] std::string value(const std::string& key) const;
  [[nodiscard]] bool warns_of(const std::string& part) const;
  /// All problems, one a line.
  [[nodiscard]] std::string problem_text() const;
};

[[nodiscard]] Reading read(const std::string& text);
[[nodiscard]] Reading read_script(const std::string& name);

/// A file of the repository.
[[nodiscard]] std::string source_file(const std::string& path);

/// A file under tests/data.
[[nodiscard]] std::string test_data(const std::string& name);

}  // namespace shardsim::input

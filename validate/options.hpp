// The options of `shardsim validate`.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "sim/input/settings.hpp"

namespace shardsim::validate {

enum class Format { table, json };
enum class Engine { closed_form, event };

/// Empty = not given.
struct Options {
  bool help = false;
  std::vector<std::string> files;
  /// Letters of the qualities to keep, as "AB"; rows without a quality are kept always.
  std::string quality;
  std::optional<std::regex> source;
  /// Suspect rows count with the others.
  bool include_suspect = false;
  /// What predicts.
  Engine engine = Engine::closed_form;
  /// How well layouts are ranked, instead of how far predictions are off.
  bool ranking = false;
  /// CSV file for one line per row.
  std::string rows;
  Format format = Format::table;
  /// Settings of every row.
  std::vector<input::Setting> overrides;
  /// Folder of the repository whose recorded accuracy, README table and figure are written.
  std::string record;
  /// Records also what has become worse.
  bool accept_worse = false;
};

/// Throws InputError for unknown, malformed and contradicting options.
[[nodiscard]] Options parse_options(const std::vector<std::string>& arguments);

[[nodiscard]] std::string help_text();

}  // namespace shardsim::validate

// The options of `shardsim validate --local`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validate/local/jobs.hpp"
#include "validate/options.hpp"

namespace shardsim::validate::local {

/// Empty = not given.
struct LocalOptions {
  bool help = false;
  /// Profile of this machine; without it, it is calibrated briefly.
  std::string profile;
  Extent extent = Extent::full;
  Engine engine = Engine::closed_form;
  Format format = Format::table;
  std::int64_t repeats = 0;
  /// Files for one line per job, one per operator of a job, and the picture.
  std::string csv;
  std::string operators;
  std::string figure;
  /// Folder of the repository whose recorded result, README table and figure are written.
  std::string record;
};

/// --local is among the words.
[[nodiscard]] bool asks_for_local(const std::vector<std::string>& arguments);

/// Throws InputError for unknown, malformed and contradicting options.
[[nodiscard]] LocalOptions parse_local_options(const std::vector<std::string>& arguments);

[[nodiscard]] std::string local_help_text();

}  // namespace shardsim::validate::local

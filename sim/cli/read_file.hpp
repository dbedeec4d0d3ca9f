// Input files as text.
#pragma once

#include <string>

#include "sim/base/problems.hpp"

namespace shardsim::cli {

/// What messages call a file: its path, or "standard input" for "-".
[[nodiscard]] std::string shown_name(const std::string& path);

/// The file's text ("-" is standard input), or "" and a problem: missing, unreadable, a folder, empty, binary, huge.
[[nodiscard]] std::string read_file(const std::string& path, Problems& problems);

}  // namespace shardsim::cli

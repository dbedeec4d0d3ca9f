// Reading a user's file whole, with its failures as problems.
#pragma once

#include <string>

#include "sim/base/problems.hpp"

namespace shardsim::input {

/// The text of `path`, or of standard input for "-". What cannot be read (missing, a folder, no permission, larger
/// than 64 MiB), what is binary and what is empty is a problem and gives an empty text.
[[nodiscard]] std::string read_text_file(const std::string& path, Problems& problems);

}  // namespace shardsim::input

// Writing a file whole or not at all.
#pragma once

#include <string>

namespace shardsim::validate {

/// Writes a temporary beside `path` and renames it; what is no regular file (/dev/stdout, a link) is written directly.
/// Throws InputError, and leaves nothing, when that fails.
void write_file(const std::string& path, const std::string& text);

}  // namespace shardsim::validate

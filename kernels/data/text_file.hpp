// Files that the user names, whole.
#pragma once

#include <string>
#include <vector>

namespace shardsim::kernels {

/// Throws InputError that names `key` (the flag) and the file: missing, a folder, unreadable, or empty.
[[nodiscard]] std::string read_text_file(const std::string& path, const std::string& key);

/// Without line ends ("\n" or "\r\n").
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// InputError of one problem with a file.
[[noreturn]] void refuse_file(const std::string& path, const std::string& key, const std::string& message);

}  // namespace shardsim::kernels

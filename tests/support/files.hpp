// The repository's own files, as tests read them.
#pragma once

#include <string>
#include <vector>

namespace shardsim::test {

/// Paths relative to the repository, sorted, of the files below `folder` with one of the extensions.
[[nodiscard]] std::vector<std::string> source_files(const std::string& folder,
                                                    const std::vector<std::string>& extensions);

/// Whole text of a file; a relative path starts at the repository. Throws when it cannot be read.
[[nodiscard]] std::string read_source(const std::string& path);

void write_file(const std::string& path, const std::string& text);

}  // namespace shardsim::test

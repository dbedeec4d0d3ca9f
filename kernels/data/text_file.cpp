#include "kernels/data/text_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "sim/base/problems.hpp"

namespace shardsim::kernels {

void refuse_file(const std::string& path, const std::string& key, const std::string& message) {
  throw InputError({Problem{{path, 0, ""}, key, "", message}});
}

std::string read_text_file(const std::string& path, const std::string& key) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse_file(path, key, "is a folder; name a file");
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  if (!file) refuse_file(path, key, "cannot be read: " + std::generic_category().message(errno));
  text << file.rdbuf();
  if (file.bad()) refuse_file(path, key, "cannot be read: " + std::generic_category().message(errno));
  if (text.str().empty()) refuse_file(path, key, "is empty");
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

}  // namespace shardsim::kernels

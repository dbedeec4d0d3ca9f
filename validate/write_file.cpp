#include "validate/write_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/base/problems.hpp"

namespace shardsim::validate {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  const std::string why = errno == 0 ? "" : std::string{": "} + std::strerror(errno);
  throw InputError({Problem{{path, 0, ""}, "", "", "cannot be written" + why}});
}

bool write(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file{path, std::ios::binary};
  return static_cast<bool>(file << text << std::flush);
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (!write(path, text)) refuse(path);
    return;
  }
  const std::string temporary = path + ".new-" + std::to_string(getpid());
  const bool written = write(temporary, text);
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  fs::remove(temporary, error);
  errno = reason;
  refuse(path);
}

}  // namespace shardsim::validate

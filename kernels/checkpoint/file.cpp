#include "kernels/checkpoint/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "kernels/checkpoint/checkpoint_error.hpp"

namespace shardsim::kernels {
namespace {

constexpr const char* kNotWritten = "cannot be written";

int open_file(const std::filesystem::path& path, int flags) {
  constexpr mode_t kMode = 0644;
  return ::open(path.c_str(), flags | O_CLOEXEC, kMode);
}

}  // namespace

File::File(std::filesystem::path path, Mode mode) : path_{std::move(path)} {
  const int flags = mode == Mode::read ? O_RDONLY : mode == Mode::create ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR;
  descriptor_ = open_file(path_, flags);
  if (descriptor_ < 0) refuse_file_access(path_, mode == Mode::read ? "cannot be opened" : kNotWritten, errno);
}

File::File(File&& other) noexcept : path_{std::move(other.path_)}, descriptor_{std::exchange(other.descriptor_, -1)} {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::int64_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse_file_access(path_, "cannot be read", errno);
  if (!S_ISREG(status.st_mode)) refuse_checkpoint(path_, "", "is not a file");
  return status.st_size;
}

void File::read(std::int64_t offset, void* data, std::int64_t bytes) const {
  auto* to = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, to, static_cast<std::size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_file_access(path_, "cannot be read", errno);
    if (got == 0) refuse_checkpoint(path_, "", "ends at byte " + std::to_string(offset) + ": it is cut off");
    to += got;
    offset += got;
    bytes -= got;
  }
}

void File::write(std::int64_t offset, const void* data, std::int64_t bytes) {
  // Beyond the largest size that the system allows a signal comes before the error.
  static const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  (void)ignored;
  const auto* from = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t put = ::pwrite(descriptor_, from, static_cast<std::size_t>(bytes), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) refuse_file_access(path_, kNotWritten, put < 0 ? errno : ENOSPC);
    from += put;
    offset += put;
    bytes -= put;
  }
}

void File::resize(std::int64_t bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) refuse_file_access(path_, kNotWritten, errno);
}

void File::sync() {
  if (::fsync(descriptor_) != 0) refuse_file_access(path_, kNotWritten, errno);
}

void sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path name = folder.empty() ? "." : folder;
  const int descriptor = open_file(name, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) refuse_file_access(name, kNotWritten, errno);
  // Some network file systems have no such thing and say EINVAL.
  const int error = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  if (error != 0) refuse_file_access(name, kNotWritten, error);
}

std::filesystem::path unfinished(const std::filesystem::path& path) {
  std::filesystem::path other = path;
  return other += ".unfinished";
}

void publish(const std::filesystem::path& path) {
  if (std::rename(unfinished(path).c_str(), path.c_str()) != 0) refuse_file_access(path, kNotWritten, errno);
  sync_folder(path.parent_path());
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  try {
    File file{unfinished(path), File::Mode::create};
    file.write(0, text.data(), static_cast<std::int64_t>(text.size()));
    file.sync();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished(path), ignored);
    throw;
  }
  publish(path);
}

}  // namespace shardsim::kernels

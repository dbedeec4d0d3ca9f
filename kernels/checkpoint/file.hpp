// Files by offset, and files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace shardsim::kernels {

/// An open file. Every failure throws InputError naming the file and the system's reason.
class File {
 public:
  enum class Mode { read, create, write };
  File(std::filesystem::path path, Mode mode);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::int64_t size() const;
  void read(std::int64_t offset, void* data, std::int64_t bytes) const;
  void write(std::int64_t offset, const void* data, std::int64_t bytes);
  void resize(std::int64_t bytes);
  /// Returns when the data is on the disk.
  void sync();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Waits until names in this folder are on the disk.
void sync_folder(const std::filesystem::path& folder);

/// Where a file or folder is written until it is complete.
[[nodiscard]] std::filesystem::path unfinished(const std::filesystem::path& path);

/// Gives the finished file or folder its name, replacing a file of that name, and waits until that is on the disk.
void publish(const std::filesystem::path& path);

/// A small file, whole or not at all.
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace shardsim::kernels

// Safetensors files: opened, checked, and read or written by offset.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/checkpoint/file.hpp"
#include "kernels/checkpoint/safetensors_header.hpp"

namespace shardsim::kernels {

/// Reads and checks the header; the data is read on demand. Throws InputError naming file and tensor.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::filesystem::path& path);
  /// Null when the file has no such tensor.
  [[nodiscard]] const StoredTensor* find(const std::string& name) const;
  [[nodiscard]] const SafetensorsHeader& header() const { return header_; }
  [[nodiscard]] const File& file() const { return file_; }

 private:
  File file_;
  SafetensorsHeader header_;
  std::map<std::string, const StoredTensor*> by_name_;
};

/// A file under its unfinished name, of its full size, with the header written; close with finish() and publish().
class SafetensorsWriter {
 public:
  /// Fills in the places of `header`.
  SafetensorsWriter(const std::filesystem::path& path, SafetensorsHeader& header);
  [[nodiscard]] File& file() { return file_; }
  void finish() { file_.sync(); }

 private:
  File file_;
};

}  // namespace shardsim::kernels

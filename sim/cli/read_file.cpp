#include "sim/cli/read_file.hpp"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <istream>
#include <system_error>

namespace shardsim::cli {
namespace {

/// Far above any configuration; keeps a wrong file (a checkpoint, a device) out of memory.
constexpr std::size_t kLargest = std::size_t{16} << 20;

std::string first_bytes(std::istream& stream, std::size_t limit) {
  std::string text;
  char buffer[1 << 14];
  while (text.size() < limit && stream) {
    stream.read(buffer, sizeof buffer);
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

/// Why the text is no configuration; empty = it may be one.
std::string defect(const std::string& text) {
  if (text.size() > kLargest) return "is larger than 16 MiB, which no configuration is";
  if (text.find('\0') != std::string::npos) return "is a binary file; a text file is expected";
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "is empty";
  return "";
}

}  // namespace

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_file(const std::string& path, Problems& problems) {
  const auto refuse = [&](const std::string& why) {
    problems.add({{shown_name(path), 0, ""}, "", "", why});
    return std::string();
  };
  std::string text;
  if (path == "-") {
    text = first_bytes(std::cin, kLargest + 1);
  } else {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return refuse("is a folder; a file is expected");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return refuse("cannot be read: " + std::generic_category().message(errno));
    text = first_bytes(file, kLargest + 1);
    if (file.bad()) return refuse("cannot be read: " + std::generic_category().message(errno));
  }
  const std::string why = defect(text);
  return why.empty() ? text : refuse(why);
}

}  // namespace shardsim::cli

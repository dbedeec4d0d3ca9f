#include "sim/input/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <istream>
#include <system_error>

namespace shardsim::input {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20;

std::string read_all(std::istream& stream, std::size_t limit) {
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  while (text.size() <= limit) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(stream.gcount());
    text.append(piece, 0, count);
    if (count < piece.size()) break;
  }
  return text;
}

}  // namespace

std::string read_text_file(const std::string& path, Problems& problems) {
  const bool standard_input = path == "-";
  const Origin origin{standard_input ? "standard input" : path, 0, {}};
  const auto refuse = [&](const std::string& why) {
    problems.add({origin, {}, {}, why});
    return std::string();
  };
  std::error_code ignored;
  if (!standard_input && std::filesystem::is_directory(path, ignored)) return refuse("is a folder, not a file");
  std::ifstream file;
  if (!standard_input) {
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file) return refuse(std::string("cannot be read: ") + std::strerror(errno));
  }
  std::string text = read_all(standard_input ? std::cin : file, kLargest);
  if (text.size() > kLargest) return refuse("is larger than 64 MiB, no configuration");
  if (text.find('\0') != std::string::npos) return refuse("is a binary file, not a text file");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return refuse("is empty");
  return text;
}

}  // namespace shardsim::input

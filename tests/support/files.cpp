#include "tests/support/files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace shardsim::test {
namespace {

const std::filesystem::path kRepository = SHARDSIM_SOURCE_DIR;

}  // namespace

std::vector<std::string> source_files(const std::string& folder, const std::vector<std::string>& extensions) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRepository / folder)) {
    const bool wanted = std::find(extensions.begin(), extensions.end(), entry.path().extension()) != extensions.end();
    if (entry.is_regular_file() && wanted) files.push_back(entry.path().lexically_relative(kRepository));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_source(const std::string& path) {
  std::ifstream file(kRepository / path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text)) throw std::runtime_error("cannot write " + path);
}

}  // namespace shardsim::test

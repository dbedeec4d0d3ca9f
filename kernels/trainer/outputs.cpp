#include "kernels/trainer/outputs.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

namespace fs = std::filesystem;

void refuse(const std::string& path, const std::string& why, Problems& problems) {
  problems.add({{path, 0, ""}, "", "", "cannot be written: " + why});
}

void require_writable(const std::string& path, const fs::path& folder, Problems& problems) {
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(path, std::generic_category().message(errno), problems);
}

void prepare_folder(const std::string& path, Problems& problems) {
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return refuse(path, error.message(), problems);
  require_writable(path, path, problems);
}

void check_file(const std::string& path, Problems& problems) {
  if (path.empty()) return;
  std::error_code error;
  if (fs::is_directory(path, error)) return refuse(path, "is a folder; name a file", problems);
  const fs::path folder = fs::path(path).parent_path();
  require_writable(path, folder.empty() ? fs::path(".") : folder, problems);
}

}  // namespace

void prepare_outputs(const TrainOptions& options) {
  Problems problems;
  prepare_folder(options.save, problems);
  for (const std::string* file : {&options.export_weights, &options.record, &options.trace})
    check_file(*file, problems);
  problems.throw_if_any();
}

}  // namespace shardsim::kernels

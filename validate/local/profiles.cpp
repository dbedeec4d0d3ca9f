#include "validate/local/profiles.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "sim/base/problems.hpp"
#include "validate/local/measured.hpp"
#include "validate/local/predicted.hpp"
#include "validate/local/process.hpp"

namespace shardsim::validate::local {
namespace {

namespace fs = std::filesystem;

constexpr Seconds kLongestCalibration{240.0};

/// The profile lies here, with its samples and its figure.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_{fs::temp_directory_path() / ("shardsim-profile-" + std::to_string(getpid()))} {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string profile() const { return path_ / "measured.toml"; }

 private:
  fs::path path_;
};

}  // namespace

Profiles::Profiles(const LocalOptions& options) : file_{options.profile} {
  if (file_.empty()) calibrator_ = sibling_program("calibrate");
}

std::optional<input::Settings> Profiles::next() {
  if (!calibrates()) return read_profile(file_);
  const TemporaryFolder folder;
  std::cerr << "calibrating this machine briefly" << std::endl;
  const Finished finished = run_program({calibrator_, "--quick", "--output", folder.profile()}, kLongestCalibration);
  if (finished.how == Finished::How::interrupted) return std::nullopt;
  if (!finished.succeeded()) {
    throw InputError({Problem{{"shardsim calibrate --quick", 0, ""}, "", "", describe_failure(finished)}});
  }
  return read_profile(folder.profile());
}

std::string Profiles::description() const { return calibrates() ? "calibrated before each round of runs" : file_; }

}  // namespace shardsim::validate::local

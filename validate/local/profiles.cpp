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

/// A file that is gone when the object is.
class Temporary {
 public:
  Temporary() : path_{fs::temp_directory_path() / ("shardsim-profile-" + std::to_string(getpid()) + ".toml")} {}
  ~Temporary() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Profiles::Profiles(const LocalOptions& options) : file_{options.profile} {
  if (file_.empty()) calibrator_ = sibling_program("calibrate");
}

std::optional<input::Settings> Profiles::next() {
  if (!calibrates()) return read_profile(file_);
  const Temporary profile;
  std::cerr << "calibrating this machine briefly" << std::endl;
  const Finished finished = run_program({calibrator_, "--quick", "--output", profile.path()}, kLongestCalibration);
  if (finished.how == Finished::How::interrupted) return std::nullopt;
  if (!finished.succeeded()) {
    throw InputError({Problem{{"shardsim calibrate --quick", 0, ""}, "", "", describe_failure(finished)}});
  }
  return read_profile(profile.path());
}

std::string Profiles::description() const { return calibrates() ? "calibrated before each round of runs" : file_; }

}  // namespace shardsim::validate::local

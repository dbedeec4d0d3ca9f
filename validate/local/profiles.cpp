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

/// Of a calibration before one round.
constexpr int kPasses = 3;

}  // namespace

Profiles::Profiles(const LocalOptions& options) : file_{options.profile} {
  if (!file_.empty()) return;
  calibrator_ = sibling_program("calibrate");
  folder_ = fs::temp_directory_path() / ("shardsim-profile-" + std::to_string(getpid()));
  fs::create_directories(folder_);
}

Profiles::~Profiles() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::optional<input::Settings> Profiles::next() {
  if (!calibrates()) return read_profile(file_);
  const std::string profile = folder_ / "measured.toml";
  passes_ += kPasses;
  std::cerr << "calibrating this machine briefly" << std::endl;
  const Finished finished =
      run_program({calibrator_, "--quick", "--resume", "--passes", std::to_string(passes_), "--output", profile},
                  kLongestCalibration);
  if (finished.how == Finished::How::interrupted) return std::nullopt;
  if (!finished.succeeded()) {
    throw InputError({Problem{{"shardsim calibrate --quick", 0, ""}, "", "", describe_failure(finished)}});
  }
  return read_profile(profile);
}

std::string Profiles::description() const { return calibrates() ? "calibrated before each round of runs" : file_; }

}  // namespace shardsim::validate::local

// The profile that runs are predicted from: the user's, or brief calibrations between the rounds of runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/input/settings.hpp"
#include "validate/local/options.hpp"

namespace shardsim::validate::local {

class Profiles {
 public:
  /// Throws InputError where there is neither a profile nor a program that makes one.
  explicit Profiles(const LocalOptions& options);
  ~Profiles();
  Profiles(const Profiles&) = delete;
  Profiles& operator=(const Profiles&) = delete;

  /// For the next round: the user's profile as it is, or this machine calibrated now, on top of what was measured
  /// before the rounds that went before; nothing where that was interrupted. Throws InputError where the profile cannot
  /// be read or the calibration fails.
  [[nodiscard]] std::optional<input::Settings> next();
  /// Each round adds to it.
  [[nodiscard]] bool calibrates() const { return !calibrator_.empty(); }
  [[nodiscard]] std::string description() const;

 private:
  std::string file_;
  std::string calibrator_;
  /// Holds profile, samples and figure; empty where nothing is calibrated.
  std::filesystem::path folder_;
  int passes_ = 0;
};

}  // namespace shardsim::validate::local

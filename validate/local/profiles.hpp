// The profile that a round of runs is predicted from: the user's, or a brief calibration of its own.
#pragma once

#include <optional>
#include <string>

#include "sim/input/settings.hpp"
#include "validate/local/options.hpp"

namespace shardsim::validate::local {

class Profiles {
 public:
  /// Throws InputError where there is neither a profile nor a program that makes one.
  explicit Profiles(const LocalOptions& options);

  /// For the next round: the user's profile as it is, or this machine calibrated now; nothing where that was
  /// interrupted. Throws InputError where the profile cannot be read or the calibration fails.
  [[nodiscard]] std::optional<input::Settings> next();
  /// Each round has its own.
  [[nodiscard]] bool calibrates() const { return !calibrator_.empty(); }
  [[nodiscard]] std::string description() const;

 private:
  std::string file_;
  std::string calibrator_;
};

}  // namespace shardsim::validate::local

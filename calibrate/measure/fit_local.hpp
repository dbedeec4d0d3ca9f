// This machine's samples -> its profile.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measure/local_samples.hpp"
#include "calibrate/profile/calibrate.hpp"
#include "sim/hardware/cluster.hpp"

namespace shardsim::calibrate {

struct LocalProfile {
  /// With its device.
  hardware::Cluster cluster;
  /// What a process of the trainer holds beside its tensors; 0: not measured.
  Bytes context{0};
  std::vector<FitReport> fits;
};

/// Throws InputError for too few samples, for impossible and for contradictory ones.
[[nodiscard]] LocalProfile fit_local(const LocalSamples& samples, const std::string& name);

/// The profile as one scenario file: `--cluster FILE` reads it.
[[nodiscard]] std::string profile_text(const LocalProfile& profile);

}  // namespace shardsim::calibrate

// Specifications + samples -> profiles of devices and clusters.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/quality.hpp"
#include "calibrate/profile/specification.hpp"
#include "calibrate/samples/samples.hpp"

namespace shardsim::calibrate {

/// One fit, for the report: "bf16 products", its quality, its constants.
struct FitReport {
  std::string what;
  Quality quality;
  int constants = 0;
};

struct DeviceProfile {
  hardware::Device device;
  std::vector<FitReport> fits;
};

struct ClusterProfile {
  hardware::Cluster cluster;
  /// Name of the device's profile.
  std::string device;
  std::vector<FitReport> fits;
};

/// In the order of the specifications. Throws InputError for samples that no fit can be made of, for unknown names and
/// for circles of `like`.
[[nodiscard]] std::vector<DeviceProfile> calibrate_devices(const Specifications& specifications,
                                                           const Samples& samples);
[[nodiscard]] std::vector<ClusterProfile> calibrate_clusters(const Specifications& specifications,
                                                             const Samples& samples);

}  // namespace shardsim::calibrate

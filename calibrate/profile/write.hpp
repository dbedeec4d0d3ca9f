// Profiles as scenario files.
#pragma once

#include <map>
#include <string>

#include "calibrate/profile/calibrate.hpp"

namespace shardsim::calibrate {

/// The text of scenarios/devices/<name>.toml; it reads back as the same device.
[[nodiscard]] std::string device_text(const DeviceProfile& profile);

/// The text of scenarios/clusters/<name>.toml.
[[nodiscard]] std::string cluster_text(const ClusterProfile& profile);

/// The same without the first line; `device` names the cluster's device, or is empty where its sections follow.
[[nodiscard]] std::string device_sections(const hardware::Device& device);
[[nodiscard]] std::string cluster_sections(const hardware::Cluster& cluster, const std::string& device);

/// Path below the folder of scenarios -> text, for all profiles.
[[nodiscard]] std::map<std::string, std::string> profile_files(const std::vector<DeviceProfile>& devices,
                                                               const std::vector<ClusterProfile>& clusters);

/// Writes each text beside its file first and renames all of them when all are written: what fails leaves every file
/// as it was. Throws InputError.
void write_files(const std::string& folder, const std::map<std::string, std::string>& files);

}  // namespace shardsim::calibrate

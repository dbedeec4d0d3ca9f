// Which software stack a framework's name and year mean, and what its null fields stand for.
#pragma once

#include <string>

#include "validate/record.hpp"
#include "validate/row.hpp"

namespace shardsim::validate {

/// Preset name of the stack, empty where the framework is not modelled.
[[nodiscard]] std::string stack_of(const std::string& framework, int year);

/// Cluster preset for a device where the source names no cluster: the vendor's own node.
[[nodiscard]] std::string usual_cluster(const std::string& device);

/// Sets what the row's framework-specific fields say (attention kernel, schedule, ZeRO, recomputation, offload) and
/// resolves its null fields, never looking at what was measured.
void apply_framework_rules(const Json& row, const std::string& stack, SettingWriter& settings);

}  // namespace shardsim::validate

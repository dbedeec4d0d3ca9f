// Leave one source out: how well a source is predicted that nothing was fitted to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validate/record.hpp"
#include "validate/statistics.hpp"

namespace shardsim::validate {

/// For every source of quality-A rows that are not suspect: its errors with the constants refitted on the others.
///  - Devices: the sustained slowdown, on the other sources of the same device; where there is none, that of the device
///    nearest in kind (device_kin).
///  - Stacks: what fit_constants.hpp names, on the other sources of the same stack, from the values of the stack
///  nearest
///    in kind (stack_kin); where there is none, those values themselves.
/// What is known of the source's software without running it (fusions, overlaps, layer split) stays. The loss is the
/// mean over sources of the mean |log(predicted / measured)|, at most 0.5 a row.
[[nodiscard]] std::map<std::string, Transfer> leave_one_source_out(const std::vector<Record>& records);

/// The stack, or device, whose constants stand in where nothing else was measured.
[[nodiscard]] std::string stack_kin(const std::string& stack);
[[nodiscard]] std::string device_kin(const std::string& device);

}  // namespace shardsim::validate

// Values of training flags as text, with the place that gave them, read into fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/trainer/train_options.hpp"
#include "sim/base/problems.hpp"

namespace shardsim::kernels {

/// One flag as given: where, and its words joined; "" for a switch.
struct GivenFlag {
  Origin origin;
  std::string value;
};

/// A flag that training follows.
struct TrainFlag {
  std::string_view name;
  /// Shown in the help; "" for a switch.
  std::string_view value;
  std::string_view help;
  /// False where Megatron-LM has no flag of that name.
  bool megatron = true;
  void (*apply)(TrainOptions& options, const GivenFlag& given, Problems& problems) = nullptr;
};

[[nodiscard]] const std::vector<TrainFlag>& train_flags();

/// nullptr when there is none.
[[nodiscard]] const TrainFlag* find_train_flag(std::string_view name);

}  // namespace shardsim::kernels

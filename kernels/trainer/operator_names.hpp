// The enumerations of sim/model's operators as text.
#pragma once

#include <string_view>

#include "sim/model/operators.hpp"

namespace shardsim::kernels {

[[nodiscard]] std::string_view name_of(model::OperatorKind kind);
[[nodiscard]] std::string_view name_of(model::Pass pass);
[[nodiscard]] std::string_view name_of(model::Group group);

}  // namespace shardsim::kernels

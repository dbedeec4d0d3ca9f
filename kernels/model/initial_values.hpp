// First values of a new model's parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/parameter.hpp"

namespace shardsim::kernels {

/// This rank's part of the parameter, row by row. A pure function of the seed, the name and the element's place in the
/// whole matrix: no layout changes it.
[[nodiscard]] std::vector<float> initial_values(const Parameter& parameter, std::uint64_t seed);

}  // namespace shardsim::kernels

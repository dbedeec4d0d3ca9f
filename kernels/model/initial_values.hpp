// First values of a new model's parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/parameter.hpp"

namespace shardsim::kernels {

/// Rows of this rank's part of the parameter. A pure function of the seed, the name and the element's place in the
/// whole matrix: no layout changes it.
[[nodiscard]] std::vector<float> initial_rows(const Parameter& parameter, std::uint64_t seed, std::int64_t first,
                                              std::int64_t count);

/// All rows.
[[nodiscard]] std::vector<float> initial_values(const Parameter& parameter, std::uint64_t seed);

}  // namespace shardsim::kernels

// Dropout masks, a row at a time.
#pragma once

#include <cstdint>

#include "kernels/operators/random.hpp"

namespace shardsim::kernels {

/// mask[c] = 1 where column c of the row is kept, else 0.
void fill_mask(const RandomRow& row, std::uint32_t threshold, std::int64_t columns, std::uint8_t* mask);

/// out = in · kept where the mask is 1, else 0; out may be in.
void apply_mask(const float* in, const std::uint8_t* mask, float kept, std::int64_t columns, float* out);

/// What kept elements are multiplied by: 1 / (1 − p) (Srivastava et al. 2014, "inverted").
inline float kept_scale(double probability) { return static_cast<float>(1.0 / (1.0 - probability)); }

}  // namespace shardsim::kernels

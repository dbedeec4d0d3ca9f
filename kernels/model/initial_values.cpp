#include "kernels/model/initial_values.hpp"

#include <cmath>

#include "kernels/model/random_key.hpp"

namespace shardsim::kernels {
namespace {

/// In (0, 1), from the upper 53 bits.
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53; }

/// Box & Muller (1958), the cosine of each pair.
double normal(std::uint64_t key, std::uint64_t element) {
  constexpr double kTwoPi = 6.283185307179586;
  const std::uint64_t bits = combine(key, element);
  return std::sqrt(-2.0 * std::log(uniform(bits))) * std::cos(kTwoPi * uniform(scatter_bits(bits)));
}

}  // namespace

std::vector<float> initial_rows(const Parameter& parameter, std::uint64_t seed, std::int64_t first,
                                std::int64_t count) {
  const Matrix& part = parameter.value;
  const auto elements = static_cast<std::size_t>(count * part.columns);
  if (parameter.initial.kind != Initial::Kind::normal) {
    return std::vector<float>(elements, parameter.initial.kind == Initial::Kind::ones ? 1.0F : 0.0F);
  }
  std::vector<float> values;
  values.reserve(elements);
  const std::uint64_t key = combine(seed, hash_text(parameter.name));
  const std::int64_t first_row = parameter.sharding == Sharding::rows ? parameter.first : 0;
  const std::int64_t first_column = parameter.sharding == Sharding::columns ? parameter.first : 0;
  for (std::int64_t row = first; row < first + count; ++row) {
    const std::int64_t start = (first_row + row) * parameter.columns + first_column;
    for (std::int64_t column = 0; column < part.columns; ++column) {
      const double deviate = normal(key, static_cast<std::uint64_t>(start + column));
      values.push_back(static_cast<float>(parameter.initial.deviation * deviate));
    }
  }
  return values;
}

std::vector<float> initial_values(const Parameter& parameter, std::uint64_t seed) {
  return initial_rows(parameter, seed, 0, parameter.value.rows);
}

}  // namespace shardsim::kernels

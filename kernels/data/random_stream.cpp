#include "kernels/data/random_stream.hpp"

namespace shardsim::kernels {

std::int64_t permuted(std::int64_t index, std::int64_t count, std::uint64_t key) {
  unsigned half_bits = 1;
  while ((std::uint64_t{1} << (2 * half_bits)) < static_cast<std::uint64_t>(count)) ++half_bits;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  constexpr std::uint64_t kRounds = 4;
  auto value = static_cast<std::uint64_t>(index);
  do {
    std::uint64_t left = value >> half_bits;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = left ^ (combine(combine(key, round), right) & mask);
      left = right;
      right = mixed;
    }
    value = left << half_bits | right;
  } while (value >= static_cast<std::uint64_t>(count));
  return static_cast<std::int64_t>(value);
}

}  // namespace shardsim::kernels

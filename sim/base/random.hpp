// Random numbers from counters: the same key gives the same draw on any machine and in any order.
#pragma once

#include <cstdint>

namespace shardsim {

/// SplitMix64's finaliser (Steele, Lea & Flood 2014): every bit of the key changes half of the result's.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t key) {
  key += 0x9E3779B97F4A7C15U;
  key = (key ^ (key >> 30U)) * 0xBF58476D1CE4E5B9U;
  key = (key ^ (key >> 27U)) * 0x94D049BB133111EBU;
  return key ^ (key >> 31U);
}

/// Uniform in (0, 1): one of 2^52 values, never an end.
[[nodiscard]] inline double uniform(std::uint64_t seed, std::uint64_t counter) {
  const std::uint64_t bits = mixed(mixed(seed) ^ mixed(counter)) >> 12U;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace shardsim

// Random numbers as pure functions of what they are for, so that no layout changes them.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardsim::kernels {

/// One step of SplitMix64 (Steele et al. 2014): a bijection that scatters every bit.
constexpr std::uint64_t scatter_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t combine(std::uint64_t key, std::uint64_t value) {
  return scatter_bits(key ^ scatter_bits(value));
}

constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t key = text.size();
  for (const char c : text) key = combine(key, static_cast<unsigned char>(c));
  return key;
}

/// Key of one dropout of one iteration. `layer`: of the whole model; -1 outside layers.
constexpr std::uint64_t dropout_key(std::uint64_t seed, std::int64_t iteration, std::int64_t layer,
                                    std::string_view site) {
  return combine(combine(combine(seed, static_cast<std::uint64_t>(iteration)), static_cast<std::uint64_t>(layer)),
                 hash_text(site));
}

}  // namespace shardsim::kernels

// Random numbers of one sample, and a random order of many: nothing is drawn ahead, nothing is kept.
#pragma once

#include <cstdint>

#include "kernels/model/random_key.hpp"

namespace shardsim::kernels {

/// SplitMix64 (Steele et al. 2014) from a key.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : key_{key} {}
  [[nodiscard]] std::uint64_t next() { return combine(key_, ++count_); }
  /// In [0, count), count > 0; biased by less than count / 2⁶⁴.
  [[nodiscard]] std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }
  /// In [0, 1), in steps of 2⁻⁵³.
  [[nodiscard]] double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

/// Where a random permutation of 0 … count − 1 puts `index`: a Feistel network (Luby & Rackoff 1988) over the next even
/// power of two, walked until it falls into the range (Black & Rogaway 2002, "cycle walking").
[[nodiscard]] std::int64_t permuted(std::int64_t index, std::int64_t count, std::uint64_t key);

}  // namespace shardsim::kernels

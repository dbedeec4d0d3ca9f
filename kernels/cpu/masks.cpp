#include "kernels/cpu/masks.hpp"

#include <algorithm>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace shardsim::kernels {
namespace {

/// Columns of the four groups that are drawn at a time.
constexpr std::uint32_t kColumns = 16;

#if defined(__AVX2__)

__m256i everywhere(std::uint64_t value) { return _mm256_set1_epi64x(static_cast<std::int64_t>(value)); }

/// philox() of four groups at a time: every 64-bit lane holds a word in its lower half, where the widening product
/// takes it from; the upper halves are left as they fall. Compilers do not find that product in plain code, and
/// without it masks cost six times as much.
class Drawer {
 public:
  Drawer(const RandomRow& row, std::uint32_t threshold)
      : position_{everywhere(row.position)},
        sample_low_{everywhere(row.sample)},
        sample_high_{everywhere(row.sample >> 32)},
        least_{_mm256_set1_epi32(static_cast<std::int32_t>(threshold))} {
    auto key0 = static_cast<std::uint32_t>(row.key);
    auto key1 = static_cast<std::uint32_t>(row.key >> 32);
    for (int round = 0; round < kRounds; ++round) {
      keys0_[round] = everywhere(key0);
      keys1_[round] = everywhere(key1);
      key0 += kPhiloxStep0;
      key1 += kPhiloxStep1;
    }
  }

  /// Mask of the kColumns columns from `group` on.
  void draw(std::uint32_t group, std::uint8_t* mask) const {
    __m256i a = _mm256_add_epi64(everywhere(group), _mm256_set_epi64x(3, 2, 1, 0));
    __m256i b = position_;
    __m256i c = sample_low_;
    __m256i d = sample_high_;
#pragma GCC unroll 10
    for (int round = 0; round < kRounds; ++round) {
      const __m256i product0 = _mm256_mul_epu32(a, everywhere(kPhiloxFactor0));
      const __m256i product1 = _mm256_mul_epu32(c, everywhere(kPhiloxFactor1));
      a = _mm256_xor_si256(_mm256_srli_epi64(product1, 32), _mm256_xor_si256(b, keys0_[round]));
      b = product1;
      c = _mm256_xor_si256(_mm256_srli_epi64(product0, 32), _mm256_xor_si256(d, keys1_[round]));
      d = product0;
    }
    const __m256i bytes = _mm256_or_si256(_mm256_or_si256(kept(a, 1), kept(b, 1U << 8)),
                                          _mm256_or_si256(kept(c, 1U << 16), kept(d, 1U << 24)));
    const __m256i packed = _mm256_permutevar8x32_epi32(bytes, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(mask), _mm256_castsi256_si128(packed));
  }

 private:
  static constexpr int kRounds = 10;

  /// `one` in the lanes whose word is at least the threshold.
  [[nodiscard]] __m256i kept(__m256i word, std::uint64_t one) const {
    return _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_max_epu32(word, least_), word), everywhere(one));
  }

  __m256i position_, sample_low_, sample_high_, least_;
  __m256i keys0_[kRounds], keys1_[kRounds];
};

#else

class Drawer {
 public:
  Drawer(const RandomRow& row, std::uint32_t threshold) : row_{row}, threshold_{threshold} {}

  void draw(std::uint32_t group, std::uint8_t* mask) const {
    for (std::uint32_t g = 0; g < kColumns / 4; ++g) {
      const RandomBits bits = random_group(row_, group + g);
      for (std::uint32_t w = 0; w < 4; ++w) mask[4 * g + w] = bits.word[w] >= threshold_ ? 1 : 0;
    }
  }

 private:
  RandomRow row_;
  std::uint32_t threshold_;
};

#endif

}  // namespace

void fill_mask(const RandomRow& row, std::uint32_t threshold, std::int64_t columns, std::uint8_t* mask) {
  const Drawer drawer(row, threshold);
  const std::uint32_t end = row.first_column + static_cast<std::uint32_t>(columns);
  for (std::uint32_t column = row.first_column / 4 * 4; column < end; column += kColumns) {
    if (column >= row.first_column && column + kColumns <= end) {
      drawer.draw(column / 4, mask + (column - row.first_column));
      continue;
    }
    std::uint8_t drawn[kColumns];
    drawer.draw(column / 4, drawn);
    const std::uint32_t from = std::max(column, row.first_column);
    const std::uint32_t to = std::min(column + kColumns, end);
    std::copy(drawn + (from - column), drawn + (to - column), mask + (from - row.first_column));
  }
}

void apply_mask(const float* in, const std::uint8_t* mask, float kept, std::int64_t columns, float* out) {
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) out[c] = mask[c] != 0 ? in[c] * kept : 0.0F;
}

}  // namespace shardsim::kernels

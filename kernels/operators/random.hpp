// Random bits as a pure function of where an element lies: the same mask on every device and layout, nothing to store.
#pragma once

#include <cstdint>

#include "kernels/operators/backend.hpp"
#include "kernels/operators/host_device.hpp"

namespace shardsim::kernels {

/// Four words, the counter before and the random bits after philox().
struct RandomBits {
  std::uint32_t word[4];
};

/// Constants of Philox4x32, as in the authors' Random123.
inline constexpr std::uint32_t kPhiloxFactor0 = 0xD2511F53U;
inline constexpr std::uint32_t kPhiloxFactor1 = 0xCD9E8D57U;
inline constexpr std::uint32_t kPhiloxStep0 = 0x9E3779B9U;
inline constexpr std::uint32_t kPhiloxStep1 = 0xBB67AE85U;

/// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), section 3.3;
/// it passes BigCrush.
SHARDSIM_HOST_DEVICE inline RandomBits philox(RandomBits counter, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  std::uint32_t a = counter.word[0];
  std::uint32_t b = counter.word[1];
  std::uint32_t c = counter.word[2];
  std::uint32_t d = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{kPhiloxFactor0} * a;
    const std::uint64_t product1 = std::uint64_t{kPhiloxFactor1} * c;
    a = static_cast<std::uint32_t>(product1 >> 32) ^ b ^ key0;
    b = static_cast<std::uint32_t>(product1);
    c = static_cast<std::uint32_t>(product0 >> 32) ^ d ^ key1;
    d = static_cast<std::uint32_t>(product0);
    key0 += kPhiloxStep0;
    key1 += kPhiloxStep1;
  }
  return {{a, b, c, d}};
}

/// Where an element lies among all samples and layouts. Four neighbouring columns share one call of philox().
struct RandomRow {
  std::uint64_t key = 0;
  std::uint64_t sample = 0;
  std::uint32_t position = 0;
  std::uint32_t first_column = 0;
};

/// Bits of columns 4·group … 4·group + 3 of the row's sample and position.
SHARDSIM_HOST_DEVICE inline RandomBits random_group(const RandomRow& row, std::uint32_t group) {
  const auto low = static_cast<std::uint32_t>(row.sample);
  const auto high = static_cast<std::uint32_t>(row.sample >> 32);
  return philox({{group, row.position, low, high}}, row.key);
}

/// Bits of column first_column + `column`.
SHARDSIM_HOST_DEVICE inline std::uint32_t random_word(const RandomRow& row, std::uint32_t column) {
  const std::uint32_t whole_column = row.first_column + column;
  return random_group(row, whole_column / 4).word[whole_column % 4];
}

/// Row `row` of a matrix of activations, as DropoutSite describes it.
SHARDSIM_HOST_DEVICE inline RandomRow activation_row(const DropoutSite& site, std::int64_t row) {
  return {site.key, static_cast<std::uint64_t>(site.first_sample + row % site.sequences),
          static_cast<std::uint32_t>(site.first_position + row / site.sequences),
          static_cast<std::uint32_t>(site.first_column)};
}

/// Row (sequence, head, query) of attention scores, as DropoutSite describes it.
SHARDSIM_HOST_DEVICE inline RandomRow attention_row(const DropoutSite& site, const AttentionShape& shape,
                                                    std::int64_t row) {
  const std::int64_t head = row / shape.queries % shape.heads;
  const std::int64_t sequence = row / shape.queries / shape.heads;
  return {site.key, static_cast<std::uint64_t>(site.first_sample + sequence),
          static_cast<std::uint32_t>(row % shape.queries),
          static_cast<std::uint32_t>((shape.first_head + head) * shape.keys)};
}

/// An element is kept where its bits are at least this: with probability 1 − p, to 2⁻³². p in [0, 1).
SHARDSIM_HOST_DEVICE inline std::uint32_t drop_threshold(double probability) {
  return static_cast<std::uint32_t>(probability * 4294967296.0);
}

/// Keys of a row that a query may see: the first n, by the causal mask (the last query sees all) and by padding.
SHARDSIM_HOST_DEVICE inline std::int64_t visible_keys(const AttentionShape& shape, std::int64_t row) {
  const std::int64_t query = row % shape.queries;
  const std::int64_t by_order = shape.causal ? query + 1 + shape.keys - shape.queries : shape.keys;
  const std::int64_t valid =
      shape.valid_keys == nullptr ? shape.keys : shape.valid_keys[row / (shape.queries * shape.heads)];
  const std::int64_t visible = by_order < valid ? by_order : valid;
  return visible < 0 ? 0 : visible;
}

}  // namespace shardsim::kernels

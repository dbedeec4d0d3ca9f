// Dropout over groups of four neighbouring columns, which share one call of the generator.
#pragma once

#include <cstdint>

#include "kernels/gpu/number.hpp"
#include "kernels/operators/random.hpp"

namespace shardsim::kernels::gpu {

constexpr std::int64_t kGroup = 4;

SHARDSIM_HOST_DEVICE constexpr std::int64_t column_groups(std::int64_t columns) {
  return (columns + kGroup - 1) / kGroup;
}

/// Kept or dropped, column by column, for one row.
class KeepMask {
 public:
  SHARDSIM_HOST_DEVICE KeepMask(const RandomRow& row, std::uint32_t threshold, std::int64_t first_column)
      : row_{row}, threshold_{threshold}, first_{static_cast<std::uint32_t>(first_column)} {
    aligned_ = (row.first_column + first_) % kGroup == 0;
    if (aligned_) bits_ = random_group(row, (row.first_column + first_) / kGroup);
  }
  /// Column first_column + i, i < 4.
  [[nodiscard]] SHARDSIM_HOST_DEVICE bool operator()(std::uint32_t i) const {
    return (aligned_ ? bits_.word[i] : random_word(row_, first_ + i)) >= threshold_;
  }

 private:
  RandomRow row_;
  std::uint32_t threshold_;
  std::uint32_t first_;
  bool aligned_;
  RandomBits bits_{};
};

/// work(column, i) for the columns of group `group`.
template <class Work>
SHARDSIM_HOST_DEVICE void for_group(std::int64_t group, std::int64_t columns, const Work& work) {
  for (std::int64_t i = 0; i < kGroup && group * kGroup + i < columns; ++i) {
    work(group * kGroup + i, static_cast<std::uint32_t>(i));
  }
}

template <class T>
struct BiasDropoutAdd {
  View<const T> x;
  View<const T> bias;
  View<const T> residual;
  DropoutSite site;
  std::uint32_t threshold;
  View<T> y;
  std::uint8_t* mask;

  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t group) const {
    const KeepMask keep{activation_row(site, r), threshold, group * kGroup};
    const auto kept_scale = static_cast<float>(1.0 / (1.0 - site.probability));
    for_group(group, x.columns, [&](std::int64_t c, std::uint32_t i) {
      float value = x.load(r, c) + (bias.empty() ? 0.0F : bias.load(0, c));
      if (mask != nullptr) {
        const bool kept = keep(i);
        mask[r * x.columns + c] = kept ? 1 : 0;
        value = kept ? value * kept_scale : 0.0F;
      }
      y.store(r, c, residual.load(r, c) + value);
    });
  }
};

/// Rows of activations, or of attention scores.
struct ActivationRows {
  DropoutSite site;
  [[nodiscard]] SHARDSIM_HOST_DEVICE RandomRow operator()(std::int64_t row) const { return activation_row(site, row); }
};
struct AttentionRows {
  DropoutSite site;
  AttentionShape shape;
  [[nodiscard]] SHARDSIM_HOST_DEVICE RandomRow operator()(std::int64_t row) const {
    return attention_row(site, shape, row);
  }
};

template <class T, class Rows>
struct Dropout {
  View<const T> x;
  Rows rows;
  std::uint32_t threshold;
  View<T> y;
  std::uint8_t* mask;

  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t group) const {
    const KeepMask keep{rows(r), threshold, group * kGroup};
    const auto kept_scale = static_cast<float>(1.0 / (1.0 - rows.site.probability));
    for_group(group, x.columns, [&](std::int64_t c, std::uint32_t i) {
      const bool kept = keep(i);
      mask[r * x.columns + c] = kept ? 1 : 0;
      y.store(r, c, kept ? x.load(r, c) * kept_scale : 0.0F);
    });
  }
};

template <class T>
struct DropoutBackward {
  View<const T> dy;
  const std::uint8_t* mask;
  float kept_scale;
  View<T> dx;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    dx.store(r, c, mask[r * dy.columns + c] != 0 ? dy.load(r, c) * kept_scale : 0.0F);
  }
};

}  // namespace shardsim::kernels::gpu

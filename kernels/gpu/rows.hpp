// Functors over one row, shared by the lanes of a block. Every lane visits columns index(), index() + count(), …
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/number.hpp"
#include "kernels/operators/random.hpp"

namespace shardsim::kernels::gpu {

constexpr float kNegativeInfinity = -3.4028234663852886e38F;

/// y = (x − mean)/σ · weight + bias; statistics row = (mean, 1/σ). Two passes over x: mean, then variance.
template <class T>
struct LayerNorm {
  View<const T> x;
  View<const T> weight;
  View<const T> bias;
  float epsilon;
  View<T> y;
  View<float> statistics;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    const auto width = static_cast<float>(x.columns);
    float sum = 0.0F;
    for (std::int64_t c = lanes.index(); c < x.columns; c += lanes.count()) sum += x.load(row, c);
    const float mean = lanes.sum(sum) / width;
    float squares = 0.0F;
    for (std::int64_t c = lanes.index(); c < x.columns; c += lanes.count()) {
      const float d = x.load(row, c) - mean;
      squares += d * d;
    }
    const float inverse = 1.0F / std::sqrt(lanes.sum(squares) / width + epsilon);
    for (std::int64_t c = lanes.index(); c < x.columns; c += lanes.count()) {
      y.store(row, c, (x.load(row, c) - mean) * inverse * weight.load(0, c) + bias.load(0, c));
    }
    if (lanes.index() == 0) {
      statistics.store(row, 0, mean);
      statistics.store(row, 1, inverse);
    }
  }
};

/// dx = 1/σ · (g − mean(g) − x̂·mean(g·x̂)), g = dy · weight.
template <class T>
struct LayerNormBackward {
  View<const T> dy;
  View<const T> x;
  View<const T> weight;
  View<const float> statistics;
  View<T> dx;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    const float mean = statistics.load(row, 0);
    const float inverse = statistics.load(row, 1);
    float sum = 0.0F;
    float projected = 0.0F;
    for (std::int64_t c = lanes.index(); c < x.columns; c += lanes.count()) {
      const float g = dy.load(row, c) * weight.load(0, c);
      sum += g;
      projected += g * (x.load(row, c) - mean) * inverse;
    }
    const auto width = static_cast<float>(x.columns);
    const float mean_g = lanes.sum(sum) / width;
    const float mean_gx = lanes.sum(projected) / width;
    for (std::int64_t c = lanes.index(); c < x.columns; c += lanes.count()) {
      const float g = dy.load(row, c) * weight.load(0, c);
      const float normalised = (x.load(row, c) - mean) * inverse;
      dx.store(row, c, inverse * (g - mean_g - normalised * mean_gx));
    }
  }
};

/// Softmax of scale · scores over the visible keys; the others, and rows that see none, are 0.
template <class T>
struct MaskedSoftmax {
  View<const T> scores;
  AttentionShape shape;
  float scale;
  View<T> probabilities;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    const std::int64_t visible = visible_keys(shape, row);
    float maximum = kNegativeInfinity;
    for (std::int64_t c = lanes.index(); c < visible; c += lanes.count()) {
      const float score = scale * scores.load(row, c);
      maximum = score > maximum ? score : maximum;
    }
    maximum = lanes.maximum(maximum);
    float sum = 0.0F;
    for (std::int64_t c = lanes.index(); c < visible; c += lanes.count()) {
      sum += std::exp(scale * scores.load(row, c) - maximum);
    }
    sum = lanes.sum(sum);
    for (std::int64_t c = lanes.index(); c < scores.columns; c += lanes.count()) {
      const float value = c < visible ? std::exp(scale * scores.load(row, c) - maximum) / sum : 0.0F;
      probabilities.store(row, c, value);
    }
  }
};

/// scale · p · (dp − Σ dp·p) over the visible keys, else 0.
template <class T>
struct MaskedSoftmaxBackward {
  View<const T> dprobabilities;
  View<const T> probabilities;
  AttentionShape shape;
  float scale;
  View<T> dscores;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    const std::int64_t visible = visible_keys(shape, row);
    float sum = 0.0F;
    for (std::int64_t c = lanes.index(); c < visible; c += lanes.count()) {
      sum += dprobabilities.load(row, c) * probabilities.load(row, c);
    }
    sum = lanes.sum(sum);
    for (std::int64_t c = lanes.index(); c < probabilities.columns; c += lanes.count()) {
      const float value = c < visible ? scale * probabilities.load(row, c) * (dprobabilities.load(row, c) - sum) : 0.0F;
      dscores.store(row, c, value);
    }
  }
};

struct RowMaximum {
  View<const float> logits;
  float* maximum;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    float largest = kNegativeInfinity;
    for (std::int64_t c = lanes.index(); c < logits.columns; c += lanes.count()) {
      largest = logits.load(row, c) > largest ? logits.load(row, c) : largest;
    }
    largest = lanes.maximum(largest);
    if (lanes.index() == 0) maximum[row] = largest;
  }
};

/// logits = exp(logits − maximum); their sum, and the target's logit − maximum where this shard holds it, else 0.
struct Exponentiate {
  View<float> logits;
  const float* maximum;
  const std::int32_t* targets;
  std::int64_t first_id;
  float* sum;
  float* target;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    const std::int64_t own = targets[row] - first_id;
    const bool held = own >= 0 && own < logits.columns;
    float partial = 0.0F;
    for (std::int64_t c = lanes.index(); c < logits.columns; c += lanes.count()) {
      const float shifted = logits.load(row, c) - maximum[row];
      if (held && c == own) target[row] = shifted;
      const float e = std::exp(shifted);
      logits.store(row, c, e);
      partial += e;
    }
    partial = lanes.sum(partial);
    if (lanes.index() == 0) {
      sum[row] = partial;
      if (!held) target[row] = 0.0F;
    }
  }
};

/// Sum of the gradients of all tokens with the id of `row`, by the first token that has it: no atomics, so that the
/// result does not depend on the order of blocks.
template <class T, class Gradient>
struct EmbeddingBackward {
  const std::int32_t* ids;
  View<const T> dy;
  std::int64_t first_id;
  View<Gradient> dtable;

  template <class Lanes>
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t row, Lanes& lanes) const {
    const std::int64_t id = ids[row] - first_id;
    if (id < 0 || id >= dtable.rows) return;
    float earlier = 0.0F;
    for (std::int64_t t = lanes.index(); t < row; t += lanes.count()) earlier += ids[t] == ids[row] ? 1.0F : 0.0F;
    if (lanes.maximum(earlier) > 0.0F) return;
    for (std::int64_t c = lanes.index(); c < dy.columns; c += lanes.count()) {
      float sum = dtable.load(id, c);
      for (std::int64_t t = row; t < dy.rows; ++t) {
        if (ids[t] == ids[row]) sum += dy.load(t, c);
      }
      dtable.store(id, c, sum);
    }
  }
};

}  // namespace shardsim::kernels::gpu

// Functors over one element (row, column).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/number.hpp"
#include "kernels/operators/random.hpp"

namespace shardsim::kernels::gpu {

/// GELU, tanh form: x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))) (Hendrycks & Gimpel 2016).
SHARDSIM_HOST_DEVICE inline float gelu(float x) {
  constexpr float kScale = 0.7978845608F;
  return 0.5F * x * (1.0F + std::tanh(kScale * (x + 0.044715F * x * x * x)));
}
SHARDSIM_HOST_DEVICE inline float gelu_derivative(float x) {
  constexpr float kScale = 0.7978845608F;
  const float t = std::tanh(kScale * (x + 0.044715F * x * x * x));
  return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * kScale * (1.0F + 3.0F * 0.044715F * x * x);
}

template <class T>
struct BiasGelu {
  View<const T> x;
  View<const T> bias;
  View<T> y;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    y.store(r, c, gelu(x.load(r, c) + (bias.empty() ? 0.0F : bias.load(0, c))));
  }
};

template <class T>
struct BiasGeluBackward {
  View<const T> dy;
  View<const T> x;
  View<const T> bias;
  View<T> dx;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    const float input = x.load(r, c) + (bias.empty() ? 0.0F : bias.load(0, c));
    dx.store(r, c, dy.load(r, c) * gelu_derivative(input));
  }
};

template <class T>
struct BiasTanh {
  View<const T> x;
  View<const T> bias;
  View<T> y;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    y.store(r, c, std::tanh(x.load(r, c) + (bias.empty() ? 0.0F : bias.load(0, c))));
  }
};

template <class T>
struct TanhBackward {
  View<const T> dy;
  View<const T> y;
  View<T> dx;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    const float output = y.load(r, c);
    dx.store(r, c, dy.load(r, c) * (1.0F - output * output));
  }
};

template <class T, class B>
struct AddBias {
  View<const B> bias;
  View<T> y;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    y.store(r, c, y.load(r, c) + bias.load(0, c));
  }
};

/// to = factor · from, across formats.
template <class From, class To>
struct Convert {
  View<const From> from;
  View<To> to;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const { to.store(r, c, from.load(r, c)); }
};

template <class From, class To>
struct Accumulate {
  View<const From> x;
  View<To> y;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    y.store(r, c, y.load(r, c) + x.load(r, c));
  }
};

template <class T>
struct Scale {
  View<T> x;
  float factor;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const { x.store(r, c, factor * x.load(r, c)); }
};

template <class T>
struct Fill {
  View<T> x;
  float value;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const { x.store(r, c, value); }
};

/// y[t] (+)= table[ids[t] − first_id], nothing for ids of other shards (0 where not added).
template <class T, bool kAdd>
struct Embed {
  const std::int32_t* ids;
  View<const T> table;
  std::int64_t first_id;
  View<T> y;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    const std::int64_t id = ids[r] - first_id;
    const bool held = id >= 0 && id < table.rows;
    const float value = held ? table.load(id, c) : 0.0F;
    y.store(r, c, kAdd ? y.load(r, c) + value : value);
  }
};

/// to[i] = from[rows[i]]; `rows` are distinct where kScatter adds back.
template <class T, bool kScatter>
struct MoveRows {
  View<const T> from;
  const std::int32_t* rows;
  View<T> to;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    if constexpr (kScatter) {
      to.store(rows[r], c, to.load(rows[r], c) + from.load(r, c));
    } else {
      to.store(r, c, from.load(rows[r], c));
    }
  }
};

}  // namespace shardsim::kernels::gpu

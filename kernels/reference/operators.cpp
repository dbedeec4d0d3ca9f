#include "kernels/reference/operators.hpp"

#include <cmath>

#include "kernels/operators/random.hpp"

namespace shardsim::kernels::reference {
namespace {

double bias_of(const Values& bias, std::int64_t column) { return bias.data.empty() ? 0.0 : bias(0, column); }

Mask mask_of(std::int64_t rows, std::int64_t columns, double probability, const auto& row_of) {
  Mask mask;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::uint32_t bits = random_word(row_of(r), static_cast<std::uint32_t>(c));
      mask.push_back(bits >= drop_threshold(probability) ? 1 : 0);
    }
  }
  return mask;
}

}  // namespace

Values transposed(const Values& x) {
  return generate(x.columns, x.rows, [&](auto r, auto c) { return x(c, r); });
}

Values product(const Values& a, const Values& b) {
  return generate(a.rows, b.columns, [&](auto r, auto c) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < a.columns; ++k) sum += a(r, k) * b(k, c);
    return sum;
  });
}

Values sum(const Values& x, const Values& y) {
  return generate(x.rows, x.columns, [&](auto r, auto c) { return x(r, c) + y(r, c); });
}

Values column_sums(const Values& x) {
  Values sums(1, x.columns);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    for (std::int64_t c = 0; c < x.columns; ++c) sums(0, c) += x(r, c);
  }
  return sums;
}

LayerNorm layer_norm(const Values& x, const Values& weight, const Values& bias, double epsilon) {
  LayerNorm result{Values(x.rows, x.columns), Values(x.rows, 2)};
  const auto width = static_cast<double>(x.columns);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    double mean = 0.0;
    for (std::int64_t c = 0; c < x.columns; ++c) mean += x(r, c) / width;
    double variance = 0.0;
    for (std::int64_t c = 0; c < x.columns; ++c) variance += (x(r, c) - mean) * (x(r, c) - mean) / width;
    const double inverse = 1.0 / std::sqrt(variance + epsilon);
    for (std::int64_t c = 0; c < x.columns; ++c)
      result.y(r, c) = (x(r, c) - mean) * inverse * weight(0, c) + bias(0, c);
    result.statistics(r, 0) = mean;
    result.statistics(r, 1) = inverse;
  }
  return result;
}

LayerNormGradients layer_norm_backward(const Values& dy, const Values& x, const Values& weight,
                                       const Values& statistics) {
  const auto width = static_cast<double>(x.columns);
  const Values normalised =
      generate(x.rows, x.columns, [&](auto r, auto c) { return (x(r, c) - statistics(r, 0)) * statistics(r, 1); });
  const Values dnormalised = generate(x.rows, x.columns, [&](auto r, auto c) { return dy(r, c) * weight(0, c); });
  const Values products = generate(x.rows, x.columns, [&](auto r, auto c) { return dy(r, c) * normalised(r, c); });
  LayerNormGradients result{Values(x.rows, x.columns), column_sums(products), column_sums(dy)};
  for (std::int64_t r = 0; r < x.rows; ++r) {
    double mean = 0.0;
    double slope = 0.0;
    for (std::int64_t c = 0; c < x.columns; ++c) {
      mean += dnormalised(r, c) / width;
      slope += dnormalised(r, c) * normalised(r, c) / width;
    }
    for (std::int64_t c = 0; c < x.columns; ++c) {
      result.dx(r, c) = (dnormalised(r, c) - mean - normalised(r, c) * slope) * statistics(r, 1);
    }
  }
  return result;
}

double gelu(double x) {
  const double root = std::sqrt(2.0 / std::acos(-1.0));
  return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

double gelu_slope(double x) {
  const double root = std::sqrt(2.0 / std::acos(-1.0));
  const double t = std::tanh(root * (x + 0.044715 * x * x * x));
  return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * root * (1.0 + 3.0 * 0.044715 * x * x);
}

Values bias_gelu(const Values& x, const Values& bias) {
  return generate(x.rows, x.columns, [&](auto r, auto c) { return gelu(x(r, c) + bias_of(bias, c)); });
}

Values bias_gelu_backward(const Values& dy, const Values& x, const Values& bias) {
  return generate(x.rows, x.columns, [&](auto r, auto c) { return dy(r, c) * gelu_slope(x(r, c) + bias_of(bias, c)); });
}

Values bias_tanh(const Values& x, const Values& bias) {
  return generate(x.rows, x.columns, [&](auto r, auto c) { return std::tanh(x(r, c) + bias_of(bias, c)); });
}

Values tanh_backward(const Values& dy, const Values& y) {
  return generate(dy.rows, dy.columns, [&](auto r, auto c) { return dy(r, c) * (1.0 - y(r, c) * y(r, c)); });
}

Mask activation_mask(const DropoutSite& site, std::int64_t rows, std::int64_t columns) {
  return mask_of(rows, columns, site.probability, [&](std::int64_t r) { return activation_row(site, r); });
}

Mask attention_mask(const DropoutSite& site, const AttentionShape& shape) {
  return mask_of(shape.sequences * shape.heads * shape.queries, shape.keys, site.probability,
                 [&](std::int64_t r) { return attention_row(site, shape, r); });
}

Values dropped(const Values& x, const Mask& mask, double probability) {
  return generate(x.rows, x.columns, [&](auto r, auto c) {
    return mask[static_cast<std::size_t>(r * x.columns + c)] != 0 ? x(r, c) / (1.0 - probability) : 0.0;
  });
}

Values embedding(const std::int32_t* ids, std::int64_t count, const Values& table, std::int64_t first_id) {
  return generate(count, table.columns, [&](auto t, auto c) {
    const std::int64_t id = ids[t] - first_id;
    return id >= 0 && id < table.rows ? table(id, c) : 0.0;
  });
}

Values embedding_backward(const std::int32_t* ids, const Values& dy, std::int64_t rows, std::int64_t first_id) {
  Values dtable(rows, dy.columns);
  for (std::int64_t t = 0; t < dy.rows; ++t) {
    const std::int64_t id = ids[t] - first_id;
    if (id < 0 || id >= rows) continue;
    for (std::int64_t c = 0; c < dy.columns; ++c) dtable(id, c) += dy(t, c);
  }
  return dtable;
}

}  // namespace shardsim::kernels::reference

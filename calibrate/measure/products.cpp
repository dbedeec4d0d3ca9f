#include <cmath>

#include "calibrate/measure/bench.hpp"
#include "sim/base/check.hpp"

namespace shardsim::calibrate {
namespace {

using kernels::Backend;
using kernels::Matrix;
using kernels::MatrixBatch;
using kernels::Operand;
using kernels::OperandBatch;

/// Element (row, column) of the operand as it enters the product.
float element(Backend& backend, const Operand& operand, std::int64_t row, std::int64_t column) {
  const std::int64_t r = operand.transposed ? column : row;
  const std::int64_t c = operand.transposed ? row : column;
  float value = 0.0F;
  backend.download(operand.matrix.as<float>() + r * operand.matrix.stride + c, &value, Bytes{4});
  return value;
}

/// Some elements of c against products of whole numbers, which are exact.
std::string check_product(Backend& backend, const Operand& a, const Operand& b, const Matrix& c, std::int64_t k) {
  constexpr std::int64_t kChecked = 8;
  for (std::int64_t i = 0; i < kChecked; ++i) {
    const std::int64_t row = (i * 7919 + c.rows - 1) % c.rows;
    const std::int64_t column = (i * 104729 + c.columns - 1) % c.columns;
    double expected = 0.0;
    for (std::int64_t x = 0; x < k; ++x) {
      expected += double{element(backend, a, row, x)} * double{element(backend, b, x, column)};
    }
    const double found = double{element(backend, {c}, row, column)};
    if (found != expected) {
      return "element (" + std::to_string(row) + ", " + std::to_string(column) + ") is " + std::to_string(found) +
             " instead of " + std::to_string(expected);
    }
  }
  return {};
}

Operand member(const OperandBatch& batch, std::int64_t index) {
  Matrix matrix = batch.batch.first;
  matrix.data = matrix.as<float>() + index * batch.batch.step;
  return {matrix, batch.transposed};
}

/// One batch member per head of activations [keys, heads · width] (one sequence).
MatrixBatch per_head(const Matrix& activation, std::int64_t heads, std::int64_t first, std::int64_t head) {
  return {activation.column_range(first, head), heads, activation.columns / heads};
}

struct AttentionBuffers {
  MatrixBatch queries;
  MatrixBatch keys;
  MatrixBatch values;
  MatrixBatch context;
  MatrixBatch scores;
};

AttentionBuffers make_buffers(Arena& arena, std::int64_t keys, std::int64_t heads, std::int64_t head) {
  const Matrix qkv = arena.whole_numbers(keys, 3 * heads * head);
  const Matrix context = arena.whole_numbers(keys, heads * head);
  const Matrix scores = arena.whole_numbers(heads * keys, keys);
  return {per_head(qkv, heads, 0, head),
          per_head(qkv, heads, head, head),
          per_head(qkv, heads, 2 * head, head),
          per_head(context, heads, 0, head),
          {scores.row_range(0, keys), heads, keys * keys}};
}

struct BatchedProduct {
  const char* name;
  /// Result is keys × keys, not keys × head.
  bool square;
  OperandBatch (*a)(const AttentionBuffers&);
  OperandBatch (*b)(const AttentionBuffers&);
  MatrixBatch (*c)(const AttentionBuffers&);
};

/// In the order in which kernels/model/attention.cpp runs them, the first two forward.
constexpr BatchedProduct kBatchedProducts[] = {
    {"scores", true, [](const AttentionBuffers& x) { return OperandBatch{x.queries}; },
     [](const AttentionBuffers& x) {
       return OperandBatch{x.keys, true};
     },
     [](const AttentionBuffers& x) { return x.scores; }},
    {"context", false, [](const AttentionBuffers& x) { return OperandBatch{x.scores}; },
     [](const AttentionBuffers& x) { return OperandBatch{x.values}; },
     [](const AttentionBuffers& x) { return x.context; }},
    {"scores_gradient", true, [](const AttentionBuffers& x) { return OperandBatch{x.context}; },
     [](const AttentionBuffers& x) {
       return OperandBatch{x.values, true};
     },
     [](const AttentionBuffers& x) { return x.scores; }},
    {"values_gradient", false,
     [](const AttentionBuffers& x) {
       return OperandBatch{x.scores, true};
     },
     [](const AttentionBuffers& x) { return OperandBatch{x.context}; },
     [](const AttentionBuffers& x) { return x.values; }},
    {"queries_gradient", false, [](const AttentionBuffers& x) { return OperandBatch{x.scores}; },
     [](const AttentionBuffers& x) { return OperandBatch{x.keys}; },
     [](const AttentionBuffers& x) { return x.queries; }},
    {"keys_gradient", false,
     [](const AttentionBuffers& x) {
       return OperandBatch{x.scores, true};
     },
     [](const AttentionBuffers& x) { return OperandBatch{x.queries}; },
     [](const AttentionBuffers& x) { return x.keys; }},
};

}  // namespace

Case product_case(const std::string& layout, std::int64_t m, std::int64_t n, std::int64_t k) {
  SHARDSIM_CHECK(layout == "TN" || layout == "NN" || layout == "NT", "a layout of linear layers");
  Case result;
  result.subject = {Family::product,
                    layout,
                    m,
                    n,
                    k,
                    1,
                    1,
                    1,
                    Bytes{4 * (m * k + k * n + (layout == "NT" ? 2 : 1) * m * n)},
                    Flops{2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)}};
  result.make = [=](Arena& arena) {
    const bool accumulates = layout == "NT";
    const Operand a = accumulates ? Operand{arena.whole_numbers(k, m), true} : Operand{arena.whole_numbers(m, k)};
    const Operand b = layout == "TN" ? Operand{arena.whole_numbers(n, k), true} : Operand{arena.whole_numbers(k, n)};
    const Matrix c = arena.matrix(m, n);
    Workload workload;
    workload.run = [=, &arena] { arena.backend().gemm(a, b, c, accumulates); };
    // The layer before has just written the first operand; weights, saved inputs and gradients were used long before.
    workload.cold = true;
    workload.restore = [=, &arena] { arena.backend().scale(a.matrix, 1.0); };
    // The last run added to 0.
    workload.check = [=, &arena] {
      arena.backend().fill(c, 0.0);
      arena.backend().gemm(a, b, c, accumulates);
      return check_product(arena.backend(), a, b, c, k);
    };
    return workload;
  };
  return result;
}

std::vector<Case> attention_cases(std::int64_t keys, std::int64_t heads, std::int64_t head) {
  std::vector<Case> cases;
  for (const BatchedProduct& product : kBatchedProducts) {
    const std::int64_t n = product.square ? keys : head;
    const std::int64_t k = product.square ? head : keys;
    Case one;
    one.subject = {Family::batched_product,
                   product.name,
                   keys,
                   n,
                   k,
                   heads,
                   1,
                   1,
                   Bytes{4 * heads * (keys * k + k * n + keys * n)},
                   Flops{2.0 * static_cast<double>(heads * keys) * static_cast<double>(n) * static_cast<double>(k)}};
    one.make = [=, &product](Arena& arena) {
      const AttentionBuffers buffers = make_buffers(arena, keys, heads, head);
      const OperandBatch a = product.a(buffers);
      const OperandBatch b = product.b(buffers);
      const MatrixBatch c = product.c(buffers);
      Workload workload;
      workload.run = [=, &arena] { arena.backend().batched_gemm(a, b, c, 1.0); };
      workload.check = [=, &arena] {
        return check_product(arena.backend(), member(a, heads - 1), member(b, heads - 1), member({c}, heads - 1).matrix,
                             k);
      };
      return workload;
    };
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace shardsim::calibrate

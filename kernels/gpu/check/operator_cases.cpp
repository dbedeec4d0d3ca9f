#include "kernels/gpu/check/operator_cases.hpp"

#include <algorithm>
#include <limits>

namespace shardsim::kernels::gpu {
namespace {

using Results = std::vector<std::vector<float>>;

constexpr std::int64_t kRows = 37;
constexpr std::int64_t kColumns = 133;

Results matrix_products(Arena& arena, DType dtype) {
  Results results;
  const std::int64_t m = 65;
  const std::int64_t n = 40;
  const std::int64_t k = 72;
  Backend& backend = arena.backend();
  const Matrix c = arena.empty(m, n, dtype);
  backend.gemm({arena.numbers(m, k, 0.1, dtype)}, {arena.numbers(n, k, 0.2, dtype), true}, c, false);
  results.push_back(arena.values(c));
  backend.gemm({arena.numbers(m, k, 0.3, dtype)}, {arena.numbers(k, n, 0.4, dtype)}, c, false);
  results.push_back(arena.values(c));
  const Matrix gradient = arena.constant(m, n, 1.0F);
  backend.gemm({arena.numbers(k, m, 0.5, dtype), true}, {arena.numbers(k, n, 0.6, dtype)}, gradient, true);
  results.push_back(arena.values(gradient));
  return results;
}

/// Queries and keys as a layer lays them out: [s, b, heads, 3, size], batches by a stride inside the rows.
Results attention_products(Arena& arena, DType dtype) {
  const std::int64_t s = 24;
  const std::int64_t batches = 6;
  const std::int64_t size = 16;
  const Matrix qkv = arena.numbers(s, batches * 3 * size, 0.7, dtype);
  const Matrix scores = arena.empty(batches * s, s, dtype);
  const auto part = [&](std::int64_t which) {
    return MatrixBatch{qkv.column_range(which * size, size), batches, 3 * size};
  };
  const MatrixBatch score_batch{scores.row_range(0, s), batches, s * s};
  arena.backend().batched_gemm({part(0), false}, {part(1), true}, score_batch, 0.25);
  const Matrix context = arena.empty(s, batches * size, dtype);
  arena.backend().batched_gemm({score_batch, false}, {part(2), false},
                               {context.column_range(0, size), batches, size}, 1.0);
  return {arena.values(scores), arena.values(context)};
}

Results layer_norms(Arena& arena, DType dtype) {
  const Matrix x = arena.numbers(kRows, kColumns, 0.1, dtype);
  const Matrix weight = arena.numbers(1, kColumns, 0.2, dtype);
  const Matrix y = arena.empty(kRows, kColumns, dtype);
  const Matrix statistics = arena.empty(kRows, 2);
  arena.backend().layer_norm(x, weight, arena.numbers(1, kColumns, 0.3, dtype), 1e-5, y, statistics);
  const Matrix dx = arena.numbers(kRows, kColumns, 0.4, dtype);
  const Matrix dweight = arena.constant(1, kColumns, 1.0F);
  const Matrix dbias = arena.constant(1, kColumns, 2.0F);
  arena.backend().layer_norm_backward(dx, x, weight, statistics, dx, dweight, dbias);
  return {arena.values(y), arena.values(statistics), arena.values(dx), arena.values(dweight), arena.values(dbias)};
}

Results activations(Arena& arena, DType dtype) {
  Results results;
  Backend& backend = arena.backend();
  const Matrix x = arena.numbers(kRows, kColumns, 0.1, dtype);
  const Matrix bias = arena.numbers(1, kColumns, 0.2, dtype);
  const Matrix y = arena.empty(kRows, kColumns, dtype);
  backend.bias_gelu(x, bias, y);
  results.push_back(arena.values(y));
  const Matrix dx = arena.numbers(kRows, kColumns, 0.3, dtype);
  backend.bias_gelu_backward(dx, x, bias, dx);
  results.push_back(arena.values(dx));
  backend.bias_tanh(x, bias, y);
  results.push_back(arena.values(y));
  backend.tanh_backward(dx, y, dx);
  results.push_back(arena.values(dx));
  backend.add_bias(y, bias);
  results.push_back(arena.values(y));
  const Matrix dbias = arena.constant(1, kColumns, 1.0F);
  backend.bias_gradient(x, dbias);
  results.push_back(arena.values(dbias));
  return results;
}

Results dropouts(Arena& arena, DType dtype) {
  Results results;
  Backend& backend = arena.backend();
  const DropoutSite site{1234, 0.3, 5, 4, 2, 7};
  const Matrix x = arena.numbers(kRows, kColumns, 0.1, dtype);
  const Matrix y = arena.empty(kRows, kColumns, dtype);
  std::uint8_t* mask = arena.mask(kRows * kColumns);
  backend.bias_dropout_add(x, arena.numbers(1, kColumns, 0.2, dtype), arena.numbers(kRows, kColumns, 0.3, dtype), site,
                           y, mask);
  results.push_back(arena.values(y));
  results.push_back(arena.values(mask, kRows * kColumns));
  backend.dropout(x, site, y, mask);
  results.push_back(arena.values(y));
  backend.dropout_backward(x, mask, 0.3, y);
  results.push_back(arena.values(y));
  return results;
}

Results attention_softmaxes(Arena& arena, DType dtype) {
  Results results;
  Backend& backend = arena.backend();
  const std::vector<std::int32_t> valid = {19, 7};
  for (const bool causal : {true, false}) {
    AttentionShape shape{2, 3, 1, 19, 19, causal, causal ? nullptr : arena.ids(valid)};
    const std::int64_t rows = shape.sequences * shape.heads * shape.queries;
    const Matrix p = arena.numbers(rows, shape.keys, 0.1, dtype);
    backend.masked_softmax(p, shape, 0.5, p);
    results.push_back(arena.values(p));
    const Matrix dropped = arena.empty(rows, shape.keys, dtype);
    std::uint8_t* mask = arena.mask(rows * shape.keys);
    backend.attention_dropout(p, shape, {99, 0.2, 3, 1, 0, 0}, dropped, mask);
    results.push_back(arena.values(dropped));
    const Matrix dp = arena.numbers(rows, shape.keys, 0.4, dtype);
    backend.masked_softmax_backward(dp, p, shape, 0.5, dp);
    results.push_back(arena.values(dp));
  }
  return results;
}

Results embeddings(Arena& arena, DType dtype) {
  Backend& backend = arena.backend();
  const std::vector<std::int32_t> values = {3, 11, 3, 20, 15, 11, 3};
  const std::int32_t* ids = arena.ids(values);
  const auto tokens = static_cast<std::int64_t>(values.size());
  const Matrix y = arena.empty(tokens, kColumns, dtype);
  backend.embedding(ids, arena.numbers(9, kColumns, 0.1, dtype), 8, y);
  const Matrix added = arena.numbers(tokens, kColumns, 0.2, dtype);
  backend.add_embedding(ids, arena.numbers(21, kColumns, 0.3, dtype), added);
  const Matrix dtable = arena.constant(9, kColumns, 1.0F);
  backend.embedding_backward(ids, arena.numbers(tokens, kColumns, 0.4, dtype), 8, dtable);
  return {arena.values(y), arena.values(added), arena.values(dtable)};
}

Results cross_entropies(Arena& arena, DType) {
  Backend& backend = arena.backend();
  const std::int64_t tokens = 5;
  const std::int32_t* targets = arena.ids({100, 7, 132, 50, 232});  // the last lies outside ids 100 … 232
  const Matrix logits = arena.numbers(tokens, kColumns - 1, 0.1);
  const Matrix maximum = arena.empty(tokens, 1);
  backend.row_maximum(logits, maximum);
  const Matrix sum = arena.empty(tokens, 1);
  const Matrix target = arena.empty(tokens, 1);
  backend.exponentiate(logits, maximum, targets, 100, sum, target);
  const Matrix losses = arena.empty(tokens, 1);
  backend.token_losses(sum, target, losses);
  Results results{arena.values(maximum), arena.values(sum), arena.values(target), arena.values(losses)};
  backend.cross_entropy_backward(logits, sum, targets, 100, arena.numbers(tokens, 1, 0.2), logits);
  results.push_back(arena.values(logits));
  return results;
}

Results row_moves(Arena& arena, DType dtype) {
  const std::int32_t* rows = arena.ids({4, 0, 2});
  const Matrix from = arena.numbers(6, kColumns, 0.1, dtype);
  const Matrix to = arena.empty(3, kColumns, dtype);
  arena.backend().gather_rows(from, rows, to);
  arena.backend().scatter_add_rows(to, rows, from);
  arena.backend().scale(to, 0.5);
  arena.backend().add(to, to);
  return {arena.values(to), arena.values(from)};
}

Results optimizers(Arena& arena, DType dtype) {
  const std::int64_t count = 10007;
  const Matrix gradient = arena.numbers(1, count, 0.1, dtype);
  const Matrix master = arena.numbers(1, count, 0.2);
  const Matrix first = arena.constant(1, count, 0.01F);
  const Matrix second = arena.constant(1, count, 0.02F);
  const Matrix weights = arena.empty(1, count, dtype);
  arena.backend().adam(gradient, {1e-2, 0.9, 0.99, 1e-8, 0.1, 3, 0.7}, master, first, second, weights);
  const auto squares = static_cast<float>(arena.backend().sum_of_squares(gradient));
  const auto sum = static_cast<float>(arena.backend().sum(master));
  return {arena.values(master), arena.values(first), arena.values(second), arena.values(weights), {squares}, {sum}};
}

}  // namespace

std::vector<OperatorCase> operator_cases(DType dtype) {
  // Rounding of the format: 2⁻²⁴ and 2⁻⁸, times a few operations and, for products, the sum of k terms.
  const double unit = dtype == DType::fp32 ? 6e-8 : 4e-3;
  const auto make = [&](const char* name, double units, Results (*run)(Arena&, DType)) {
    return OperatorCase{name, units * unit, [run, dtype](Arena& arena) { return run(arena, dtype); }};
  };
  return {make("gemm", 64, matrix_products),       make("attention products", 64, attention_products),
          make("layer norm", 64, layer_norms),     make("activations and biases", 32, activations),
          make("dropout", 8, dropouts),            make("masked softmax", 32, attention_softmaxes),
          make("embedding", 8, embeddings),        make("cross entropy", 64, cross_entropies),
          make("row moves and sums", 8, row_moves), make("adam and reductions", 64, optimizers)};
}

double largest_difference(const OperatorCase& operator_case, Backend& device, Backend& reference) {
  Arena device_arena{device};
  Arena reference_arena{reference};
  const Results measured = operator_case.run(device_arena);
  const Results expected = operator_case.run(reference_arena);
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double scale = std::numeric_limits<double>::min();
    for (const float value : expected[i]) scale = std::max(scale, std::abs(static_cast<double>(value)));
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      const double difference = std::abs(static_cast<double>(measured[i][j]) - static_cast<double>(expected[i][j]));
      // A NaN on either side is a difference.
      largest = difference / scale <= largest ? largest : difference / scale;
      if (!(difference >= 0.0)) return std::numeric_limits<double>::infinity();
    }
  }
  return largest;
}

}  // namespace shardsim::kernels::gpu

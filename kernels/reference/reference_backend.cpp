#include "kernels/reference/reference_backend.hpp"

#include <cstring>

#include "kernels/reference/operators.hpp"
#include "kernels/tensor/host_memory.hpp"

namespace shardsim::kernels {
namespace {

using reference::load;
using reference::Mask;
using reference::store;
using reference::Values;

Values load(const Operand& operand) {
  return operand.transposed ? transposed(load(operand.matrix)) : load(operand.matrix);
}

Operand member(const OperandBatch& batch, std::int64_t index) {
  Matrix matrix = batch.batch.first;
  matrix.data = matrix.as<std::byte>() + index * batch.batch.step * storage_size(matrix.dtype).value();
  return {matrix, batch.transposed};
}

void accumulate(const Values& values, const Matrix& matrix) { store(sum(load(matrix), values), matrix); }

Values scaled(Values values, double factor) {
  for (double& value : values.data) value *= factor;
  return values;
}

/// The row of `bias` under each of the rows of `like`.
Values broadcast(const Matrix& bias, const Matrix& like) {
  return reference::generate(like.rows, like.columns, [row = load(bias)](auto, auto c) { return row(0, c); });
}

/// dropout(x) with `mask` written, or x where there is none.
Values drop(const Values& x, const Mask& kept, double probability, std::uint8_t* mask) {
  if (mask == nullptr) return x;
  std::memcpy(mask, kept.data(), kept.size());
  return reference::dropped(x, kept, probability);
}

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] std::unique_ptr<RawMemory> memory() override { return std::make_unique<HostMemory>(); }

  void synchronise() override {}

  void upload(const void* host, void* device, Bytes bytes) override {
    if (bytes > Bytes{0}) std::memcpy(device, host, static_cast<std::size_t>(bytes.value()));
  }

  void download(const void* device, void* host, Bytes bytes) override { upload(device, host, bytes); }

  void gemm(const Operand& a, const Operand& b, const Matrix& c, bool accumulates) override {
    const Values result = product(load(a), load(b));
    accumulates ? accumulate(result, c) : store(result, c);
  }

  void batched_gemm(const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c, double scale) override {
    for (std::int64_t i = 0; i < c.count; ++i) {
      store(scaled(product(load(member(a, i)), load(member(b, i))), scale), member({c, false}, i).matrix);
    }
  }

  void layer_norm(const Matrix& x, const Matrix& weight, const Matrix& bias, double epsilon, const Matrix& y,
                  const Matrix& statistics) override {
    const auto result = reference::layer_norm(load(x), load(weight), load(bias), epsilon);
    store(result.y, y);
    store(result.statistics, statistics);
  }

  void layer_norm_backward(const Matrix& dy, const Matrix& x, const Matrix& weight, const Matrix& statistics,
                           const Matrix& dx, const Matrix& dweight, const Matrix& dbias) override {
    const auto result = reference::layer_norm_backward(load(dy), load(x), load(weight), load(statistics));
    store(result.dx, dx);
    accumulate(result.dweight, dweight);
    accumulate(result.dbias, dbias);
  }

  void bias_gelu(const Matrix& x, const Matrix& bias, const Matrix& y) override {
    store(reference::bias_gelu(load(x), load(bias)), y);
  }

  void bias_gelu_backward(const Matrix& dy, const Matrix& x, const Matrix& bias, const Matrix& dx) override {
    store(reference::bias_gelu_backward(load(dy), load(x), load(bias)), dx);
  }

  void bias_tanh(const Matrix& x, const Matrix& bias, const Matrix& y) override {
    store(reference::bias_tanh(load(x), load(bias)), y);
  }

  void tanh_backward(const Matrix& dy, const Matrix& y, const Matrix& dx) override {
    store(reference::tanh_backward(load(dy), load(y)), dx);
  }

  void add_bias(const Matrix& y, const Matrix& bias) override { accumulate(broadcast(bias, y), y); }

  void bias_gradient(const Matrix& dy, const Matrix& dbias) override {
    accumulate(reference::column_sums(load(dy)), dbias);
  }

  void bias_dropout_add(const Matrix& x, const Matrix& bias, const Matrix& residual, const DropoutSite& site,
                        const Matrix& y, std::uint8_t* mask) override {
    const Values biased = reference::sum(load(x), broadcast(bias, x));
    const Mask kept = reference::activation_mask(site, x.rows, x.columns);
    store(reference::sum(load(residual), drop(biased, kept, site.probability, mask)), y);
  }

  void dropout(const Matrix& x, const DropoutSite& site, const Matrix& y, std::uint8_t* mask) override {
    store(drop(load(x), reference::activation_mask(site, x.rows, x.columns), site.probability, mask), y);
  }

  void dropout_backward(const Matrix& dy, const std::uint8_t* mask, double probability, const Matrix& dx) override {
    if (mask == nullptr) return copy(dy, dx);
    store(reference::dropped(load(dy), Mask(mask, mask + dy.elements()), probability), dx);
  }

  void masked_softmax(const Matrix& scores, const AttentionShape& shape, double scale,
                      const Matrix& probabilities) override {
    store(reference::masked_softmax(load(scores), shape, scale), probabilities);
  }

  void masked_softmax_backward(const Matrix& dprobabilities, const Matrix& probabilities,
                               const AttentionShape& /*shape*/, double scale, const Matrix& dscores) override {
    store(reference::masked_softmax_backward(load(dprobabilities), load(probabilities), scale), dscores);
  }

  void attention_dropout(const Matrix& probabilities, const AttentionShape& shape, const DropoutSite& site,
                         const Matrix& y, std::uint8_t* mask) override {
    store(drop(load(probabilities), reference::attention_mask(site, shape), site.probability, mask), y);
  }

  void embedding(const std::int32_t* ids, const Matrix& table, std::int64_t first_id, const Matrix& y) override {
    store(reference::embedding(ids, y.rows, load(table), first_id), y);
  }

  void embedding_backward(const std::int32_t* ids, const Matrix& dy, std::int64_t first_id,
                          const Matrix& dtable) override {
    accumulate(reference::embedding_backward(ids, load(dy), dtable.rows, first_id), dtable);
  }

  void add_embedding(const std::int32_t* ids, const Matrix& table, const Matrix& y) override {
    accumulate(reference::embedding(ids, y.rows, load(table), 0), y);
  }

  void row_maximum(const Matrix& logits, const Matrix& maximum) override {
    store(reference::row_maximum(load(logits)), maximum);
  }

  void exponentiate(const Matrix& logits, const Matrix& maximum, const std::int32_t* targets, std::int64_t first_id,
                    const Matrix& sum, const Matrix& target) override {
    const auto result = reference::exponentiate(load(logits), load(maximum), targets, first_id);
    store(result.exponentials, logits);
    store(result.sum, sum);
    store(result.target, target);
  }

  void token_losses(const Matrix& sum, const Matrix& target, const Matrix& losses) override {
    store(reference::token_losses(load(sum), load(target)), losses);
  }

  void cross_entropy_backward(const Matrix& exponentials, const Matrix& sum, const std::int32_t* targets,
                              std::int64_t first_id, const Matrix& weights, const Matrix& dlogits) override {
    store(reference::cross_entropy_backward(load(exponentials), load(sum), targets, first_id, load(weights)), dlogits);
  }

  void copy(const Matrix& from, const Matrix& to) override { store(load(from), to); }

  void add(const Matrix& x, const Matrix& y) override { accumulate(load(x), y); }

  void scale(const Matrix& x, double factor) override { store(scaled(load(x), factor), x); }

  void fill(const Matrix& x, double value) override {
    store(reference::generate(x.rows, x.columns, [&](auto, auto) { return value; }), x);
  }

  void gather_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) override {
    store(reference::embedding(rows, to.rows, load(from), 0), to);
  }

  void scatter_add_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) override {
    accumulate(reference::embedding_backward(rows, load(from), to.rows, 0), to);
  }

  [[nodiscard]] double sum_of_squares(const Matrix& x) override {
    double total = 0.0;
    for (const double value : load(x).data) total += value * value;
    return total;
  }

  [[nodiscard]] double sum(const Matrix& x) override {
    double total = 0.0;
    for (const double value : load(x).data) total += value;
    return total;
  }

  void adam(const Matrix& gradient, const AdamStep& step, const Matrix& master, const Matrix& first_moment,
            const Matrix& second_moment, const Matrix& weights) override {
    reference::AdamState state{load(master), load(first_moment), load(second_moment)};
    reference::adam(load(gradient), step, state);
    store(state.weights, master);
    store(state.first_moment, first_moment);
    store(state.second_moment, second_moment);
    store(state.weights, weights);
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace shardsim::kernels

// The trainer's operators on one CPU core in fp32: matrix products by Eigen, the rest in single fused passes.
#pragma once

#include <memory>

#include "kernels/operators/backend.hpp"

namespace shardsim::kernels {

/// One thread; every call is complete on return. A rank has one of its own.
class CpuBackend : public Backend {
 public:
  CpuBackend();

  [[nodiscard]] std::unique_ptr<RawMemory> memory() override;
  void synchronise() override {}
  void upload(const void* host, void* device, Bytes bytes) override;
  void download(const void* device, void* host, Bytes bytes) override;

  void gemm(const Operand& a, const Operand& b, const Matrix& c, bool accumulate) override;
  void batched_gemm(const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c, double scale) override;

  void layer_norm(const Matrix& x, const Matrix& weight, const Matrix& bias, double epsilon, const Matrix& y,
                  const Matrix& statistics) override;
  void layer_norm_backward(const Matrix& dy, const Matrix& x, const Matrix& weight, const Matrix& statistics,
                           const Matrix& dx, const Matrix& dweight, const Matrix& dbias) override;

  void bias_gelu(const Matrix& x, const Matrix& bias, const Matrix& y) override;
  void bias_gelu_backward(const Matrix& dy, const Matrix& x, const Matrix& bias, const Matrix& dx) override;
  void bias_tanh(const Matrix& x, const Matrix& bias, const Matrix& y) override;
  void tanh_backward(const Matrix& dy, const Matrix& y, const Matrix& dx) override;
  void add_bias(const Matrix& y, const Matrix& bias) override;
  void bias_gradient(const Matrix& dy, const Matrix& dbias) override;

  void bias_dropout_add(const Matrix& x, const Matrix& bias, const Matrix& residual, const DropoutSite& site,
                        const Matrix& y, std::uint8_t* mask) override;
  void dropout(const Matrix& x, const DropoutSite& site, const Matrix& y, std::uint8_t* mask) override;
  void dropout_backward(const Matrix& dy, const std::uint8_t* mask, double probability, const Matrix& dx) override;

  void masked_softmax(const Matrix& scores, const AttentionShape& shape, double scale,
                      const Matrix& probabilities) override;
  void masked_softmax_backward(const Matrix& dprobabilities, const Matrix& probabilities, const AttentionShape& shape,
                               double scale, const Matrix& dscores) override;
  void attention_dropout(const Matrix& probabilities, const AttentionShape& shape, const DropoutSite& site,
                         const Matrix& y, std::uint8_t* mask) override;

  void embedding(const std::int32_t* ids, const Matrix& table, std::int64_t first_id, const Matrix& y) override;
  void embedding_backward(const std::int32_t* ids, const Matrix& dy, std::int64_t first_id,
                          const Matrix& dtable) override;
  void add_embedding(const std::int32_t* ids, const Matrix& table, const Matrix& y) override;

  void row_maximum(const Matrix& logits, const Matrix& maximum) override;
  void exponentiate(const Matrix& logits, const Matrix& maximum, const std::int32_t* targets, std::int64_t first_id,
                    const Matrix& sum, const Matrix& target) override;
  void token_losses(const Matrix& sum, const Matrix& target, const Matrix& losses) override;
  void cross_entropy_backward(const Matrix& exponentials, const Matrix& sum, const std::int32_t* targets,
                              std::int64_t first_id, const Matrix& weights, const Matrix& dlogits) override;

  void copy(const Matrix& from, const Matrix& to) override;
  void add(const Matrix& x, const Matrix& y) override;
  void scale(const Matrix& x, double factor) override;
  void fill(const Matrix& x, double value) override;
  void gather_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) override;
  void scatter_add_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) override;

  [[nodiscard]] double sum_of_squares(const Matrix& x) override;
  [[nodiscard]] double sum(const Matrix& x) override;
  void adam(const Matrix& gradient, const AdamStep& step, const Matrix& master, const Matrix& first_moment,
            const Matrix& second_moment, const Matrix& weights) override;
};

[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend();

}  // namespace shardsim::kernels

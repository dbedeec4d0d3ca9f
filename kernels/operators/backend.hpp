// What a device must be able to compute: one function an operator of sim/model's list. Implemented naively in double
// precision (kernels/reference), with Eigen (kernels/cpu) and with cuBLAS and CUDA kernels (kernels/gpu).
// Shapes first in every comment. All calls are ordered as on one stream; synchronise() waits for them.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/tensor/tensor.hpp"

namespace shardsim::kernels {

/// A matrix as an operand: as stored, or transposed.
struct Operand {
  Matrix matrix;
  bool transposed = false;
};
struct OperandBatch {
  MatrixBatch batch;
  bool transposed = false;
};

/// Random bits of one dropout call. An element's bits are a pure function of (key, sample, position, column), so that
/// masks do not depend on micro batches or on the layout. Row r of the matrix is position first_position + r/sequences
/// of sample first_sample + r mod sequences; column c of it is first_column + c.
/// Attention scores (rows = sequences · heads · queries): row (sequence, head, query), sample first_sample + sequence,
/// position = query, column = (first_head + head) · keys + key.
struct DropoutSite {
  std::uint64_t key = 0;
  double probability = 0.0;
  std::int64_t first_sample = 0;
  std::int64_t sequences = 1;
  std::int64_t first_position = 0;
  std::int64_t first_column = 0;
};

struct AttentionShape {
  std::int64_t sequences = 1;
  std::int64_t heads = 1;
  std::int64_t first_head = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  bool causal = true;
  /// [sequences] valid keys of each sequence (BERT's padding mask), or null: all.
  const std::int32_t* valid_keys = nullptr;
};

struct AdamStep {
  double learning_rate = 0.0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;
  /// From 1.
  std::int64_t step = 1;
  /// Multiplies the gradient: clipping · 1/loss scale.
  double gradient_scale = 1.0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::unique_ptr<RawMemory> memory() = 0;
  virtual void synchronise() = 0;
  /// Host <-> device, `bytes` bytes; complete on return.
  virtual void upload(const void* host, void* device, Bytes bytes) = 0;
  virtual void download(const void* device, void* host, Bytes bytes) = 0;

  /// c[m,n] = a[m,k] · b[k,n] (+ c when accumulate). Formats of a and b are equal; c may be fp32.
  virtual void gemm(const Operand& a, const Operand& b, const Matrix& c, bool accumulate) = 0;
  /// The same for each member of the batches; counts are equal. scale multiplies the product.
  virtual void batched_gemm(const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c, double scale) = 0;

  /// x, y [r,h]; weight, bias [1,h]; statistics [r,2] fp32 (mean, 1/σ).
  virtual void layer_norm(const Matrix& x, const Matrix& weight, const Matrix& bias, double epsilon, const Matrix& y,
                          const Matrix& statistics) = 0;
  /// dx [r,h] (may be dy); dweight, dbias [1,h] accumulate. Ba et al. 2016.
  virtual void layer_norm_backward(const Matrix& dy, const Matrix& x, const Matrix& weight, const Matrix& statistics,
                                   const Matrix& dx, const Matrix& dweight, const Matrix& dbias) = 0;

  /// y[r,f] = gelu_tanh(x[r,f] + bias[1,f]); bias may be empty (data null). Hendrycks & Gimpel 2016.
  virtual void bias_gelu(const Matrix& x, const Matrix& bias, const Matrix& y) = 0;
  /// dx[r,f] = dy · gelu'(x + bias); dx may be dy.
  virtual void bias_gelu_backward(const Matrix& dy, const Matrix& x, const Matrix& bias, const Matrix& dx) = 0;
  /// y = tanh(x + bias) and dx = dy · (1 − y²) (BERT's pooler).
  virtual void bias_tanh(const Matrix& x, const Matrix& bias, const Matrix& y) = 0;
  virtual void tanh_backward(const Matrix& dy, const Matrix& y, const Matrix& dx) = 0;
  /// y[r,n] += bias[1,n].
  virtual void add_bias(const Matrix& y, const Matrix& bias) = 0;
  /// dbias[1,n] += column sums of dy[r,n].
  virtual void bias_gradient(const Matrix& dy, const Matrix& dbias) = 0;

  /// y = residual + dropout(x + bias), all [r,h]; mask [r·h] bytes, 1 = kept; without dropout mask is null. y may be x.
  virtual void bias_dropout_add(const Matrix& x, const Matrix& bias, const Matrix& residual, const DropoutSite& dropout,
                                const Matrix& y, std::uint8_t* mask) = 0;
  /// y = dropout(x); y may be x.
  virtual void dropout(const Matrix& x, const DropoutSite& dropout, const Matrix& y, std::uint8_t* mask) = 0;
  /// dx = dy · mask / (1 − p); dx may be dy.
  virtual void dropout_backward(const Matrix& dy, const std::uint8_t* mask, double probability, const Matrix& dx) = 0;

  /// probabilities = softmax(mask(scale · scores)) over keys, both [sequences·heads·queries, keys]; may be in place.
  virtual void masked_softmax(const Matrix& scores, const AttentionShape& shape, double scale,
                              const Matrix& probabilities) = 0;
  /// dscores = scale · p · (dp − Σ dp·p); may be in place.
  virtual void masked_softmax_backward(const Matrix& dprobabilities, const Matrix& probabilities,
                                       const AttentionShape& shape, double scale, const Matrix& dscores) = 0;
  /// dropout() over attention scores: bits by (sample, head, query, key).
  virtual void attention_dropout(const Matrix& probabilities, const AttentionShape& shape, const DropoutSite& dropout,
                                 const Matrix& y, std::uint8_t* mask) = 0;

  /// y[t,h] = Σ tables row ids; word shard [rows,h] holds ids first_id … first_id+rows; other ids give 0.
  virtual void embedding(const std::int32_t* ids, const Matrix& table, std::int64_t first_id, const Matrix& y) = 0;
  /// dtable[id − first_id] += dy[t]; deterministic (in order of t).
  virtual void embedding_backward(const std::int32_t* ids, const Matrix& dy, std::int64_t first_id,
                                  const Matrix& dtable) = 0;
  /// y[t,h] += table[ids[t]].
  virtual void add_embedding(const std::int32_t* ids, const Matrix& table, const Matrix& y) = 0;

  /// Vocabulary-parallel cross entropy (Shoeybi et al. 2019, section 3) over logits [t,v] fp32, in three steps with a
  /// reduction over the tensor-parallel group between them: row_maximum [t]; then logits = exp(logits − maximum),
  /// sum [t] = row sums, target [t] = logit − maximum of the target where this shard holds it, else 0.
  virtual void row_maximum(const Matrix& logits, const Matrix& maximum) = 0;
  virtual void exponentiate(const Matrix& logits, const Matrix& maximum, const std::int32_t* targets,
                            std::int64_t first_id, const Matrix& sum, const Matrix& target) = 0;
  /// loss[t] = log(sum) − target.
  virtual void token_losses(const Matrix& sum, const Matrix& target, const Matrix& losses) = 0;
  /// In place, exp(logits − maximum) -> gradient: (e/sum − [target]) · weights[t]; weights carry loss mask and scale.
  virtual void cross_entropy_backward(const Matrix& exponentials, const Matrix& sum, const std::int32_t* targets,
                                      std::int64_t first_id, const Matrix& weights, const Matrix& dlogits) = 0;

  /// Elementwise on equal shapes.
  virtual void copy(const Matrix& from, const Matrix& to) = 0;  // converts formats
  virtual void add(const Matrix& x, const Matrix& y) = 0;       // y += x
  virtual void scale(const Matrix& x, double factor) = 0;
  virtual void fill(const Matrix& x, double value) = 0;
  /// to[i,:] = from[rows[i],:] and back with accumulation.
  virtual void gather_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) = 0;
  virtual void scatter_add_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) = 0;

  /// Σ x² in double, and whether any element is not finite (fp16 loss scaling).
  [[nodiscard]] virtual double sum_of_squares(const Matrix& x) = 0;
  [[nodiscard]] virtual double sum(const Matrix& x) = 0;
  /// Loshchilov & Hutter 2019 (decoupled decay): updates master, both moments, and the stored weights (which may be the
  /// master itself). All one row of equal length; gradient fp32 or the stored format.
  virtual void adam(const Matrix& gradient, const AdamStep& step, const Matrix& master, const Matrix& first_moment,
                    const Matrix& second_moment, const Matrix& weights) = 0;
};

}  // namespace shardsim::kernels

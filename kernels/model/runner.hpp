// What layers compute with: tensors of this rank and one call per operator, made from the matrices that it gets.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "kernels/communicator/communicator.hpp"
#include "kernels/model/chunk.hpp"
#include "kernels/model/operations.hpp"
#include "kernels/tensor/tensor.hpp"
#include "sim/model/operator_builders.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::kernels {

/// Name and pass of one operator, as in sim/model's list.
struct Label {
  std::string_view name;
  model::Pass pass = model::Pass::forward;
};

/// How a forward pass runs: for the first time or again, and where what the backward pass needs is kept (temporaries
/// where it is thrown away and recomputed).
struct ForwardMode {
  model::Pass pass = model::Pass::forward;
  Component kept = Component::activations;
};

/// A gradient that its reader may free when it has read it, or another's.
struct Gradient {
  Tensor owned;
  Matrix matrix;
};

class Runner {
 public:
  explicit Runner(const RankContext& context);

  [[nodiscard]] const model::Scenario& scenario() const { return *context_.scenario; }
  [[nodiscard]] const model::RankSizes& sizes() const { return sizes_; }
  [[nodiscard]] Operations& operations() { return *context_.operations; }
  [[nodiscard]] Memory& memory() { return *context_.memory; }
  [[nodiscard]] Communicator& tensor_group() { return *context_.groups->tensor; }
  void before_forward(std::int64_t block) {
    if (context_.blocks != nullptr) context_.blocks->before_forward(block);
  }
  void after_backward(std::int64_t block) {
    if (context_.blocks != nullptr) context_.blocks->after_backward(block);
  }
  [[nodiscard]] std::uint64_t seed() const { return context_.seed; }
  [[nodiscard]] DType precision() const { return scenario().training.precision; }
  /// First row of this rank's part of the residual stream, of all rows of the micro batch.
  [[nodiscard]] std::int64_t first_residual_row() const;

  /// An uninitialised activation.
  [[nodiscard]] Tensor tensor(Component component, std::int64_t rows, std::int64_t columns);
  [[nodiscard]] Tensor temporary(std::int64_t rows, std::int64_t columns);
  [[nodiscard]] Tensor fp32(Component component, std::int64_t rows, std::int64_t columns);

  /// c = a · b + bias; bias may be empty.
  void product(Label label, const Operand& a, const Operand& b, const Matrix& c, const Matrix& bias = {});
  /// c += a · b: a weight gradient.
  void accumulate_product(std::string_view name, const Operand& a, const Operand& b, const Matrix& c);
  void batched_product(Label label, const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c);
  /// `work` on the backend as one operator over rows × columns that moves `bytes`.
  template <class Work>
  void memory_bound(model::OperatorKind kind, Label label, const Matrix& over, Bytes bytes, Work&& work) {
    operations().run(model::memory_bound(kind, label.name, label.pass, precision(), over.rows, over.columns, bytes),
                     std::forward<Work>(work));
  }
  /// dbias += column sums of dy.
  void bias_gradient(std::string_view name, const Matrix& dy, const Matrix& dbias);
  /// to += from: where a gradient returns from a branch to the residual stream.
  void add_residual_gradient(const Matrix& from, const Matrix& to);

  /// Over the tensor-parallel group; nothing in a group of one.
  void all_reduce(Label label, const Matrix& matrix, Reduction reduction = Reduction::sum);
  [[nodiscard]] Tensor all_gather(Label label, const Matrix& part);
  void reduce_scatter(Label label, const Matrix& whole, const Matrix& part);

  /// Sums partial results [tokens, h] over the group (Shoeybi et al. 2019, section 3: g forward, f backward): in place,
  /// or into this rank's rows under sequence parallelism, then in `component`.
  [[nodiscard]] Tensor reduce(Label label, Tensor partial, Component component);
  /// Where the operand of reduce() belongs, so that its result lies in `component`.
  [[nodiscard]] Component partial_component(Component component) const;

 private:
  RankContext context_;
  model::RankSizes sizes_;
};

}  // namespace shardsim::kernels

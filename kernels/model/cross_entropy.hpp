// Cross entropy over logits whose columns are divided over the tensor-parallel group.
#pragma once

#include <cstdint>

#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

/// What the loss of each row [t] is computed from.
struct LossRows {
  const std::int32_t* targets = nullptr;
  /// Of this rank's first column.
  std::int64_t first_id = 0;
  /// [t] fp32: of each row's loss and gradient.
  Matrix weights;
  /// [1,1] fp32: Σ weight · loss is added to it.
  Matrix total;
};

/// In place: fp32 logits [t, v of this rank] become exp(logit − maximum), then the gradient of the weighted loss
/// (Shoeybi et al. 2019, section 3).
class CrossEntropy {
 public:
  /// Returns the rows' sums of exponentials over the whole vocabulary [t].
  [[nodiscard]] static Tensor forward(Runner& runner, const Matrix& logits, const LossRows& rows);
  static void backward(Runner& runner, const Matrix& exponentials, const Matrix& sum, const LossRows& rows,
                       const Matrix& dlogits);
};

}  // namespace shardsim::kernels

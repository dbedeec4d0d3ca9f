// Where a branch returns to the residual stream: y = residual + dropout(x + bias).
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/model/parameter_map.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

/// The dropout site of this rank's rows of the residual stream.
[[nodiscard]] DropoutSite residual_dropout(const Runner& runner, const MicroBatch& batch, std::int64_t layer,
                                           std::string_view site);

class BiasDropoutAdd {
 public:
  /// `bias`: of the row-parallel linear before it.
  BiasDropoutAdd(std::string_view name, std::int64_t layer, const Parameter& bias)
      : name_{name}, layer_{layer}, bias_{&bias} {}

  /// In place on x; returns the mask, empty without dropout.
  [[nodiscard]] Array<std::uint8_t> forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, const Matrix& x,
                                            const Matrix& residual) const;
  /// dx, which is dy itself without dropout; the bias' gradient accumulates.
  [[nodiscard]] Gradient backward(Runner& runner, const Matrix& dy, const Array<std::uint8_t>& mask) const;

 private:
  std::string_view name_;
  std::int64_t layer_;
  const Parameter* bias_;
};

}  // namespace shardsim::kernels

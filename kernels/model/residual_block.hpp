// Half a transformer layer: norm, branch (attention or feed-forward) and residual sum, in either order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/model/layer_norm.hpp"
#include "kernels/model/residual.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

/// Names of one half layer: its operators', and its parameters' behind "decoder.layers.N.".
struct ResidualBlockNames {
  std::string_view norm;
  std::string_view residual;
  std::string branch;  // prefix of the branch's parameters
  std::string bias;    // of the branch's last linear
};

template <class Branch>
class ResidualBlock {
 public:
  struct Saved {
    Tensor input;       // [residual tokens, h]
    Tensor normed;      // pre-norm only: norm(input)
    Tensor sum;         // post-norm only: input + dropout(branch(input) + bias)
    Tensor statistics;  // of the norm
    typename Branch::Saved branch;
    Array<std::uint8_t> mask;
  };

  ResidualBlock(const model::Scenario& scenario, const ParameterMap& map, std::int64_t layer,
                const ResidualBlockNames& names)
      : pre_norm_{scenario.model.norm_placement == model::NormPlacement::pre},
        norm_{names.norm, map, prefix(layer) + std::string{names.norm}},
        branch_{map, layer, prefix(layer) + names.branch},
        residual_{names.residual, layer, map.at(prefix(layer) + names.bias)} {}

  /// y [residual tokens, h] in `output`.
  /// pre: x + dropout(branch(norm(x)) + bias); post: norm(x + dropout(branch(x) + bias)).
  [[nodiscard]] Tensor forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, Tensor input,
                               Component output, Saved& saved) const {
    saved.input = std::move(input);
    const Matrix& x = saved.input;
    if (pre_norm_) {
      saved.normed = runner.tensor(mode.kept, x.rows, x.columns);
      saved.statistics = norm_.forward(runner, mode, x, saved.normed);
      Tensor y = branch_.forward(runner, mode, batch, saved.normed, output, saved.branch);
      saved.mask = residual_.forward(runner, mode, batch, y, x);
      return y;
    }
    saved.sum = branch_.forward(runner, mode, batch, x, mode.kept, saved.branch);
    saved.mask = residual_.forward(runner, mode, batch, saved.sum, x);
    Tensor y = runner.tensor(output, x.rows, x.columns);
    saved.statistics = norm_.forward(runner, mode, saved.sum, y);
    return y;
  }

  /// In place: the gradient of y becomes that of x.
  [[nodiscard]] Tensor backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const {
    if (!pre_norm_) norm_.backward(runner, gradient, saved.sum, saved.statistics);
    const Matrix& x = pre_norm_ ? saved.normed : saved.input;
    const Tensor returning =
        branch_.backward(runner, batch, residual_.backward(runner, gradient, saved.mask), x, std::move(saved.branch));
    if (pre_norm_) norm_.backward(runner, returning, saved.input, saved.statistics);
    runner.add_residual_gradient(returning, gradient);
    return gradient;
  }

 private:
  [[nodiscard]] static std::string prefix(std::int64_t layer) {
    return "decoder.layers." + std::to_string(layer) + ".";
  }

  bool pre_norm_;
  LayerNorm norm_;
  Branch branch_;
  BiasDropoutAdd residual_;
};

}  // namespace shardsim::kernels

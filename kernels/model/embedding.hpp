// Word, position and token-type embeddings; the word table's rows are divided (Shoeybi et al. 2019, section 3).
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/model/layer_norm.hpp"
#include "kernels/model/parameter_map.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

class Embedding {
 public:
  struct Saved {
    Tensor sum;  // post-norm only: what the norm sees
    Tensor statistics;
    Array<std::uint8_t> mask;
  };

  Embedding(const model::Scenario& scenario, const ParameterMap& map);

  /// The residual stream's first activation [residual tokens, h].
  [[nodiscard]] Tensor forward(Runner& runner, const MicroBatch& batch, Saved& saved) const;
  void backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const;

 private:
  const Parameter* words_;
  const Parameter* positions_;
  const Parameter* token_types_;  // null without segments
  std::optional<LayerNorm> norm_;
};

}  // namespace shardsim::kernels

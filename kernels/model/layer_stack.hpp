// The layers of a chunk, with full recomputation where the scenario has it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/transformer_layer.hpp"

namespace shardsim::kernels {

class LayerStack {
 public:
  struct GroupSaved {
    Tensor input;                                 // recomputed groups
    std::vector<TransformerLayer::Saved> layers;  // others
  };
  using Saved = std::vector<GroupSaved>;

  /// `first`: of the chunk's layers, in the whole model; `first_block`: the same of the stage's blocks.
  LayerStack(const model::Scenario& scenario, const ParameterMap& map, const model::Chunk& chunk, std::int64_t first,
             std::int64_t first_block);

  [[nodiscard]] Tensor forward(Runner& runner, const MicroBatch& batch, Tensor input, Saved& saved) const;
  [[nodiscard]] Tensor backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const;

 private:
  /// Consecutive layers that are recomputed from one saved input, or not at all.
  struct Group {
    std::size_t first = 0;
    std::size_t last = 0;  // one past
    bool recomputed = false;
  };
  [[nodiscard]] Tensor run(Runner& runner, ForwardMode mode, const MicroBatch& batch, Tensor input, const Group& group,
                           std::vector<TransformerLayer::Saved>& saved) const;
  [[nodiscard]] Tensor run_and_forget(Runner& runner, const MicroBatch& batch, Tensor input, const Group& group,
                                      Tensor& kept_input) const;

  [[nodiscard]] std::int64_t block_of(std::size_t layer) const {
    return first_block_ + static_cast<std::int64_t>(layer);
  }

  std::int64_t first_block_;
  std::vector<TransformerLayer> layers_;
  std::vector<Group> groups_;
};

}  // namespace shardsim::kernels

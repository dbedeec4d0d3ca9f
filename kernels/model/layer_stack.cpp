#include "kernels/model/layer_stack.hpp"

#include <algorithm>

namespace shardsim::kernels {

using model::Pass;

LayerStack::LayerStack(const model::Scenario& scenario, const ParameterMap& map, const model::Chunk& chunk,
                       std::int64_t first, std::int64_t first_block)
    : first_block_{first_block} {
  for (std::int64_t i = 0; i < chunk.layers; ++i) layers_.emplace_back(scenario, map, first + i);
  const model::Recompute& recompute = scenario.training.recompute;
  const auto recomputed = static_cast<std::size_t>(recomputed_layers(scenario, chunk));
  const bool uniform = recompute.method == model::RecomputeMethod::uniform;
  const std::size_t step = uniform ? static_cast<std::size_t>(recompute.num_layers) : 1;
  for (std::size_t i = 0; i < recomputed; i += step) groups_.push_back({i, std::min(i + step, recomputed), true});
  if (recomputed < layers_.size()) groups_.push_back({recomputed, layers_.size(), false});
}

Tensor LayerStack::run(Runner& runner, ForwardMode mode, const MicroBatch& batch, Tensor input, const Group& group,
                       std::vector<TransformerLayer::Saved>& saved) const {
  Tensor x = std::move(input);
  saved.resize(group.last - group.first);
  for (std::size_t i = group.first; i < group.last; ++i) {
    runner.before_forward(block_of(i));
    x = layers_[i].forward(runner, mode, batch, std::move(x), mode.kept, saved[i - group.first]);
  }
  return x;
}

Tensor LayerStack::run_and_forget(Runner& runner, const MicroBatch& batch, Tensor input, const Group& group,
                                  Tensor& kept_input) const {
  Tensor x = std::move(input);
  for (std::size_t i = group.first; i < group.last; ++i) {
    const Component output = i + 1 == group.last ? Component::activations : Component::temporaries;
    TransformerLayer::Saved forgotten;
    runner.before_forward(block_of(i));
    x = layers_[i].forward(runner, {Pass::forward, Component::temporaries}, batch, std::move(x), output, forgotten);
    if (i == group.first) kept_input = std::move(forgotten.attention.input);
  }
  return x;
}

Tensor LayerStack::forward(Runner& runner, const MicroBatch& batch, Tensor input, Saved& saved) const {
  Tensor x = std::move(input);
  for (const Group& group : groups_) {
    GroupSaved& kept = saved.emplace_back();
    x = group.recomputed ? run_and_forget(runner, batch, std::move(x), group, kept.input)
                         : run(runner, {}, batch, std::move(x), group, kept.layers);
  }
  return x;
}

Tensor LayerStack::backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const {
  for (std::size_t g = groups_.size(); g-- > 0;) {
    const Group& group = groups_[g];
    GroupSaved kept = std::move(saved[g]);
    if (group.recomputed) {
      (void)run(runner, {Pass::recompute, Component::temporaries}, batch, std::move(kept.input), group, kept.layers);
    }
    for (std::size_t i = group.last; i-- > group.first;) {
      gradient = layers_[i].backward(runner, batch, std::move(gradient), std::move(kept.layers[i - group.first]));
      runner.after_backward(block_of(i));
    }
  }
  return gradient;
}

}  // namespace shardsim::kernels

#include "kernels/model/transformer_layer.hpp"

namespace shardsim::kernels {
namespace {

bool pre_norm(const model::Scenario& scenario) { return scenario.model.norm_placement == model::NormPlacement::pre; }

ResidualBlockNames attention_names(const model::Scenario& scenario) {
  return {pre_norm(scenario) ? "input_layernorm" : "attention_output_layernorm", "self_attn_bda", "self_attention.",
          "self_attention.linear_proj.bias"};
}

ResidualBlockNames mlp_names(const model::Scenario& scenario) {
  return {pre_norm(scenario) ? "pre_mlp_layernorm" : "output_layernorm", "mlp_bda", "mlp.", "mlp.linear_fc2.bias"};
}

}  // namespace

TransformerLayer::TransformerLayer(const model::Scenario& scenario, const ParameterMap& map, std::int64_t layer)
    : attention_{scenario, map, layer, attention_names(scenario)}, mlp_{scenario, map, layer, mlp_names(scenario)} {}

Tensor TransformerLayer::forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, Tensor input,
                                 Component output, Saved& saved) const {
  Tensor middle = attention_.forward(runner, mode, batch, std::move(input), mode.kept, saved.attention);
  return mlp_.forward(runner, mode, batch, std::move(middle), output, saved.mlp);
}

Tensor TransformerLayer::backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const {
  Tensor middle = mlp_.backward(runner, batch, std::move(gradient), std::move(saved.mlp));
  return attention_.backward(runner, batch, std::move(middle), std::move(saved.attention));
}

}  // namespace shardsim::kernels

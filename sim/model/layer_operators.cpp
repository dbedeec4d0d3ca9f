#include "sim/model/layer_operators.hpp"

#include "sim/model/attention_operators.hpp"
#include "sim/model/norm_operators.hpp"
#include "sim/model/operator_builders.hpp"

namespace shardsim::model {
namespace {

constexpr auto kColumns = Linear::Split::columns;
constexpr auto kRows = Linear::Split::rows;

/// The parts of one layer. Saved bytes per part are those of Korthikanti et al. (2022), section 4.1.
class Layer {
 public:
  Layer(const Scenario& scenario, const RankSizes& sizes)
      : scenario_{scenario},
        sizes_{sizes},
        dtype_{scenario.training.precision},
        qkv_{scenario, sizes, "linear_qkv", kColumns, sizes.hidden, sizes.query_width + sizes.key_value_width},
        proj_{scenario, sizes, "linear_proj", kRows, sizes.query_width, sizes.hidden},
        fc1_{scenario, sizes, "linear_fc1", kColumns, sizes.hidden, sizes.fc1_width},
        fc2_{scenario, sizes, "linear_fc2", kRows, sizes.ffn, sizes.hidden} {}

  void forward(std::vector<Operator>& list) const {
    const bool pre = scenario_.model.norm_placement == NormPlacement::pre;
    if (pre) norm_forward(list, "input_layernorm");
    attention_forward(list);
    residual_forward(list, "self_attn_bda");
    norm_forward(list, pre ? "pre_mlp_layernorm" : "attention_output_layernorm");
    mlp_forward(list);
    residual_forward(list, "mlp_bda");
    if (!pre) norm_forward(list, "output_layernorm");
  }

  void backward(std::vector<Operator>& list) const {
    const bool pre = scenario_.model.norm_placement == NormPlacement::pre;
    if (!pre) norm_backward(list, "output_layernorm");
    residual_backward(list, "mlp_bda");
    mlp_backward(list);
    if (pre) norm_backward(list, "pre_mlp_layernorm");
    residual_gradient(list);
    if (!pre) norm_backward(list, "attention_output_layernorm");
    residual_backward(list, "self_attn_bda");
    attention_backward(list);
    if (pre) norm_backward(list, "input_layernorm");
    residual_gradient(list);
  }

 private:
  [[nodiscard]] bool recomputes(bool RecomputeModules::*module) const {
    const Recompute& recompute = scenario_.training.recompute;
    return recompute.granularity == RecomputeGranularity::selective && recompute.modules.*module;
  }

  void norm_forward(std::vector<Operator>& list, std::string_view name) const {
    list.push_back(model::norm_forward(scenario_, sizes_, name));
  }
  void norm_backward(std::vector<Operator>& list, std::string_view name) const {
    list.push_back(model::norm_backward(scenario_, sizes_, name));
  }
  [[nodiscard]] bool has_bias() const { return scenario_.model.linear_bias == LinearBias::all; }

  /// Bias, dropout (one mask byte an element) and residual addition.
  void residual_forward(std::vector<Operator>& list, std::string_view name) const {
    const Bytes mask = dropout_mask();
    const bool fused = scenario_.stack.fusion.bias_dropout_add;
    const int bias = !fused && has_bias() ? 1 : 0;
    const int dropout = !fused && scenario_.model.hidden_dropout > 0 ? 1 : 0;
    list.push_back(memory_bound(OperatorKind::elementwise, name, Pass::forward, dtype_, sizes_.residual_tokens,
                                sizes_.hidden, (3 + 2 * bias + 2 * dropout) * sizes_.residual() + mask));
    list.back().saved = mask;
    list.back().launches = 1 + bias + dropout;
  }
  void residual_backward(std::vector<Operator>& list, std::string_view name) const {
    // Dropout (read, write), then the bias' gradient (read); the latter alone where nothing is dropped and the
    // residual stream's gradient is added elsewhere.
    const bool only_bias = scenario_.model.hidden_dropout == 0 && !scenario_.stack.fusion.residual_gradient;
    list.push_back(memory_bound(OperatorKind::elementwise, name, Pass::backward, dtype_, sizes_.residual_tokens,
                                sizes_.hidden, (only_bias ? 1 : 3) * sizes_.residual() + dropout_mask()));
    list.back().launches = scenario_.stack.fusion.bias_dropout_add ? 1 : 2;
  }
  void residual_gradient(std::vector<Operator>& list) const {
    if (scenario_.stack.fusion.residual_gradient) return;
    list.push_back(memory_bound(OperatorKind::elementwise, "residual_gradient", Pass::backward, dtype_,
                                sizes_.residual_tokens, sizes_.hidden, 3 * sizes_.residual()));
  }
  [[nodiscard]] Bytes dropout_mask() const {
    return Bytes{scenario_.model.hidden_dropout > 0 ? sizes_.residual_tokens * sizes_.hidden : 0};
  }

  void attention_forward(std::vector<Operator>& list) const {
    qkv_.forward(list, recomputes(&RecomputeModules::layer_norm) ? Bytes{0} : sizes_.column_input());
    core_attention_forward(list, scenario_, sizes_, recomputes(&RecomputeModules::core_attention));
    proj_.forward(list, Bytes{sizes_.tokens * sizes_.query_width * sizes_.element});
  }
  void attention_backward(std::vector<Operator>& list) const {
    proj_.backward(list);
    if (recomputes(&RecomputeModules::core_attention)) {
      std::vector<Operator> again;
      core_attention_forward(again, scenario_, sizes_, true);
      append_recomputed(list, again);
    }
    core_attention_backward(list, scenario_, sizes_);
    if (recomputes(&RecomputeModules::layer_norm)) recompute_norm(list, "input_layernorm");
    qkv_.backward(list);
    bias_gradient(list, "linear_qkv", sizes_.tokens, sizes_.query_width + sizes_.key_value_width);
  }

  void mlp_forward(std::vector<Operator>& list) const {
    const bool whole = recomputes(&RecomputeModules::mlp);
    const std::int64_t element = sizes_.element;
    fc1_.forward(list, recomputes(&RecomputeModules::layer_norm) ? Bytes{0} : sizes_.column_input());
    activation(list, Pass::forward);
    list.back().saved = whole ? Bytes{0}
                              : Bytes{sizes_.tokens * sizes_.fc1_width * element} +
                                    rounded_bytes(scenario_.stack.saved.extra_per_ffn_element *
                                                  static_cast<double>(sizes_.tokens * sizes_.ffn));
    const bool dropped = whole || recomputes(&RecomputeModules::mlp_activation);
    fc2_.forward(list, dropped ? Bytes{0} : Bytes{sizes_.tokens * sizes_.ffn * element});
  }
  void mlp_backward(std::vector<Operator>& list) const {
    std::vector<Operator> again;
    if (recomputes(&RecomputeModules::mlp)) {
      mlp_forward(again);
    } else if (recomputes(&RecomputeModules::mlp_activation)) {
      activation(again, Pass::forward);
    }
    append_recomputed(list, again);
    fc2_.backward(list);
    activation(list, Pass::backward);
    if (recomputes(&RecomputeModules::layer_norm)) recompute_norm(list, "pre_mlp_layernorm");
    fc1_.backward(list);
    bias_gradient(list, "linear_fc1", sizes_.tokens, sizes_.fc1_width);
  }

  void activation(std::vector<Operator>& list, Pass pass) const {
    const bool gated = sizes_.fc1_width > sizes_.ffn;
    const bool fused = scenario_.stack.fusion.bias_activation || !(has_bias() || gated);
    const std::int64_t through = sizes_.fc1_width + sizes_.ffn;
    const std::int64_t passes = pass == Pass::forward ? through : through + sizes_.fc1_width;
    const std::int64_t unfused_bias = !fused && has_bias() ? 2 * sizes_.fc1_width : 0;
    // The activated gate is written and read again; backward its gradient too, and the gate once more.
    const std::int64_t unfused_gate = !fused && gated ? (pass == Pass::forward ? 2 : 3) * sizes_.ffn : 0;
    list.push_back(memory_bound(OperatorKind::elementwise, "activation_func", pass, dtype_, sizes_.tokens, sizes_.ffn,
                                Bytes{sizes_.tokens * (passes + unfused_bias + unfused_gate) * sizes_.element}));
    list.back().launches = fused ? 1 : 2;
  }

  void bias_gradient(std::vector<Operator>& list, std::string_view name, std::int64_t rows, std::int64_t width) const {
    if (!has_bias()) return;
    list.push_back(memory_bound(OperatorKind::elementwise, name, Pass::weight_gradient, dtype_, rows, width,
                                Bytes{rows * width * sizes_.element}));
  }

  void recompute_norm(std::vector<Operator>& list, std::string_view name) const {
    std::vector<Operator> again;
    norm_forward(again, name);
    append_recomputed(list, again);
  }

 public:
  /// Repeats forward operators in the backward pass; nothing of them is kept.
  static void append_recomputed(std::vector<Operator>& list, const std::vector<Operator>& forward) {
    for (Operator op : forward) {
      op.pass = Pass::recompute;
      op.saved = Bytes{0};
      list.push_back(op);
    }
  }

 private:
  const Scenario& scenario_;
  const RankSizes& sizes_;
  DType dtype_;
  Linear qkv_;
  Linear proj_;
  Linear fc1_;
  Linear fc2_;
};

/// torchtitan's operator policy: the layer's input, the attention output and the result of every second matrix
/// product are kept; everything else runs again.
void keep_every_second_product(Block& block, const RankSizes& sizes) {
  std::vector<Operator> again;
  int products = 0;
  for (Operator& op : block.forward) {
    op.saved = Bytes{0};
    const bool kept_product = op.kind == OperatorKind::gemm && ++products % 2 == 0;
    const bool kept = kept_product || op.kind == OperatorKind::attention || is_communication(op.kind);
    if (kept_product) op.saved = Bytes{op.shape.m * op.shape.n * sizes.element};
    if (op.kind == OperatorKind::attention) op.saved = attention_output_bytes(sizes);
    if (!kept) again.push_back(op);
  }
  block.forward.front().saved = block.forward.front().saved + sizes.residual();
  std::vector<Operator> backward;
  Layer::append_recomputed(backward, again);
  backward.insert(backward.end(), block.backward.begin(), block.backward.end());
  block.backward = std::move(backward);
}

}  // namespace

Block layer_block(const Scenario& scenario, const RankSizes& sizes) {
  Block block;
  block.forward.reserve(20);
  block.backward.reserve(40);
  const Layer layer{scenario, sizes};
  layer.forward(block.forward);
  layer.backward(block.backward);
  if (scenario.training.recompute.granularity == RecomputeGranularity::operators) {
    keep_every_second_product(block, sizes);
  }
  return block;
}

Block recomputed_layer_block(const Scenario& scenario, const RankSizes& sizes) {
  Block block;
  block.forward.reserve(20);
  block.backward.reserve(60);
  const Layer layer{scenario, sizes};
  layer.forward(block.forward);
  Layer::append_recomputed(block.backward, block.forward);
  layer.backward(block.backward);
  for (Operator& op : block.forward) op.saved = Bytes{0};
  const bool divided = scenario.training.recompute.distribute_saved_activations && !sizes.sequence_parallel;
  block.forward.front().saved = divided ? sizes.residual() / sizes.tp : sizes.residual();
  return block;
}

}  // namespace shardsim::model

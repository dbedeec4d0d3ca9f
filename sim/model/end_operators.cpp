#include "sim/model/end_operators.hpp"

#include <cmath>

#include "sim/model/loss_operators.hpp"
#include "sim/model/norm_operators.hpp"
#include "sim/model/operator_builders.hpp"

namespace shardsim::model {

Block embedding_block(const Scenario& scenario, const RankSizes& sizes) {
  const Model& model = scenario.model;
  const DType dtype = scenario.training.precision;
  const Bytes row_bytes = sizes.gathered_residual();
  const bool dropout = model.hidden_dropout > 0;
  const Bytes mask{dropout ? sizes.residual_tokens * sizes.hidden : 0};
  const auto residual_operator = [&](OperatorKind kind, std::string_view name, Pass pass, Bytes bytes) {
    return memory_bound(kind, name, pass, dtype, sizes.residual_tokens, sizes.hidden, bytes);
  };
  const auto exchange = [&](OperatorKind kind, Pass pass) {
    Operator op = communicate(kind, "word_embeddings", pass, Group::tensor, row_bytes);
    op.dtype = dtype;
    return op;
  };
  std::vector<std::string_view> added;
  if (model.position_embedding == PositionEmbedding::learned) added.push_back("position_embeddings");
  if (model.num_token_types > 0) added.push_back("tokentype_embeddings");
  const bool norm = model.norm_placement == NormPlacement::post;

  Block block;
  std::vector<Operator>& forward = block.forward;
  forward.push_back(memory_bound(OperatorKind::embedding, "word_embeddings", Pass::forward, dtype, sizes.tokens,
                                 sizes.hidden, 2 * row_bytes));
  if (sizes.tp > 1) {
    forward.push_back(
        exchange(sizes.sequence_parallel ? OperatorKind::reduce_scatter : OperatorKind::all_reduce, Pass::forward));
  }
  for (const std::string_view table : added) {
    forward.push_back(residual_operator(OperatorKind::embedding, table, Pass::forward, 3 * sizes.residual()));
  }
  if (norm) forward.push_back(norm_forward(scenario, sizes, "embedding_layernorm"));
  if (dropout) {
    forward.push_back(
        residual_operator(OperatorKind::elementwise, "embedding_dropout", Pass::forward, 2 * sizes.residual() + mask));
    forward.back().saved = mask;
  }

  std::vector<Operator>& backward = block.backward;
  if (dropout) {
    backward.push_back(
        residual_operator(OperatorKind::elementwise, "embedding_dropout", Pass::backward, 2 * sizes.residual() + mask));
  }
  if (norm) backward.push_back(norm_backward(scenario, sizes, "embedding_layernorm"));
  for (std::size_t i = added.size(); i-- > 0;) {
    backward.push_back(
        residual_operator(OperatorKind::embedding, added[i], Pass::weight_gradient, 3 * sizes.residual()));
  }
  if (sizes.sequence_parallel) backward.push_back(exchange(OperatorKind::all_gather, Pass::backward));
  backward.push_back(memory_bound(OperatorKind::embedding, "word_embeddings", Pass::weight_gradient, dtype,
                                  sizes.tokens, sizes.hidden, 3 * row_bytes));
  return block;
}

RankSizes head_sizes(const Scenario& scenario, const RankSizes& sizes) {
  RankSizes head = sizes;
  const bool masked_lm = scenario.model.output_head != OutputHead::language_model;
  if (!masked_lm || scenario.stack.masked_token_share >= 1.0) return head;
  const auto selected = [&](std::int64_t tokens) {
    return std::int64_t{std::lround(scenario.stack.masked_token_share * static_cast<double>(tokens))};
  };
  head.tokens = selected(sizes.tokens);
  head.residual_tokens = selected(sizes.residual_tokens);
  return head;
}

namespace {

/// Appends the parts of the head, forward in the order of the model and backward in the reverse.
class Head {
 public:
  Head(const Scenario& scenario, const RankSizes& sizes)
      : scenario_{scenario},
        sizes_{sizes},
        head_{head_sizes(scenario, sizes)},
        dtype_{scenario.training.precision},
        output_{scenario, head_, "output_layer", Linear::Split::columns, head_.hidden, head_.vocab} {}

  [[nodiscard]] Block block() const {
    const Model& model = scenario_.model;
    const bool pre = model.norm_placement == NormPlacement::pre;
    const bool masked_lm = model.output_head != OutputHead::language_model;
    const bool binary = model.output_head == OutputHead::masked_lm_and_binary;
    Block block;
    if (pre) block.forward.push_back(norm_forward(scenario_, sizes_, "final_layernorm"));
    if (binary) binary_forward(block.forward);
    if (masked_lm) transform_forward(block.forward);
    output_forward(block.forward);
    loss_forward(block.forward, scenario_, head_);

    loss_backward(block.backward, scenario_, head_);
    output_.backward(block.backward);
    if (masked_lm) bias_gradient(block.backward, "output_layer", head_.tokens, head_.vocab);
    if (masked_lm) transform_backward(block.backward);
    if (binary) binary_backward(block.backward);
    if (pre) block.backward.push_back(norm_backward(scenario_, sizes_, "final_layernorm"));
    return block;
  }

 private:
  void output_forward(std::vector<Operator>& list) const {
    output_.forward(list, head_.column_input());
    if (scenario_.training.cross_entropy == CrossEntropy::in_place) {
      list.back().bytes += Bytes{head_.tokens * head_.vocab * (kLogit - head_.element)};  // written in fp32
    }
  }

  /// BERT's transform: dense, activation, norm (Devlin et al. 2019); replicated over the tensor-parallel group.
  void transform_forward(std::vector<Operator>& list) const {
    list.push_back(dense("lm_head_dense", Pass::forward, head_.residual_tokens, head_.hidden));
    list.back().saved = head_.residual();
    list.push_back(elementwise("lm_head_gelu", Pass::forward, head_.residual_tokens, 2));
    list.back().saved = head_.residual();
    list.push_back(norm_forward(scenario_, head_, "lm_head_layernorm"));
  }
  void transform_backward(std::vector<Operator>& list) const {
    list.push_back(norm_backward(scenario_, head_, "lm_head_layernorm"));
    list.push_back(elementwise("lm_head_gelu", Pass::backward, head_.residual_tokens, 3));
    dense_backward(list, "lm_head_dense", head_.residual_tokens, head_.hidden);
  }

  /// BERT's sentence-order head: the pooler, a dense layer with tanh over each sequence's first token, and two classes.
  void binary_forward(std::vector<Operator>& list) const {
    const Bytes first_tokens{sizes_.sequences * sizes_.hidden * sizes_.element};
    if (sizes_.sequence_parallel) {
      list.push_back(communicate(OperatorKind::all_reduce, "pooler", Pass::forward, Group::tensor, first_tokens));
      list.back().dtype = dtype_;
    }
    list.push_back(dense("pooler", Pass::forward, sizes_.sequences, sizes_.hidden));
    list.back().saved = first_tokens;
    list.push_back(elementwise("pooler_tanh", Pass::forward, sizes_.sequences, 2));
    list.back().saved = first_tokens;
    list.push_back(dense("binary_head", Pass::forward, sizes_.sequences, kClasses));
    list.push_back(memory_bound(OperatorKind::cross_entropy, "binary_cross_entropy", Pass::forward, dtype_,
                                sizes_.sequences, kClasses, Bytes{sizes_.sequences * kClasses * 3 * kLogit}));
    list.back().saved = Bytes{sizes_.sequences * (kClasses + 1) * kLogit};
  }
  void binary_backward(std::vector<Operator>& list) const {
    list.push_back(memory_bound(OperatorKind::cross_entropy, "binary_cross_entropy", Pass::backward, dtype_,
                                sizes_.sequences, kClasses,
                                Bytes{sizes_.sequences * kClasses * (kLogit + sizes_.element)}));
    dense_backward(list, "binary_head", sizes_.sequences, kClasses);
    list.push_back(elementwise("pooler_tanh", Pass::backward, sizes_.sequences, 3));
    dense_backward(list, "pooler", sizes_.sequences, sizes_.hidden);
  }

  /// Whole on every rank: rows × hidden -> width. The two classes' logits are written in fp32.
  [[nodiscard]] Operator dense(std::string_view name, Pass pass, std::int64_t rows, std::int64_t width) const {
    return matrix_product(name, pass, dtype_, {rows, width, sizes_.hidden, 1}, sizes_.element,
                          width == kClasses ? kLogit : sizes_.element);
  }
  void dense_backward(std::vector<Operator>& list, std::string_view name, std::int64_t rows, std::int64_t width) const {
    list.push_back(matrix_product(name, Pass::input_gradient, dtype_, {rows, sizes_.hidden, width, 1}, sizes_.element,
                                  sizes_.element));
    list.push_back(matrix_product(name, Pass::weight_gradient, dtype_, {width, sizes_.hidden, rows, 1}, sizes_.element,
                                  2 * storage_size(scenario_.training.gradient_dtype).value()));
    bias_gradient(list, name, rows, width);
  }
  [[nodiscard]] Operator elementwise(std::string_view name, Pass pass, std::int64_t rows, std::int64_t passes) const {
    return memory_bound(OperatorKind::elementwise, name, pass, dtype_, rows, sizes_.hidden,
                        Bytes{passes * rows * sizes_.hidden * sizes_.element});
  }
  void bias_gradient(std::vector<Operator>& list, std::string_view name, std::int64_t rows, std::int64_t width) const {
    list.push_back(memory_bound(OperatorKind::elementwise, name, Pass::weight_gradient, dtype_, rows, width,
                                Bytes{rows * width * sizes_.element}));
  }

  static constexpr std::int64_t kClasses = 2;
  static constexpr std::int64_t kLogit = 4;  // fp32

  const Scenario& scenario_;
  const RankSizes& sizes_;
  RankSizes head_;
  DType dtype_;
  Linear output_;
};

}  // namespace

Block head_block(const Scenario& scenario, const RankSizes& sizes) { return Head{scenario, sizes}.block(); }

}  // namespace shardsim::model

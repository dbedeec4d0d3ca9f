#include "sim/model/end_operators.hpp"

#include <cmath>

#include "sim/model/operator_builders.hpp"

namespace shardsim::model {
namespace {

/// Bytes moved per logit by the loss, forward and backward, and kernels launched for it.
struct LossTraffic {
  std::int64_t forward;
  std::int64_t backward;
  int forward_launches;
  int backward_launches;
};

LossTraffic loss_traffic(CrossEntropy kind, std::int64_t element) {
  switch (kind) {
    case CrossEntropy::unfused:
      // Cast to fp32, row maximum, subtract and exponentiate, sum, divide; then scale and cast back.
      return {element + 4 + 4 + 8 + 4 + 8, 8 + 4 + element, 10, 6};
    case CrossEntropy::fused_native:
      return {element + 4 + 4 + 8, 8 + 4 + element, 4, 3};
    case CrossEntropy::fused_te:
      return {2 * element, 2 * element, 2, 1};
  }
  return {};
}

}  // namespace

Block embedding_block(const Scenario& scenario, const RankSizes& sizes) {
  const DType dtype = scenario.training.precision;
  const Bytes row_bytes = sizes.gathered_residual();
  const Bytes mask{scenario.model.hidden_dropout > 0 ? sizes.residual_tokens * sizes.hidden : 0};
  Block block;
  block.forward.push_back(memory_bound(OperatorKind::embedding, "word_embeddings", Pass::forward, dtype, sizes.tokens,
                                       sizes.hidden, 2 * row_bytes));
  if (sizes.tp > 1) {
    block.forward.push_back(
        communicate(sizes.sequence_parallel ? OperatorKind::reduce_scatter : OperatorKind::all_reduce,
                    "word_embeddings", Pass::forward, Group::tensor, row_bytes));
  }
  block.forward.push_back(memory_bound(OperatorKind::elementwise, "embedding_dropout", Pass::forward, dtype,
                                       sizes.residual_tokens, sizes.hidden, 4 * sizes.residual() + mask));
  block.forward.back().saved = mask;
  block.forward.back().launches = 2;

  if (scenario.model.hidden_dropout > 0) {
    block.backward.push_back(memory_bound(OperatorKind::elementwise, "embedding_dropout", Pass::backward, dtype,
                                          sizes.residual_tokens, sizes.hidden, 2 * sizes.residual() + mask));
  }
  if (sizes.sequence_parallel) {
    block.backward.push_back(
        communicate(OperatorKind::all_gather, "word_embeddings", Pass::backward, Group::tensor, row_bytes));
  }
  block.backward.push_back(memory_bound(OperatorKind::embedding, "word_embeddings", Pass::weight_gradient, dtype,
                                        sizes.tokens, sizes.hidden, 3 * row_bytes));
  return block;
}

Bytes saved_logits(const RankSizes& sizes) { return Bytes{sizes.tokens * sizes.loss_vocab * 4}; }

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

Block head_block(const Scenario& scenario, const RankSizes& sizes) {
  const RankSizes head = head_sizes(scenario, sizes);
  const DType dtype = scenario.training.precision;
  const Model& model = scenario.model;
  const std::int64_t logits = head.tokens * head.loss_vocab;
  const bool gathered = head.loss_vocab > head.vocab;
  const Linear output{scenario, head, "output_layer", Linear::Split::columns, head.hidden, head.vocab};
  const bool masked_lm = model.output_head != OutputHead::language_model;
  Block block;
  if (model.norm_placement == NormPlacement::pre) {
    block.forward.push_back(memory_bound(OperatorKind::normalization, "final_layernorm", Pass::forward, dtype,
                                         sizes.residual_tokens, sizes.hidden, 2 * sizes.residual()));
    block.forward.back().saved = sizes.residual();
  }
  if (masked_lm) {
    // BERT's transform: dense, activation, norm (Devlin et al. 2019); replicated over the tensor-parallel group.
    block.forward.push_back(matrix_product("lm_head_dense", Pass::forward, dtype,
                                           {head.residual_tokens, head.hidden, head.hidden, 1}, head.element,
                                           head.element));
    block.forward.back().saved = head.residual();
    block.forward.push_back(memory_bound(OperatorKind::elementwise, "lm_head_gelu", Pass::forward, dtype,
                                         head.residual_tokens, head.hidden, 2 * head.residual()));
    block.forward.back().saved = head.residual();
    block.forward.push_back(memory_bound(OperatorKind::normalization, "lm_head_layernorm", Pass::forward, dtype,
                                         head.residual_tokens, head.hidden, 2 * head.residual()));
    block.forward.back().saved = head.residual();
  }
  output.forward(block.forward, head.column_input());

  if (gathered) {
    block.forward.push_back(communicate(OperatorKind::all_gather, "gather_logits", Pass::forward, Group::tensor,
                                        Bytes{logits * head.element}));
  }
  const LossTraffic traffic = loss_traffic(scenario.training.cross_entropy, head.element);
  block.forward.push_back(memory_bound(OperatorKind::cross_entropy, "vocab_parallel_cross_entropy", Pass::forward,
                                       dtype, head.tokens, head.loss_vocab, Bytes{traffic.forward * logits}));
  block.forward.back().saved = saved_logits(head);
  block.forward.back().launches = traffic.forward_launches;
  if (head.tp > 1 && !gathered) {
    // Row maximum, predicted logit and sum of exponentials, fp32 (Shoeybi et al. 2019, section 3).
    for (const std::string_view name : {"logits_max", "predicted_logits", "sum_exp_logits"}) {
      block.forward.push_back(
          communicate(OperatorKind::all_reduce, name, Pass::forward, Group::tensor, Bytes{head.tokens * 4}));
      block.forward.back().dtype = DType::fp32;
    }
  }

  block.backward.push_back(memory_bound(OperatorKind::cross_entropy, "vocab_parallel_cross_entropy", Pass::backward,
                                        dtype, head.tokens, head.loss_vocab, Bytes{traffic.backward * logits}));
  block.backward.back().launches = traffic.backward_launches;
  output.backward(block.backward);
  if (masked_lm) {
    block.backward.push_back(memory_bound(OperatorKind::normalization, "lm_head_layernorm", Pass::backward, dtype,
                                          head.residual_tokens, head.hidden, 3 * head.residual()));
    block.backward.push_back(memory_bound(OperatorKind::elementwise, "lm_head_gelu", Pass::backward, dtype,
                                          head.residual_tokens, head.hidden, 3 * head.residual()));
    for (const Pass pass : {Pass::input_gradient, Pass::weight_gradient}) {
      const Shape shape = pass == Pass::input_gradient ? Shape{head.residual_tokens, head.hidden, head.hidden, 1}
                                                       : Shape{head.hidden, head.hidden, head.residual_tokens, 1};
      block.backward.push_back(matrix_product("lm_head_dense", pass, dtype, shape, head.element, head.element));
    }
  }
  if (model.norm_placement == NormPlacement::pre) {
    block.backward.push_back(memory_bound(OperatorKind::normalization, "final_layernorm", Pass::backward, dtype,
                                          sizes.residual_tokens, sizes.hidden, 3 * sizes.residual()));
    block.backward.back().launches = 2;
  }
  return block;
}

}  // namespace shardsim::model

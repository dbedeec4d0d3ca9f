#include "sim/model/attention_operators.hpp"

#include "sim/model/operator_builders.hpp"

namespace shardsim::model {
namespace {

/// The five products of the fused backward over the two of the forward (Dao 2023, section 3.1).
constexpr double kFusedBackwardOverForward = 2.5;

/// Passes over 2-byte scores by a softmax of single kernels: scale (1 + 1), mask (1 + 1), cast to fp32 (1 + 2), softmax
/// (2 + 2), cast back (2 + 1).
constexpr std::int64_t kEagerSoftmaxPasses = 14;

double causal_share(const Scenario& scenario) {
  return scenario.model.attention_mask == AttentionMask::causal ? 0.5 : 1.0;
}

Bytes query_key_value_bytes(const RankSizes& sizes) {
  return Bytes{sizes.tokens * (sizes.query_width + sizes.key_value_width) * sizes.element};
}
Bytes key_value_bytes(const RankSizes& sizes) { return Bytes{sizes.tokens * sizes.key_value_width * sizes.element}; }
Bytes output_bytes(const RankSizes& sizes) { return Bytes{sizes.tokens * sizes.query_width * sizes.element}; }

void rotary(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes, Pass pass) {
  if (scenario.model.position_embedding != PositionEmbedding::rotary) return;
  const std::int64_t width = sizes.query_width + sizes.key_value_width / 2;
  const bool fused = scenario.stack.fusion.rotary;
  list.push_back(memory_bound(OperatorKind::elementwise, "rotary_pos_emb", pass, scenario.training.precision,
                              sizes.tokens, width, Bytes{(fused ? 2 : 6) * sizes.tokens * width * sizes.element}));
  list.back().launches = fused ? 2 : 8;
}

/// Normalisation of queries and keys; its inputs are kept beside the normalised ones.
void query_key_norm(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes, Pass pass) {
  if (!scenario.model.qk_layernorm) return;
  const std::int64_t width = sizes.query_width + sizes.key_value_width / 2;
  const Bytes once{sizes.tokens * width * sizes.element};
  const bool forward = pass == Pass::forward;
  list.push_back(memory_bound(OperatorKind::normalization, "qk_layernorm", pass, scenario.training.precision,
                              sizes.tokens, width, (forward ? 2 : 3) * once));
  list.back().launches = forward ? 2 : 4;
  if (forward) list.back().saved = once;
}

/// Keys and values (p2p, all-gather) or heads (all-to-all) travel; `times` = 2 backward, where gradients return.
void context_parallel(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes, Pass pass) {
  if (sizes.cp == 1) return;
  const Bytes key_values = key_value_bytes(sizes);
  const bool forward = pass == Pass::forward;
  switch (scenario.parallelism.cp_comm_type) {
    case ContextParallelComm::p2p:
    case ContextParallelComm::a2a_p2p:
      // Ring attention (Liu et al. 2023): cp − 1 neighbour exchanges, beside the blocks' attention.
      list.push_back(communicate(OperatorKind::send_recv, "attention_kv_ring", pass, Group::context,
                                 (sizes.cp - 1) * (forward ? 1 : 2) * key_values));
      list.back().launches = static_cast<int>(sizes.cp - 1);
      list.back().overlapped = true;
      break;
    case ContextParallelComm::all_gather:
      list.push_back(
          communicate(OperatorKind::all_gather, "attention_kv_gather", pass, Group::context, sizes.cp * key_values));
      if (!forward) {
        list.push_back(communicate(OperatorKind::reduce_scatter, "attention_kv_gradient", pass, Group::context,
                                   sizes.cp * key_values));
      }
      break;
    case ContextParallelComm::a2a:
      // DeepSpeed-Ulysses (Jacobs et al. 2023): heads for sequence before, sequence for heads after.
      list.push_back(communicate(OperatorKind::all_to_all, "attention_heads_to_sequence", pass, Group::context,
                                 query_key_value_bytes(sizes)));
      list.push_back(communicate(OperatorKind::all_to_all, "attention_sequence_to_heads", pass, Group::context,
                                 output_bytes(sizes)));
      break;
  }
}

/// Kernels per block of ring attention: the attention, and two that merge its result into the running one.
constexpr int kRingKernels = 3;

/// Ring attention works in blocks: as many as there are context-parallel ranks, each on its share of the keys.
std::int64_t ring_blocks(const Scenario& scenario, const RankSizes& sizes) {
  const ContextParallelComm kind = scenario.parallelism.cp_comm_type;
  return kind == ContextParallelComm::p2p || kind == ContextParallelComm::a2a_p2p ? sizes.cp : 1;
}

Operator fused_attention(const Scenario& scenario, const RankSizes& sizes, Pass pass) {
  const std::int64_t blocks = ring_blocks(scenario, sizes);
  const std::int64_t batch = sizes.sequences * sizes.heads * blocks;
  const Shape shape{sizes.queries, sizes.keys / blocks, sizes.head_size, batch};
  Operator op = matrix_product("core_attention", pass, scenario.training.precision, shape, sizes.element, 0);
  op.kind = OperatorKind::attention;
  const double products = pass == Pass::forward ? 2.0 : 2.0 * kFusedBackwardOverForward;
  op.flops = Flops{op.flops.value() * products * causal_share(scenario)};
  op.bytes = (pass == Pass::forward ? 1 : 2) * (query_key_value_bytes(sizes) + output_bytes(sizes));
  op.launches = pass == Pass::forward ? 1 : 2;
  if (blocks > 1) op.launches *= kRingKernels * static_cast<int>(blocks);
  return op;
}

/// softmax(mask(Q·Kᵀ/√d)) and its dropout: 2 bytes of result and, with dropout, a mask byte and 2 bytes of the
/// dropped result per score (Korthikanti et al. 2022, section 4.1).
void unfused_forward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes, bool recomputed) {
  const DType dtype = scenario.training.precision;
  const std::int64_t batch = sizes.sequences * sizes.heads;
  const std::int64_t scores = sizes.scores();
  const std::int64_t rows = batch * sizes.queries;
  const bool fused = scenario.stack.fusion.masked_softmax;

  list.push_back(matrix_product("attention_scores", Pass::forward, dtype,
                                {sizes.queries, sizes.keys, sizes.head_size, batch}, sizes.element, sizes.element));
  list.push_back(memory_bound(OperatorKind::softmax, "scale_mask_softmax", Pass::forward, dtype, rows, sizes.keys,
                              Bytes{(fused ? 2 : kEagerSoftmaxPasses) * scores * sizes.element}));
  list.back().launches = fused ? 1 : 4;  // scale, mask, cast, softmax
  const double per_score =
      static_cast<double>(sizes.element) * (fused ? 1.0 : 2.0) + scenario.stack.saved.extra_per_attention_score;
  if (!recomputed) list.back().saved = rounded_bytes(per_score * static_cast<double>(scores));
  if (scenario.model.attention_dropout > 0) {
    list.push_back(memory_bound(OperatorKind::elementwise, "attention_dropout", Pass::forward, dtype, rows, sizes.keys,
                                Bytes{scores * (2 * sizes.element + 1)}));
    if (!recomputed) list.back().saved = Bytes{scores * (sizes.element + 1)};
  }
  list.push_back(matrix_product("attention_context", Pass::forward, dtype,
                                {sizes.queries, sizes.head_size, sizes.keys, batch}, sizes.element, sizes.element));
}

void unfused_backward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes) {
  const DType dtype = scenario.training.precision;
  const std::int64_t batch = sizes.sequences * sizes.heads;
  const std::int64_t rows = batch * sizes.queries;
  const std::int64_t scores = sizes.scores();
  const bool fused = scenario.stack.fusion.masked_softmax;
  const auto product = [&](std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k) {
    list.push_back(matrix_product(name, Pass::input_gradient, dtype, {m, n, k, batch}, sizes.element, sizes.element));
  };
  product("attention_context", sizes.queries, sizes.keys, sizes.head_size);
  product("attention_context", sizes.keys, sizes.head_size, sizes.queries);
  if (scenario.model.attention_dropout > 0) {
    list.push_back(memory_bound(OperatorKind::elementwise, "attention_dropout", Pass::backward, dtype, rows, sizes.keys,
                                Bytes{scores * (2 * sizes.element + 1)}));
  }
  list.push_back(memory_bound(OperatorKind::softmax, "scale_mask_softmax", Pass::backward, dtype, rows, sizes.keys,
                              Bytes{(fused ? 3 : kEagerSoftmaxPasses) * scores * sizes.element}));
  list.back().launches = fused ? 1 : 3;
  product("attention_scores", sizes.queries, sizes.head_size, sizes.keys);
  product("attention_scores", sizes.keys, sizes.head_size, sizes.queries);
}

}  // namespace

Bytes attention_output_bytes(const RankSizes& sizes) {
  return output_bytes(sizes) + Bytes{sizes.sequences * sizes.heads * sizes.queries * 4};
}

void core_attention_forward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes,
                            bool recomputed) {
  query_key_norm(list, scenario, sizes, Pass::forward);
  rotary(list, scenario, sizes, Pass::forward);
  context_parallel(list, scenario, sizes, Pass::forward);
  const std::size_t core = list.size();
  if (scenario.training.attention_kernel == AttentionKernel::flash) {
    list.push_back(fused_attention(scenario, sizes, Pass::forward));
    if (!recomputed) {
      const Bytes log_sum_exp = attention_output_bytes(sizes) - output_bytes(sizes);
      const Bytes output_copy = rounded_bytes(scenario.stack.saved.extra_per_flash_output_element *
                                              static_cast<double>(sizes.tokens * sizes.query_width));
      list.back().saved = log_sum_exp + output_copy;
    }
  } else {
    unfused_forward(list, scenario, sizes, recomputed);
  }
  list[core].saved += query_key_value_bytes(sizes);
}

void core_attention_backward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes) {
  context_parallel(list, scenario, sizes, Pass::backward);
  if (scenario.training.attention_kernel == AttentionKernel::flash) {
    list.push_back(fused_attention(scenario, sizes, Pass::backward));
  } else {
    unfused_backward(list, scenario, sizes);
  }
  rotary(list, scenario, sizes, Pass::backward);
  query_key_norm(list, scenario, sizes, Pass::backward);
}

}  // namespace shardsim::model

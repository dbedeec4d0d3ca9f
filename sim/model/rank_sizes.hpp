// Sizes that one rank sees for one micro batch, derived once from a scenario.
#pragma once

#include <cstdint>

#include "sim/model/scenario.hpp"

namespace shardsim::model {

/// Lengths in elements unless a field says bytes.
struct RankSizes {
  explicit RankSizes(const Scenario& scenario);

  std::int64_t tp;
  std::int64_t cp;
  bool sequence_parallel;
  bool keeps_gathered_inputs;
  /// Rows of the matrix products: sequences · tokens of this rank's context-parallel share.
  std::int64_t tokens;
  /// Rows of norms, dropout and residual: tokens / tp under sequence parallelism, else tokens.
  std::int64_t residual_tokens;
  std::int64_t hidden;
  /// Widths of this rank's shard of queries, of keys plus values, and of the ffn.
  std::int64_t query_width;
  std::int64_t key_value_width;
  std::int64_t ffn;
  /// Output width of the first ffn product: doubled by gated activations.
  std::int64_t fc1_width;
  std::int64_t heads;
  std::int64_t head_size;
  std::int64_t sequences;
  /// Queries and keys of one attention call.
  std::int64_t queries;
  std::int64_t keys;
  /// Columns of this rank's shard of the padded vocabulary, and of the logits that its loss sees.
  std::int64_t vocab;
  std::int64_t loss_vocab;
  /// Bytes of a stored activation or parameter.
  std::int64_t element;

  /// Bytes of one activation of the residual stream on this rank.
  [[nodiscard]] Bytes residual() const { return Bytes{residual_tokens * hidden * element}; }
  /// Bytes of the residual stream over the whole tensor-parallel group: what its collectives carry.
  [[nodiscard]] Bytes gathered_residual() const { return Bytes{tokens * hidden * element}; }
  /// Input of a column-parallel layer as it is kept for the backward pass.
  [[nodiscard]] Bytes column_input() const { return keeps_gathered_inputs ? gathered_residual() : residual(); }
  /// Attention scores: one per head, query and key.
  [[nodiscard]] std::int64_t scores() const { return sequences * heads * queries * keys; }
};

}  // namespace shardsim::model

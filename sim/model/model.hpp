// The transformer: what is trained, apart from how it is sharded, run or timed.
#pragma once

#include <cstdint>
#include <string>

namespace shardsim::model {

enum class Family { gpt, bert, llama, mpt };
enum class Normalization { layer_norm, rms_norm };
/// pre: x + f(norm(x)) (GPT-2, Megatron's BERT); post: norm(x + f(x)) (the original BERT).
enum class NormPlacement { pre, post };
enum class PositionEmbedding { learned, rotary, alibi, none };
enum class Activation { gelu, swiglu, squared_relu };
/// Which linear layers have a bias vector.
enum class LinearBias { all, none };
enum class AttentionMask { causal, bidirectional };
/// What follows the last layer: next-token logits; masked-LM head; masked-LM head and next-sentence head.
enum class OutputHead { language_model, masked_lm, masked_lm_and_binary };
/// tied: the output projection is the transposed word embedding (Press & Wolf 2017).
enum class OutputWeights { tied, untied };

/// Shapes in elements, per model (not per rank). Names are Megatron's.
struct Model {
  std::string name = "custom";
  Family family = Family::gpt;
  std::int64_t num_layers = 0;
  std::int64_t hidden_size = 0;
  std::int64_t ffn_hidden_size = 0;
  std::int64_t num_attention_heads = 0;
  /// Key/value heads: equals num_attention_heads without grouped-query attention (Ainslie et al. 2023).
  std::int64_t num_query_groups = 0;
  /// Size of one head.
  std::int64_t kv_channels = 0;
  std::int64_t seq_length = 0;
  std::int64_t max_position_embeddings = 0;
  /// Tokens of the vocabulary before padding.
  std::int64_t vocab_size = 0;
  std::int64_t make_vocab_size_divisible_by = 128;
  /// Segment embeddings (BERT: 2); 0 = none.
  std::int64_t num_token_types = 0;
  Normalization normalization = Normalization::layer_norm;
  NormPlacement norm_placement = NormPlacement::pre;
  PositionEmbedding position_embedding = PositionEmbedding::learned;
  Activation activation = Activation::gelu;
  LinearBias linear_bias = LinearBias::all;
  AttentionMask attention_mask = AttentionMask::causal;
  OutputHead output_head = OutputHead::language_model;
  OutputWeights output_weights = OutputWeights::tied;
  /// Normalisation of queries and keys per head.
  bool qk_layernorm = false;
  double hidden_dropout = 0.1;
  double attention_dropout = 0.1;
};

}  // namespace shardsim::model

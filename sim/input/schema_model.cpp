#include "sim/input/schema_builder.hpp"

namespace shardsim::input {

using model::Model;

void add_model_keys(std::vector<SchemaKey>& keys) {
  const auto section = [](auto& scenario) -> auto& { return scenario.model; };
  Fields(keys, "model", section)
      .text("name", &Model::name, "name of the model")
      .choice("family", &Model::family, "sets the architecture's defaults")
      .integer("num_layers", &Model::num_layers, {1, 10'000}, "transformer layers")
      .integer("hidden_size", &Model::hidden_size, {1, 1 << 20}, "width of the residual stream")
      .integer("ffn_hidden_size", &Model::ffn_hidden_size, {1, 1 << 22}, "width inside the feed-forward block")
      .integer("num_attention_heads", &Model::num_attention_heads, {1, 1 << 16}, "query heads")
      .integer("num_query_groups", &Model::num_query_groups, {1, 1 << 16}, "key/value heads")
      .integer("kv_channels", &Model::kv_channels, {1, 1 << 14}, "size of one head")
      .integer("seq_length", &Model::seq_length, {1, 1 << 22}, "tokens of a sequence")
      .integer("max_position_embeddings", &Model::max_position_embeddings, {1, 1 << 24}, "rows of learned positions")
      .integer("vocab_size", &Model::vocab_size, {1, 1 << 26}, "tokens of the vocabulary before padding")
      .integer("make_vocab_size_divisible_by", &Model::make_vocab_size_divisible_by, {1, 1 << 20},
               "the vocabulary is padded to a multiple of this × tp")
      .integer("num_token_types", &Model::num_token_types, {0, 1 << 10}, "segment embeddings")
      .choice("normalization", &Model::normalization, "kind of norm")
      .choice("norm_placement", &Model::norm_placement, "norm before or after the residual sum")
      .choice("position_embedding", &Model::position_embedding, "how positions enter")
      .choice("activation", &Model::activation, "activation of the feed-forward block")
      .choice("linear_bias", &Model::linear_bias, "which linear layers have a bias")
      .choice("attention_mask", &Model::attention_mask, "what a token sees")
      .choice("output_head", &Model::output_head, "what follows the last layer")
      .choice("output_weights", &Model::output_weights, "output projection shared with the word embedding or not")
      .flag("qk_layernorm", &Model::qk_layernorm, "norm of queries and keys")
      .number("hidden_dropout", &Model::hidden_dropout, {0.0, 0.999}, "dropout of residual branches and embedding")
      .number("attention_dropout", &Model::attention_dropout, {0.0, 0.999}, "dropout of attention probabilities");
}

}  // namespace shardsim::input

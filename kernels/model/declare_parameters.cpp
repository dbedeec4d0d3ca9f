#include <cmath>
#include <utility>

#include "kernels/model/chunk.hpp"
#include "kernels/model/placement.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::kernels {
namespace {

using model::NormPlacement;
using model::OutputHead;
using model::OutputWeights;

constexpr double kDeviation = 0.02;  // Megatron-LM's --init-method-std, as GPT-2's and BERT's

Initial constant(double value) { return {value == 0.0 ? Initial::Kind::zeros : Initial::Kind::ones, 0.0}; }

/// Appends one parameter after another. Shapes given are the whole model's.
class Declaration {
 public:
  Declaration(const model::Scenario& scenario, int tensor_rank)
      : scenario_{scenario}, sizes_{scenario}, tensor_rank_{tensor_rank} {}

  void embedding() {
    ++block_;
    const model::Model& model = scenario_.model;
    word_embedding();
    table("embedding.position_embeddings.weight", model.max_position_embeddings);
    if (model.num_token_types > 0) table("embedding.tokentype_embeddings.weight", model.num_token_types);
    if (model.norm_placement == NormPlacement::post) norm("embedding.layernorm");
  }

  void layer(std::int64_t index) {
    ++block_;
    const model::Model& model = scenario_.model;
    const std::int64_t h = model.hidden_size;
    const std::int64_t attention = model.num_attention_heads * model.kv_channels;
    const std::string prefix = "decoder.layers." + std::to_string(index) + ".";
    const bool pre = model.norm_placement == NormPlacement::pre;
    if (pre) norm(prefix + "input_layernorm");
    column_parallel(prefix + "self_attention.linear_qkv", 3 * attention, h);
    row_parallel(prefix + "self_attention.linear_proj", h, attention);
    norm(prefix + (pre ? "pre_mlp_layernorm" : "attention_output_layernorm"));
    column_parallel(prefix + "mlp.linear_fc1", model.ffn_hidden_size, h);
    row_parallel(prefix + "mlp.linear_fc2", h, model.ffn_hidden_size);
    if (!pre) norm(prefix + "output_layernorm");
  }

  /// `with_embedding`: the stage holds the embedding too.
  void head(bool with_embedding) {
    ++block_;
    const model::Model& model = scenario_.model;
    const std::int64_t h = model.hidden_size;
    if (model.norm_placement == NormPlacement::pre) norm("decoder.final_layernorm");
    if (model.output_head == OutputHead::masked_lm_and_binary) {
      replicated_linear("pooler", h, h, false);
      replicated_linear("binary_head", 2, h, false);
    }
    if (model.output_head != OutputHead::language_model) {
      replicated_linear("lm_head.dense", h, h, sizes_.sequence_parallel);
      norm("lm_head.layer_norm");
      vector("output_layer.bias", padded_vocab(), constant(0), Sharding::columns);
    }
    if (model.output_weights == OutputWeights::untied) {
      vocabulary_matrix("output_layer.weight");
    } else if (!with_embedding) {
      word_embedding();
      parameters_.back().counts_in_norm = false;
    }
  }

  [[nodiscard]] std::vector<Parameter> take() { return std::move(parameters_); }

 private:
  [[nodiscard]] std::int64_t padded_vocab() const { return padded_vocab_size(scenario_.model, scenario_.parallelism); }

  Parameter& add(std::string name, std::int64_t rows, std::int64_t columns, Initial initial, Sharding sharding) {
    Parameter& parameter = parameters_.emplace_back();
    parameter.name = std::move(name);
    parameter.rows = rows;
    parameter.columns = columns;
    parameter.sharding = sharding;
    parameter.initial = initial;
    parameter.block = block_;
    parameter.value.rows = sharding == Sharding::rows ? rows / sizes_.tp : rows;
    parameter.value.columns = sharding == Sharding::columns ? columns / sizes_.tp : columns;
    parameter.value.stride = parameter.value.columns;
    parameter.value.dtype = scenario_.training.precision;
    parameter.gradient = parameter.value;
    parameter.gradient.dtype = scenario_.training.gradient_dtype;
    if (sharding == Sharding::rows) parameter.first = tensor_rank_ * parameter.value.rows;
    if (sharding == Sharding::columns) parameter.first = tensor_rank_ * parameter.value.columns;
    parameter.counts_in_norm = sharding != Sharding::replicated || tensor_rank_ == 0;
    return parameter;
  }
  Parameter& vector(std::string name, std::int64_t length, Initial initial, Sharding sharding) {
    Parameter& parameter = add(std::move(name), 1, length, initial, sharding);
    parameter.weight_decay = false;
    return parameter;
  }

  void norm(const std::string& prefix) {
    vector(prefix + ".weight", scenario_.model.hidden_size, constant(1), Sharding::replicated)
        .sum_gradient_over_tensor_group = sizes_.sequence_parallel;
    vector(prefix + ".bias", scenario_.model.hidden_size, constant(0), Sharding::replicated)
        .sum_gradient_over_tensor_group = sizes_.sequence_parallel;
  }
  void column_parallel(const std::string& prefix, std::int64_t out, std::int64_t in) {
    add(prefix + ".weight", out, in, {Initial::Kind::normal, kDeviation}, Sharding::rows);
    vector(prefix + ".bias", out, constant(0), Sharding::columns);
  }
  void row_parallel(const std::string& prefix, std::int64_t out, std::int64_t in) {
    // Scaled by 1/√(2·layers): each layer adds two of these to the residual stream (Radford et al. 2019, section 2.3).
    const double scaled = kDeviation / std::sqrt(2.0 * static_cast<double>(scenario_.model.num_layers));
    add(prefix + ".weight", out, in, {Initial::Kind::normal, scaled}, Sharding::columns);
    vector(prefix + ".bias", out, constant(0), Sharding::replicated).sum_gradient_over_tensor_group =
        sizes_.sequence_parallel;
  }
  void replicated_linear(const std::string& prefix, std::int64_t out, std::int64_t in, bool sum_gradient) {
    add(prefix + ".weight", out, in, {Initial::Kind::normal, kDeviation}, Sharding::replicated)
        .sum_gradient_over_tensor_group = sum_gradient;
    vector(prefix + ".bias", out, constant(0), Sharding::replicated).sum_gradient_over_tensor_group = sum_gradient;
  }
  void table(const std::string& name, std::int64_t rows) {
    add(name, rows, scenario_.model.hidden_size, {Initial::Kind::normal, kDeviation}, Sharding::replicated)
        .sum_gradient_over_tensor_group = sizes_.sequence_parallel;
  }
  void vocabulary_matrix(const std::string& name) {
    add(name, padded_vocab(), scenario_.model.hidden_size, {Initial::Kind::normal, kDeviation}, Sharding::rows);
  }
  void word_embedding() {
    vocabulary_matrix("embedding.word_embeddings.weight");
    parameters_.back().shared_embedding =
        scenario_.parallelism.pipeline_model_parallel_size > 1 && scenario_.model.output_weights == OutputWeights::tied;
  }

  const model::Scenario& scenario_;
  model::RankSizes sizes_;
  int tensor_rank_;
  std::int64_t block_ = -1;
  std::vector<Parameter> parameters_;
};

}  // namespace

std::vector<Parameter> declare_parameters(const model::Scenario& scenario, const model::Stage& stage,
                                          std::int64_t stage_index, int tensor_rank) {
  Declaration declaration{scenario, tensor_rank};
  for (std::size_t chunk = 0; chunk < stage.chunks.size(); ++chunk) {
    if (stage.chunks[chunk].embedding) declaration.embedding();
    const std::int64_t first = place_of(scenario, stage_index, static_cast<std::int64_t>(chunk)).first_layer;
    for (std::int64_t i = 0; i < stage.chunks[chunk].layers; ++i) declaration.layer(first + i);
    if (stage.chunks[chunk].head) declaration.head(stage.has_embedding());
  }
  return declaration.take();
}

}  // namespace shardsim::kernels

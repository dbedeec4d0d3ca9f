#include "sim/model/parameters.hpp"

namespace shardsim::model {
namespace {

/// Parameters split over the tensor-parallel group, and those that every rank of it holds.
struct Count {
  std::int64_t sharded = 0;
  std::int64_t replicated = 0;
  [[nodiscard]] std::int64_t on_one_rank(std::int64_t tp) const { return sharded / tp + replicated; }
  [[nodiscard]] std::int64_t whole() const { return sharded + replicated; }
};

Count operator+(Count a, Count b) { return {a.sharded + b.sharded, a.replicated + b.replicated}; }
Count operator*(std::int64_t n, Count a) { return {n * a.sharded, n * a.replicated}; }

/// Weight and, with a mean-subtracting norm, bias.
std::int64_t norm_parameters(const Model& model, std::int64_t width) {
  return model.normalization == Normalization::layer_norm ? 2 * width : width;
}

Count layer_parameters(const Model& model) {
  const std::int64_t h = model.hidden_size;
  const std::int64_t q = model.num_attention_heads * model.kv_channels;
  const std::int64_t kv = 2 * model.num_query_groups * model.kv_channels;
  const std::int64_t fc1 = model.activation == Activation::swiglu ? 2 * model.ffn_hidden_size : model.ffn_hidden_size;
  Count count;
  count.sharded = h * (q + kv) + q * h + h * fc1 + model.ffn_hidden_size * h;
  count.replicated = 2 * norm_parameters(model, h);
  if (model.linear_bias == LinearBias::all) {
    count.sharded += q + kv + fc1;
    count.replicated += 2 * h;
  }
  if (model.qk_layernorm) count.replicated += 2 * norm_parameters(model, model.kv_channels);
  return count;
}

Count word_embedding(const Scenario& scenario) {
  return {padded_vocab_size(scenario.model, scenario.parallelism) * scenario.model.hidden_size, 0};
}

Count embedding_parameters(const Scenario& scenario) {
  const Model& model = scenario.model;
  Count count = word_embedding(scenario);
  if (model.position_embedding == PositionEmbedding::learned) {
    count.replicated += model.max_position_embeddings * model.hidden_size;
  }
  count.replicated += model.num_token_types * model.hidden_size;
  if (model.norm_placement == NormPlacement::post) count.replicated += norm_parameters(model, model.hidden_size);
  return count;
}

/// Pooler and classifier, which see the first token of each sequence.
std::int64_t binary_head_parameters(const Model& model) {
  const std::int64_t h = model.hidden_size;
  return model.output_head == OutputHead::masked_lm_and_binary ? h * h + h + 2 * h + 2 : 0;
}

/// Final norm and BERT's heads (Devlin et al. 2019: dense + norm before the tied decoder, pooler, 2-way classifier),
/// without the output projection's matrix.
Count head_parameters(const Scenario& scenario) {
  const Model& model = scenario.model;
  const std::int64_t h = model.hidden_size;
  Count count;
  if (model.norm_placement == NormPlacement::pre) count.replicated += norm_parameters(model, h);
  if (model.output_head != OutputHead::language_model) {
    count.replicated += h * h + h + norm_parameters(model, h);
    count.sharded += padded_vocab_size(model, scenario.parallelism);
  }
  count.replicated += binary_head_parameters(model);
  return count;
}

/// Multiply-accumulates of the linear layers of one transformer layer, per token.
double linear_macs(const Model& model) {
  const std::int64_t q = model.num_attention_heads * model.kv_channels;
  const std::int64_t kv = 2 * model.num_query_groups * model.kv_channels;
  const std::int64_t matrices = model.activation == Activation::swiglu ? 3 : 2;
  return static_cast<double>(model.hidden_size) * static_cast<double>(2 * q + kv + matrices * model.ffn_hidden_size);
}

/// Multiply-accumulates of scores and context of one layer, per token, every query against every key.
double attention_macs(const Model& model) {
  return 2.0 * static_cast<double>(model.seq_length) *
         static_cast<double>(model.num_attention_heads * model.kv_channels);
}

Count stage_parameters(const Scenario& scenario, const Stage& stage) {
  Count count = stage.layers() * layer_parameters(scenario.model);
  if (stage.has_embedding()) count = count + embedding_parameters(scenario);
  if (!stage.has_head()) return count;
  count = count + head_parameters(scenario);
  const bool shares_first_stages_matrix = scenario.model.output_weights == OutputWeights::tied && stage.has_embedding();
  return shares_first_stages_matrix ? count : count + word_embedding(scenario);
}

}  // namespace

std::int64_t total_parameters(const Scenario& scenario) {
  const Model& model = scenario.model;
  std::int64_t total =
      (model.num_layers * layer_parameters(model) + embedding_parameters(scenario) + head_parameters(scenario)).whole();
  if (model.output_weights == OutputWeights::untied) total += word_embedding(scenario).whole();
  return total;
}

std::int64_t layer_parameters_per_rank(const Scenario& scenario) {
  return layer_parameters(scenario.model).on_one_rank(scenario.parallelism.tensor_model_parallel_size);
}

std::int64_t word_embedding_per_rank(const Scenario& scenario) {
  return word_embedding(scenario).on_one_rank(scenario.parallelism.tensor_model_parallel_size);
}

std::int64_t rank_parameters(const Scenario& scenario, const Stage& stage) {
  return stage_parameters(scenario, stage).on_one_rank(scenario.parallelism.tensor_model_parallel_size);
}

std::int64_t sequence_parallel_parameters(const Scenario& scenario, const Stage& stage) {
  if (!scenario.parallelism.sequence_parallel || scenario.parallelism.tensor_model_parallel_size == 1) return 0;
  const std::int64_t whole_tokens = stage.has_head() ? binary_head_parameters(scenario.model) : 0;
  return stage_parameters(scenario, stage).replicated - whole_tokens;
}

IterationFlops iteration_flops(const Scenario& scenario) {
  const Model& model = scenario.model;
  const Recompute& recompute = scenario.training.recompute;
  const double tokens =
      static_cast<double>(scenario.training.global_batch_size) * static_cast<double>(model.seq_length);
  const auto layers = static_cast<double>(model.num_layers);
  const double linear = 2.0 * tokens * layers * linear_macs(model);
  const double attention = 2.0 * tokens * layers * attention_macs(model);
  const double logits = 2.0 * tokens * static_cast<double>(model.hidden_size) *
                        static_cast<double>(padded_vocab_size(model, scenario.parallelism));
  const double causal = model.attention_mask == AttentionMask::causal ? 0.5 : 1.0;

  double recomputed = 0.0;
  switch (recompute.granularity) {
    case RecomputeGranularity::none:
      break;
    case RecomputeGranularity::selective:
      if (recompute.modules.core_attention) recomputed += attention;
      if (recompute.modules.mlp) {
        recomputed += 2.0 * tokens * layers * static_cast<double>(model.hidden_size * model.ffn_hidden_size) *
                      (model.activation == Activation::swiglu ? 3.0 : 2.0);
      }
      break;
    case RecomputeGranularity::full: {
      std::int64_t repeated = 0;
      for (const Stage& stage : layout(model, scenario.parallelism, scenario.stack)) {
        for (const Chunk& chunk : stage.chunks) repeated += recomputed_layers(scenario, chunk);
      }
      recomputed += (linear + attention) * static_cast<double>(repeated) / layers;
      break;
    }
    case RecomputeGranularity::operators:
      recomputed += 0.5 * linear;
      break;
  }
  const double forward = linear + attention + logits;
  return {Flops{3.0 * forward}, Flops{3.0 * (linear + causal * attention + logits)}, Flops{3.0 * forward + recomputed}};
}

}  // namespace shardsim::model

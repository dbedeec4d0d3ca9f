#include "sim/memory/activations.hpp"

#include <algorithm>

#include "sim/memory/model_state.hpp"
#include "sim/model/end_operators.hpp"
#include "sim/model/loss_operators.hpp"
#include "sim/model/parameters.hpp"
#include "sim/schedule/in_flight.hpp"

namespace shardsim::memory {
namespace {

using model::OperatorKind;
using model::RecomputeGranularity;
using model::RecomputeMethod;

double logit_bytes(const model::Scenario& scenario) {
  switch (scenario.training.cross_entropy) {
    case model::CrossEntropy::unfused:
      return scenario.stack.logit_bytes.unfused;
    case model::CrossEntropy::fused_native:
      return scenario.stack.logit_bytes.fused_native;
    case model::CrossEntropy::fused_te:
      return scenario.stack.logit_bytes.fused_te;
    case model::CrossEntropy::in_place:
      // fp32, and the gradient in the format of the products where that is another.
      return needs_master_weights(scenario.training.precision) ? 6.0 : 4.0;
  }
  return 0.0;
}

/// Gradients that live at once while a layer's ffn or attention runs backward.
Bytes layer_gradients(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const std::int64_t residual_gradients = 2 * sizes.residual().value();
  const std::int64_t ffn = sizes.tokens * (sizes.ffn + sizes.fc1_width) * sizes.element;
  std::int64_t attention = 2 * sizes.tokens * (sizes.query_width + sizes.key_value_width) * sizes.element;
  if (scenario.training.attention_kernel == model::AttentionKernel::unfused) {
    attention += 2 * sizes.scores() * sizes.element;
    const bool again = scenario.training.recompute.granularity == RecomputeGranularity::selective &&
                       scenario.training.recompute.modules.core_attention;
    const bool dropout = scenario.model.attention_dropout > 0;
    if (again) attention += sizes.scores() * (sizes.element + (dropout ? sizes.element + 1 : 0));
  }
  return Bytes{residual_gradients + std::max(ffn, attention)};
}

/// Layers of a chunk that keep everything, and inputs kept of the recomputed ones.
struct SavedLayers {
  std::int64_t whole;
  std::int64_t inputs;
};
SavedLayers saved_layers(const model::Scenario& scenario, const model::Chunk& chunk) {
  const model::Recompute& recompute = scenario.training.recompute;
  const std::int64_t recomputed = recomputed_layers(scenario, chunk);
  const bool groups = recompute.method == RecomputeMethod::uniform;
  return {chunk.layers - recomputed,
          groups ? (recomputed + recompute.num_layers - 1) / recompute.num_layers : recomputed};
}

/// ZeRO-3 holds about two layers' parameters and one layer's gradients whole (Rajbhandari et al. 2020, section 5.3),
/// and the embedding while the ends run.
Bytes gathered_parameters(const model::Scenario& scenario, const model::Stage& stage) {
  const bool whole = model::traffic_zero_stage(scenario) < scenario.parallelism.zero_stage;
  if (whole || shards(scenario.parallelism).parameters == 1) return Bytes{0};
  const std::int64_t stored = storage_size(scenario.training.precision).value();
  const std::int64_t gradient = storage_size(scenario.training.gradient_dtype).value();
  const std::int64_t ends = stage.has_embedding() || stage.has_head() ? word_embedding_per_rank(scenario) : 0;
  return Bytes{layer_parameters_per_rank(scenario) * (2 * stored + gradient) + ends * stored};
}

}  // namespace

Bytes saved_by(const model::Block& block) {
  Bytes saved{0};
  for (const model::Operator& op : block.forward) {
    if (op.kind != OperatorKind::cross_entropy) saved += op.saved;
  }
  return saved;
}

std::vector<Bytes> saved_tensors(const model::Scenario& scenario, const model::OperatorList& operators,
                                 const model::Chunk& chunk) {
  const SavedLayers layers = saved_layers(scenario, chunk);
  std::vector<Bytes> tensors;
  tensors.reserve(static_cast<std::size_t>(layers.inputs + layers.whole + 2));
  if (chunk.embedding) tensors.push_back(saved_by(operators.embedding));
  tensors.insert(tensors.end(), static_cast<std::size_t>(layers.inputs), saved_by(operators.recomputed_layer));
  tensors.insert(tensors.end(), static_cast<std::size_t>(layers.whole), saved_by(operators.layer));
  if (chunk.head) tensors.push_back(saved_by(operators.head));
  return tensors;
}

SavedBytes::SavedBytes(const model::OperatorList& operators)
    : layer{saved_by(operators.layer)},
      recomputed_layer{saved_by(operators.recomputed_layer)},
      embedding{saved_by(operators.embedding)},
      head{saved_by(operators.head)},
      layer_operands{weight_gradient_operands(operators.layer)} {}

Bytes chunk_activations(const model::Scenario& scenario, const SavedBytes& saved, const model::Chunk& chunk) {
  const SavedLayers layers = saved_layers(scenario, chunk);
  Bytes bytes = layers.whole * saved.layer + layers.inputs * saved.recomputed_layer;
  if (chunk.embedding) bytes += saved.embedding;
  if (chunk.head) bytes += saved.head;
  return bytes;
}

Bytes weight_gradient_operands(const model::Block& block) {
  Bytes operands{0};
  for (const model::Operator& op : block.backward) {
    if (op.pass != model::Pass::weight_gradient || op.kind != OperatorKind::gemm) continue;
    operands += Bytes{(op.shape.m + op.shape.n) * op.shape.k * storage_size(op.dtype).value()};
  }
  return operands;
}

namespace {

std::vector<Bytes> chunks_of(const model::Scenario& scenario, const SavedBytes& saved, const model::Stage& stage) {
  std::vector<Bytes> chunks;
  chunks.reserve(stage.chunks.size());
  for (const model::Chunk& chunk : stage.chunks) chunks.push_back(chunk_activations(scenario, saved, chunk));
  return chunks;
}

}  // namespace

Bytes stage_activations(const model::Scenario& scenario, const SavedBytes& saved, const model::Stage& stage,
                        std::int64_t stage_index) {
  const std::vector<Bytes> chunks = chunks_of(scenario, saved, stage);
  const std::int64_t m = micro_batches(scenario);
  const Bytes held = schedule::most_held(scenario.parallelism, m, stage_index, chunks);
  const std::int64_t pending = schedule::weight_gradients_pending(scenario.parallelism, m, stage_index);
  if (pending == 0) return held;
  // One chunk a stage.
  const Bytes operands = stage.chunks.front().layers * saved.layer_operands;
  return held - pending * (chunks.front() - std::min(chunks.front(), operands));
}

ActivationBounds bound_stage_activations(const model::Scenario& scenario, const SavedBytes& saved,
                                         const model::Stage& stage, std::int64_t stage_index) {
  if (!schedule::is_interleaved(scenario.parallelism)) {
    const Bytes exact = stage_activations(scenario, saved, stage, stage_index);
    return {exact, exact};
  }
  const std::vector<Bytes> chunks = chunks_of(scenario, saved, stage);
  const auto [least, most] = std::minmax_element(chunks.begin(), chunks.end());
  const std::int64_t held = schedule::chunks_in_flight(scenario.parallelism, micro_batches(scenario), stage_index);
  return {held * *least, held * *most};
}

Bytes pipeline_buffers(const model::Scenario& scenario, const model::RankSizes& sizes) {
  constexpr std::int64_t kBuffers = 4;  // activation and gradient, received and sent
  return scenario.parallelism.pipeline_model_parallel_size > 1 ? kBuffers * sizes.residual() : Bytes{0};
}

Bytes backward_temporaries(const model::Scenario& scenario, const SavedBytes& saved, const model::RankSizes& sizes,
                           const model::Stage& stage) {
  const model::Recompute& recompute = scenario.training.recompute;
  const bool whole_layers = recompute.granularity == RecomputeGranularity::full;
  const std::int64_t at_once =
      recompute.method == RecomputeMethod::uniform ? std::min(recompute.num_layers, stage.layers()) : 1;
  Bytes bytes = layer_gradients(scenario, sizes) + gathered_parameters(scenario, stage);
  if (whole_layers || recompute.granularity == RecomputeGranularity::operators) {
    model::Scenario without = scenario;
    without.training.recompute.granularity = RecomputeGranularity::none;
    const Bytes layer = whole_layers ? saved.layer : saved_by(list_operators(without).layer);
    bytes += (whole_layers ? at_once : 1) * layer;
  }
  return bytes;
}

Bytes kept_placeholders(const model::Scenario& scenario, const model::RankSizes& sizes) {
  if (scenario.stack.placeholder_gradients != model::PlaceholderGradients::cached) return Bytes{0};
  const std::int64_t columns = sizes.query_width + sizes.key_value_width + sizes.fc1_width;
  const std::int64_t rows = sizes.query_width + sizes.ffn;
  return Bytes{sizes.hidden * (columns + rows) * sizes.element};
}

Bytes output_layer_gradients(const model::Scenario& scenario, const model::RankSizes& sizes) {
  if (scenario.stack.placeholder_gradients == model::PlaceholderGradients::none) return Bytes{0};
  const Bytes logits{sizes.tokens * sizes.loss_vocab * sizes.element};
  const Bytes placeholder{sizes.hidden * sizes.vocab * sizes.element};
  return logits + placeholder + (sizes.sequence_parallel ? 2 : 1) * sizes.gathered_residual();
}

Logits logits(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const model::Training& training = scenario.training;
  Logits logits;
  logits.peak = rounded_bytes(logit_bytes(scenario) * static_cast<double>(sizes.tokens * sizes.loss_vocab));
  logits.softmax = std::min(logits.peak, saved_logits(sizes));
  // The gathered pieces and their concatenation, beside this rank's own.
  if (sizes.loss_vocab > sizes.vocab) logits.peak += Bytes{2 * sizes.tokens * sizes.loss_vocab * sizes.element};
  if (training.defer_embedding_wgrad_compute) {
    const std::int64_t passes = micro_batches(scenario);
    logits.most_deferred = training.wgrad_deferral_limit > 0 ? std::min(passes, training.wgrad_deferral_limit) : passes;
    logits.deferred = Bytes{sizes.tokens * (sizes.vocab + sizes.hidden) * sizes.element};
  }
  return logits;
}

Bytes kept_logits(const model::Scenario& scenario, const Logits& logits) {
  if (!schedule::runs_all_forwards_first(scenario.parallelism.schedule)) return logits.most_deferred * logits.deferred;
  // The peak is the first backward: from then on more goes with each micro batch than a deferred gradient adds.
  return std::min<std::int64_t>(1, logits.most_deferred) * logits.deferred +
         (micro_batches(scenario) - 1) * logits.softmax;
}

}  // namespace shardsim::memory

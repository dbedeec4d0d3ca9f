#include "sim/memory/activations.hpp"

#include <algorithm>

#include "sim/memory/model_state.hpp"
#include "sim/model/end_operators.hpp"
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

Bytes chunk_activations(const model::Scenario& scenario, const model::OperatorList& operators,
                        const model::Chunk& chunk) {
  const model::Recompute& recompute = scenario.training.recompute;
  const std::int64_t recomputed = recomputed_layers(scenario, chunk);
  const std::int64_t inputs = recompute.method == RecomputeMethod::uniform
                                  ? (recomputed + recompute.num_layers - 1) / recompute.num_layers
                                  : recomputed;
  Bytes bytes = (chunk.layers - recomputed) * saved_by(operators.layer) + inputs * saved_by(operators.recomputed_layer);
  if (chunk.embedding) bytes += saved_by(operators.embedding);
  if (chunk.head) bytes += saved_by(operators.head);
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

Bytes stage_activations(const model::Scenario& scenario, const model::OperatorList& operators,
                        const model::Stage& stage, std::int64_t stage_index) {
  const std::vector<std::int64_t> in_flight =
      schedule::in_flight_by_chunk(scenario.parallelism, micro_batches(scenario), stage_index);
  const std::int64_t pending =
      schedule::weight_gradients_pending(scenario.parallelism, micro_batches(scenario), stage_index);
  Bytes bytes{0};
  for (std::size_t chunk = 0; chunk < stage.chunks.size(); ++chunk) {
    const Bytes whole = chunk_activations(scenario, operators, stage.chunks[chunk]);
    bytes += (in_flight[chunk] - pending) * whole;
    if (pending == 0) continue;
    bytes += pending * std::min(whole, stage.chunks[chunk].layers * weight_gradient_operands(operators.layer));
  }
  return bytes;
}

Bytes pipeline_buffers(const model::Scenario& scenario, const model::RankSizes& sizes) {
  constexpr std::int64_t kBuffers = 4;  // activation and gradient, received and sent
  return scenario.parallelism.pipeline_model_parallel_size > 1 ? kBuffers * sizes.residual() : Bytes{0};
}

Bytes backward_temporaries(const model::Scenario& scenario, const model::OperatorList& operators,
                           const model::RankSizes& sizes, const model::Stage& stage) {
  const model::Recompute& recompute = scenario.training.recompute;
  const bool whole_layers = recompute.granularity == RecomputeGranularity::full;
  const std::int64_t at_once =
      recompute.method == RecomputeMethod::uniform ? std::min(recompute.num_layers, stage.layers()) : 1;
  Bytes bytes = layer_gradients(scenario, sizes) + gathered_parameters(scenario, stage);
  if (whole_layers || recompute.granularity == RecomputeGranularity::operators) {
    model::Scenario without = scenario;
    without.training.recompute.granularity = RecomputeGranularity::none;
    const Bytes layer = whole_layers ? saved_by(operators.layer) : saved_by(list_operators(without).layer);
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

Bytes loss_logits(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const auto logits = static_cast<double>(sizes.tokens * sizes.loss_vocab);
  Bytes bytes = rounded_bytes(logit_bytes(scenario) * logits);
  // The gathered pieces and their concatenation, beside this rank's own.
  if (sizes.loss_vocab > sizes.vocab) bytes += Bytes{2 * sizes.tokens * sizes.loss_vocab * sizes.element};
  const model::Training& training = scenario.training;
  const std::int64_t passes = micro_batches(scenario);
  if (training.defer_embedding_wgrad_compute) {
    const std::int64_t waiting =
        training.wgrad_deferral_limit > 0 ? std::min(passes, training.wgrad_deferral_limit) : passes;
    bytes += Bytes{waiting * sizes.tokens * (sizes.vocab + sizes.hidden) * sizes.element};
  }
  if (scenario.parallelism.schedule == model::Schedule::gpipe) bytes += (passes - 1) * saved_logits(sizes);
  return bytes;
}

}  // namespace shardsim::memory

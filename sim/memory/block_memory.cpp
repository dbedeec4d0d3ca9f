#include "sim/memory/block_memory.hpp"

#include <algorithm>

#include "sim/model/operators.hpp"

namespace shardsim::memory {
namespace {

Held activations(Bytes bytes) { return {bytes, Bytes{0}, Bytes{0}}; }
Held temporaries(Bytes bytes) { return {Bytes{0}, bytes, Bytes{0}}; }
Held logits(Bytes bytes) { return {Bytes{0}, Bytes{0}, bytes}; }

/// Sizes that all blocks share.
struct Tensors {
  Tensors(const model::Scenario& scenario, const model::RankSizes& sizes)
      : residual{sizes.residual()},
        gathered{sizes.sequence_parallel ? sizes.gathered_residual() : Bytes{0}},
        mask{scenario.model.hidden_dropout > 0 ? sizes.residual_tokens * sizes.hidden : 0},
        statistics{sizes.residual_tokens * scenario.stack.saved.norm_statistics} {}

  /// One activation or gradient of the residual stream on this rank.
  Bytes residual;
  /// The same of the whole tensor-parallel group, under sequence parallelism; else nothing is gathered.
  Bytes gathered;
  Bytes mask;
  Bytes statistics;
};

/// Attention or feed-forward between two linear layers.
struct Branch {
  /// Output of the column-parallel linear.
  Bytes projected;
  /// Input of the row-parallel linear.
  Bytes inner;
  /// Kept of what lies between, and what lies there only while the forward pass (or its repetition) runs.
  Bytes core;
  Bytes forgotten_core;
  /// Gradients of the scores.
  Bytes scores;
};

Branch attention(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const model::Recompute& recompute = scenario.training.recompute;
  const bool again =
      recompute.granularity == model::RecomputeGranularity::selective && recompute.modules.core_attention;
  const std::int64_t each = sizes.element + (scenario.model.attention_dropout > 0 ? sizes.element + 1 : 0);
  const Bytes core{sizes.scores() * each};
  Branch branch;
  branch.projected = Bytes{sizes.tokens * (sizes.query_width + sizes.key_value_width) * sizes.element};
  branch.inner = Bytes{sizes.tokens * sizes.query_width * sizes.element};
  branch.core = again ? Bytes{0} : core;
  branch.forgotten_core = again ? core : Bytes{0};
  branch.scores = Bytes{sizes.scores() * sizes.element};
  return branch;
}

Branch mlp(const model::RankSizes& sizes) {
  Branch branch;
  branch.projected = Bytes{sizes.tokens * sizes.fc1_width * sizes.element};
  branch.inner = Bytes{sizes.tokens * sizes.ffn * sizes.element};
  return branch;
}

/// Largest sum of gradients while the branch and its residual sum run backward, that of the output included.
Bytes branch_gradients(const Tensors& sizes, const Branch& branch) {
  const Bytes residual = sizes.residual;
  const Bytes dropped = sizes.mask > Bytes{0} ? residual : Bytes{0};
  const bool gathers = sizes.gathered > Bytes{0};
  const Bytes gathering = residual + dropped + sizes.gathered;
  const Bytes rows = residual + (gathers ? sizes.gathered : dropped) + branch.inner;
  // The output of a repeated core is thrown away before the gradients begin.
  const Bytes again = residual + branch.inner + branch.forgotten_core + branch.inner;
  const Bytes core = residual + branch.inner + branch.forgotten_core + branch.scores + branch.projected;
  // Under sequence parallelism the gathered input, the partial gradient and its reduced part.
  const Bytes columns = residual + branch.projected + 2 * sizes.gathered + residual;
  const bool attends = branch.scores > Bytes{0};
  const Bytes inside = attends ? std::max(branch.forgotten_core > Bytes{0} ? again : Bytes{0}, core) : Bytes{0};
  return std::max({gathering, rows, inside, columns});
}

/// Norm, branch and residual sum.
BlockMemory half_layer(const Tensors& sizes, const Branch& branch, bool pre_norm) {
  const Bytes residual = sizes.residual;
  const Bytes norm = pre_norm ? residual + sizes.statistics : Bytes{0};
  const Held projected = activations(residual + norm + branch.projected);
  const Held inner = projected + activations(branch.inner + branch.core);
  const Held output = inner + activations(residual);
  BlockMemory memory;
  // Post-norm keeps the sum and its statistics; its output is the norm's.
  memory.saved = (pre_norm ? inner : output + activations(sizes.statistics)) + activations(sizes.mask);
  memory.forward = largest({projected + temporaries(sizes.gathered), inner + temporaries(branch.forgotten_core),
                            output + temporaries(sizes.gathered), memory.saved + activations(residual)});
  memory.backward = memory.saved + temporaries(branch_gradients(sizes, branch));
  return memory;
}

bool pre_norm(const model::Scenario& scenario) { return scenario.model.norm_placement == model::NormPlacement::pre; }

}  // namespace

Held operator+(Held a, Held b) {
  return {a.activations + b.activations, a.temporaries + b.temporaries, a.logits + b.logits};
}
Held operator-(Held a, Held b) {
  return {a.activations - b.activations, a.temporaries - b.temporaries, a.logits - b.logits};
}
Held operator*(std::int64_t n, Held a) { return {n * a.activations, n * a.temporaries, n * a.logits}; }

Held largest(std::initializer_list<Held> moments) {
  return *std::max_element(moments.begin(), moments.end(),
                           [](const Held& a, const Held& b) { return a.total() < b.total(); });
}

BlockMemory followed_by(const BlockMemory& first, const BlockMemory& second) {
  return {largest({first.forward, first.saved + second.forward}), first.saved + second.saved,
          largest({first.backward, first.saved + second.backward})};
}

BlockMemory repeated(const BlockMemory& block, std::int64_t count) {
  if (count == 0) return {};
  const Held before = (count - 1) * block.saved;
  return {before + block.forward, count * block.saved, before + block.backward};
}

BlockMemory embedding_memory(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const Tensors tensors{scenario, sizes};
  const Bytes norm = pre_norm(scenario) ? Bytes{0} : tensors.residual + tensors.statistics;
  BlockMemory memory;
  memory.saved = activations(norm + tensors.mask);
  memory.forward = largest(
      {temporaries(tensors.gathered) + activations(tensors.residual), memory.saved + activations(tensors.residual)});
  memory.backward = memory.saved + temporaries(tensors.residual + tensors.gathered);
  return memory;
}

BlockMemory layer_memory(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const Tensors tensors{scenario, sizes};
  const bool pre = pre_norm(scenario);
  return followed_by(half_layer(tensors, attention(scenario, sizes), pre), half_layer(tensors, mlp(sizes), pre));
}

BlockMemory recomputed_layers_memory(const BlockMemory& layer, const model::RankSizes& sizes, std::int64_t layers) {
  const Bytes residual = sizes.residual();
  // All but the first layer's input is temporary.
  const auto beside_input = [&](Held held) { return activations(residual) + temporaries(held.total() - residual); };
  const Held forward = layers > 1 ? layer.forward + activations(residual) : layer.forward;
  const BlockMemory again = repeated(layer, layers);
  return {beside_input(forward), activations(residual),
          largest({beside_input(again.forward) + temporaries(residual), beside_input(again.backward)})};
}

BlockMemory head_memory(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const Tensors tensors{scenario, sizes};
  const Bytes residual = tensors.residual;
  const bool pre = pre_norm(scenario);
  const bool masked_lm = scenario.model.output_head != model::OutputHead::language_model;
  const bool binary = scenario.model.output_head == model::OutputHead::masked_lm_and_binary;
  const std::int64_t pooled = sizes.sequences * sizes.hidden * sizes.element;
  constexpr std::int64_t kNumber = 4;  // fp32

  const Held hidden = activations(residual + (pre ? residual + tensors.statistics : Bytes{0}));
  const Held transform = activations(masked_lm ? 2 * residual + tensors.statistics : Bytes{0});
  const Held transformed = activations(masked_lm ? residual : Bytes{0});
  const Held sentences =
      binary ? activations(Bytes{2 * pooled}) + logits(Bytes{sizes.sequences * 3 * kNumber}) : Held{};
  const Bytes exponentials{sizes.tokens * sizes.vocab * kNumber};
  const bool narrow = needs_master_weights(scenario.training.precision);
  const Held gradient_of_logits = logits(narrow ? Bytes{sizes.tokens * sizes.vocab * sizes.element} : Bytes{0});
  const Held kept_of_logits = narrow ? gradient_of_logits : logits(exponentials);
  const Held sum = logits(Bytes{sizes.tokens * kNumber});
  const Held inputs = hidden + sentences + transform + transformed + sum;

  BlockMemory memory;
  memory.saved = inputs + logits(exponentials);
  memory.forward = largest({memory.saved - sum + temporaries(tensors.gathered),
                            memory.saved + temporaries(Bytes{2 * sizes.tokens * kNumber})});
  const Bytes columns = tensors.gathered > Bytes{0} ? 2 * tensors.gathered + residual : residual;
  memory.backward = largest({memory.saved + gradient_of_logits, inputs + kept_of_logits + temporaries(columns),
                             inputs + temporaries(masked_lm ? 2 * residual : residual)});
  return memory;
}

BlockMemory chunk_memory(const model::Scenario& scenario, const model::Chunk& chunk) {
  const model::RankSizes sizes{scenario};
  const model::Recompute& recompute = scenario.training.recompute;
  const BlockMemory layer = layer_memory(scenario, sizes);
  const std::int64_t recomputed = recomputed_layers(scenario, chunk);
  const std::int64_t group = recompute.method == model::RecomputeMethod::uniform ? recompute.num_layers : 1;
  BlockMemory memory;
  const auto append = [&](const BlockMemory& block) { memory = followed_by(memory, block); };
  if (chunk.embedding) append(embedding_memory(scenario, sizes));
  if (recomputed >= group) {
    append(repeated(recomputed_layers_memory(layer, sizes, group), recomputed / group));
  }
  if (recomputed % group > 0) append(recomputed_layers_memory(layer, sizes, recomputed % group));
  if (chunk.layers > recomputed) append(repeated(layer, chunk.layers - recomputed));
  if (chunk.head) append(head_memory(scenario, sizes));
  return memory;
}

}  // namespace shardsim::memory

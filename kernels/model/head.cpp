#include "kernels/model/head.hpp"

#include <algorithm>
#include <limits>

namespace shardsim::kernels {
namespace {

using model::OutputHead;
using model::OutputWeights;
using model::Pass;

const Parameter& output_weight(const model::Scenario& scenario, const ParameterMap& map) {
  const bool tied = scenario.model.output_weights == OutputWeights::tied;
  return map.at(tied ? "embedding.word_embeddings.weight" : "output_layer.weight");
}

const Parameter* output_bias(const model::Scenario& scenario, const ParameterMap& map) {
  return scenario.model.output_head == OutputHead::language_model ? nullptr : &map.at("output_layer.bias");
}

}  // namespace

Head::Head(const model::Scenario& scenario, const ParameterMap& map)
    : output_{"output_layer", output_weight(scenario, map), output_bias(scenario, map)} {
  if (scenario.model.norm_placement == model::NormPlacement::pre) {
    norm_.emplace("final_layernorm", map, "decoder.final_layernorm");
  }
  if (scenario.model.output_head != OutputHead::language_model) transform_.emplace(map);
  if (scenario.model.output_head == OutputHead::masked_lm_and_binary) binary_.emplace(map);
}

LossRows Head::loss_rows(const MicroBatch& batch, const Matrix& total) const {
  return {batch.targets.data(), output_.weight().first, batch.loss_weights, total};
}

void Head::exclude_padding(Runner& runner, const Matrix& logits) const {
  // Rows that pad the vocabulary differ with the tensor-parallel size; they take no part in the softmax.
  const std::int64_t valid =
      std::clamp(runner.scenario().model.vocab_size - output_.weight().first, std::int64_t{0}, logits.columns);
  if (valid == logits.columns) return;
  runner.operations().backend().fill(logits.column_range(valid, logits.columns - valid),
                                     std::numeric_limits<float>::lowest());
}

void Head::forward(Runner& runner, const MicroBatch& batch, Tensor input, const Totals& totals, Saved& saved) const {
  const model::RankSizes& sizes = runner.sizes();
  const ForwardMode mode;
  if (norm_) {
    saved.input = std::move(input);
    saved.hidden = runner.tensor(mode.kept, sizes.residual_tokens, sizes.hidden);
    saved.statistics = norm_->forward(runner, mode, saved.input, saved.hidden);
  } else {
    saved.hidden = std::move(input);
  }
  if (binary_) binary_->forward(runner, batch, saved.hidden, totals.sentence_order, saved.binary);
  if (transform_) saved.transformed = transform_->forward(runner, saved.hidden, saved.transform);
  const Matrix& x = transform_ ? saved.transformed : saved.hidden;
  saved.logits = runner.fp32(Component::logits, sizes.tokens, sizes.vocab);
  output_.forward(runner, mode.pass, x, saved.logits, true);
  exclude_padding(runner, saved.logits);
  saved.sum = CrossEntropy::forward(runner, saved.logits, loss_rows(batch, totals.language_model));
}

Tensor Head::logit_gradient(Runner& runner, const LossRows& rows, Saved& saved) const {
  const bool in_place = runner.precision() == DType::fp32;
  Tensor narrow;
  if (!in_place) narrow = runner.tensor(Component::logits, saved.logits.view().rows, saved.logits.view().columns);
  CrossEntropy::backward(runner, saved.logits, saved.sum, rows, in_place ? saved.logits : narrow);
  return in_place ? std::move(saved.logits) : std::move(narrow);
}

Tensor Head::backward(Runner& runner, const MicroBatch& batch, const Totals& totals, Saved saved) const {
  Tensor dlogits = logit_gradient(runner, loss_rows(batch, totals.language_model), saved);
  saved.logits.reset();
  Tensor gradient = output_.backward(runner, dlogits, transform_ ? saved.transformed : saved.hidden);
  dlogits.reset();
  if (transform_) {
    gradient = transform_->backward(runner, std::move(gradient), saved.hidden, std::move(saved.transform));
  }
  if (binary_) binary_->backward(runner, batch, gradient, std::move(saved.binary));
  if (norm_) norm_->backward(runner, gradient, saved.input, saved.statistics);
  return gradient;
}

}  // namespace shardsim::kernels

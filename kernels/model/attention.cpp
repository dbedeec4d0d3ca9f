#include "kernels/model/attention.hpp"

#include <cmath>

#include "kernels/model/random_key.hpp"

namespace shardsim::kernels {
namespace {

using model::OperatorKind;
using model::Pass;

/// One batch member per (sequence, head): rows of [s·b, b-interleaved] activations are `sequences` rows apart, and
/// because a row holds all heads of a sequence, member i = sequence·heads + head starts i·(its share of a row) further.
MatrixBatch per_head(const Runner& runner, const Matrix& activation, std::int64_t first_column, std::int64_t columns) {
  const model::RankSizes& sizes = runner.sizes();
  Matrix head = activation.column_range(first_column, columns);
  head.rows = sizes.queries;
  head.stride = sizes.sequences * activation.stride;
  return {head, sizes.sequences * sizes.heads, activation.columns / sizes.heads};
}
MatrixBatch queries(const Runner& runner, const Matrix& qkv) {
  return per_head(runner, qkv, 0, runner.sizes().head_size);
}
MatrixBatch keys(const Runner& runner, const Matrix& qkv) {
  return per_head(runner, qkv, runner.sizes().head_size, runner.sizes().head_size);
}
MatrixBatch values(const Runner& runner, const Matrix& qkv) {
  return per_head(runner, qkv, 2 * runner.sizes().head_size, runner.sizes().head_size);
}
MatrixBatch contexts(const Runner& runner, const Matrix& context) {
  return per_head(runner, context, 0, runner.sizes().head_size);
}

/// [sequences·heads·queries, keys]
MatrixBatch scores_of(const Runner& runner, const Matrix& scores) {
  const model::RankSizes& sizes = runner.sizes();
  return {scores.row_range(0, sizes.queries), sizes.sequences * sizes.heads, sizes.queries * sizes.keys};
}
Tensor make_scores(Runner& runner, Component component) {
  const model::RankSizes& sizes = runner.sizes();
  return runner.tensor(component, sizes.sequences * sizes.heads * sizes.queries, sizes.keys);
}

AttentionShape attention_shape(Runner& runner, const MicroBatch& batch) {
  const model::RankSizes& sizes = runner.sizes();
  AttentionShape shape;
  shape.sequences = sizes.sequences;
  shape.heads = sizes.heads;
  shape.first_head = runner.tensor_group().rank() * sizes.heads;
  shape.queries = sizes.queries;
  shape.keys = sizes.keys;
  shape.causal = runner.scenario().model.attention_mask == model::AttentionMask::causal;
  shape.valid_keys = shape.causal ? nullptr : batch.valid_lengths.data();
  return shape;
}

double score_scale(const Runner& runner) { return 1.0 / std::sqrt(static_cast<double>(runner.sizes().head_size)); }

bool recomputes_core(const Runner& runner) {
  const model::Recompute& recompute = runner.scenario().training.recompute;
  return recompute.granularity == model::RecomputeGranularity::selective && recompute.modules.core_attention;
}

}  // namespace

SelfAttention::SelfAttention(const ParameterMap& map, std::int64_t layer, const std::string& prefix)
    : layer_{layer},
      qkv_{"linear_qkv", map.at(prefix + "linear_qkv.weight"), &map.at(prefix + "linear_qkv.bias")},
      proj_{"linear_proj", map.at(prefix + "linear_proj.weight")} {}

Tensor SelfAttention::forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, const Matrix& x,
                              Component output, Saved& saved) const {
  const model::RankSizes& sizes = runner.sizes();
  saved.qkv = runner.tensor(mode.kept, sizes.tokens, sizes.query_width + sizes.key_value_width);
  qkv_.forward(runner, mode.pass, x, saved.qkv, true);
  saved.context = runner.tensor(mode.kept, sizes.tokens, sizes.query_width);
  if (recomputes_core(runner)) {
    (void)core_forward(runner, {mode.pass, Component::temporaries}, batch, saved.qkv, saved.context);
  } else {
    saved.core = core_forward(runner, mode, batch, saved.qkv, saved.context);
  }
  return proj_.forward(runner, mode.pass, saved.context, output);
}

SelfAttention::Core SelfAttention::core_forward(Runner& runner, ForwardMode mode, const MicroBatch& batch,
                                                const Matrix& qkv, const Matrix& context) const {
  const AttentionShape shape = attention_shape(runner, batch);
  const double probability = runner.scenario().model.attention_dropout;
  Core core;
  core.probabilities = make_scores(runner, mode.kept);
  const Matrix& scores = core.probabilities;
  runner.batched_product({"attention_scores", mode.pass}, {queries(runner, qkv)}, {keys(runner, qkv), true},
                         scores_of(runner, scores));
  runner.memory_bound(OperatorKind::softmax, {"scale_mask_softmax", mode.pass}, scores, 2 * scores.bytes(),
                      [&](Backend& backend) { backend.masked_softmax(scores, shape, score_scale(runner), scores); });
  if (probability > 0) {
    core.dropped = make_scores(runner, mode.kept);
    core.mask = {runner.memory(), mode.kept, scores.elements()};
    const DropoutSite site{dropout_key(runner.seed(), batch.iteration, layer_, "attention_dropout"), probability,
                           batch.first_sample, shape.sequences};
    runner.memory_bound(OperatorKind::elementwise, {"attention_dropout", mode.pass}, scores,
                        2 * scores.bytes() + Bytes{core.mask.count()}, [&](Backend& backend) {
                          backend.attention_dropout(scores, shape, site, core.dropped, core.mask.data());
                        });
  }
  const Matrix& weights = core.dropped.empty() ? scores : core.dropped.view();
  runner.batched_product({"attention_context", mode.pass}, {scores_of(runner, weights)}, {values(runner, qkv)},
                         contexts(runner, context));
  return core;
}

Tensor SelfAttention::backward(Runner& runner, const MicroBatch& batch, Gradient dy, const Matrix& x,
                               Saved saved) const {
  Tensor dcontext = proj_.backward(runner, std::move(dy), saved.context);
  if (recomputes_core(runner)) {
    const Tensor context = runner.temporary(saved.context.view().rows, saved.context.view().columns);
    saved.core = core_forward(runner, {Pass::recompute, Component::temporaries}, batch, saved.qkv, context);
  }
  const Tensor dqkv = core_backward(runner, batch, std::move(dcontext), saved.core, saved.qkv);
  saved.core = {};
  return qkv_.backward(runner, dqkv, x);
}

Tensor SelfAttention::core_backward(Runner& runner, const MicroBatch& batch, Tensor dcontext, const Core& core,
                                    const Matrix& qkv) const {
  const AttentionShape shape = attention_shape(runner, batch);
  const Matrix& weights = core.dropped.empty() ? core.probabilities.view() : core.dropped.view();
  const Tensor dweights = make_scores(runner, Component::temporaries);
  const Matrix& dscores = dweights;
  runner.batched_product({"attention_context", Pass::input_gradient}, {contexts(runner, dcontext)},
                         {values(runner, qkv), true}, scores_of(runner, dscores));
  Tensor dqkv = runner.temporary(qkv.rows, qkv.columns);
  runner.batched_product({"attention_context", Pass::input_gradient}, {scores_of(runner, weights), true},
                         {contexts(runner, dcontext)}, values(runner, dqkv));
  dcontext.reset();
  if (!core.mask.empty()) {
    runner.memory_bound(OperatorKind::elementwise, {"attention_dropout", Pass::backward}, dscores,
                        2 * dscores.bytes() + Bytes{core.mask.count()}, [&](Backend& backend) {
                          backend.dropout_backward(dscores, core.mask.data(), runner.scenario().model.attention_dropout,
                                                   dscores);
                        });
  }
  runner.memory_bound(OperatorKind::softmax, {"scale_mask_softmax", Pass::backward}, dscores, 3 * dscores.bytes(),
                      [&](Backend& backend) {
                        backend.masked_softmax_backward(dscores, core.probabilities, shape, score_scale(runner),
                                                        dscores);
                      });
  runner.batched_product({"attention_scores", Pass::input_gradient}, {scores_of(runner, dscores)}, {keys(runner, qkv)},
                         queries(runner, dqkv));
  runner.batched_product({"attention_scores", Pass::input_gradient}, {scores_of(runner, dscores), true},
                         {queries(runner, qkv)}, keys(runner, dqkv));
  return dqkv;
}

}  // namespace shardsim::kernels

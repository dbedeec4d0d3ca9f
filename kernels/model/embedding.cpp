#include "kernels/model/embedding.hpp"

#include "kernels/model/residual.hpp"

namespace shardsim::kernels {
namespace {

using model::OperatorKind;
using model::Pass;

/// y[t,h] += table[ids[t]]: reads y and the rows, writes y.
void add_rows(Runner& runner, std::string_view name, const std::int32_t* ids, const Parameter& table, const Matrix& y) {
  runner.memory_bound(OperatorKind::embedding, {name, Pass::forward}, y, 3 * y.bytes(),
                      [&](Backend& backend) { backend.add_embedding(ids, table.value, y); });
}

/// dtable[ids[t] − first] += dy[t]
void accumulate_rows(Runner& runner, std::string_view name, const std::int32_t* ids, const Matrix& dy,
                     const Parameter& table, std::int64_t first_id) {
  runner.memory_bound(OperatorKind::embedding, {name, Pass::weight_gradient}, dy, 3 * dy.bytes(),
                      [&](Backend& backend) { backend.embedding_backward(ids, dy, first_id, table.gradient); });
}

}  // namespace

Embedding::Embedding(const model::Scenario& scenario, const ParameterMap& map)
    : words_{&map.at("embedding.word_embeddings.weight")},
      positions_{&map.at("embedding.position_embeddings.weight")},
      token_types_{scenario.model.num_token_types > 0 ? &map.at("embedding.tokentype_embeddings.weight") : nullptr} {
  if (scenario.model.norm_placement == model::NormPlacement::post) {
    norm_.emplace("embedding_layernorm", map, "embedding.layernorm");
  }
}

Tensor Embedding::forward(Runner& runner, const MicroBatch& batch, Saved& saved) const {
  const model::RankSizes& sizes = runner.sizes();
  const ForwardMode mode;
  Tensor whole = runner.tensor(runner.partial_component(mode.kept), sizes.tokens, sizes.hidden);
  const Matrix& words = whole;
  runner.memory_bound(
      OperatorKind::embedding, {"word_embeddings", Pass::forward}, words, 2 * words.bytes(),
      [&](Backend& backend) { backend.embedding(batch.tokens.data(), words_->value, words_->first, words); });
  Tensor y = runner.reduce({"word_embeddings", Pass::forward}, std::move(whole), mode.kept);
  const std::int64_t first = runner.first_residual_row();
  add_rows(runner, "position_embeddings", batch.positions.data() + first, *positions_, y);
  if (token_types_ != nullptr) {
    add_rows(runner, "tokentype_embeddings", batch.token_types.data() + first, *token_types_, y);
  }
  if (norm_) {
    saved.sum = std::move(y);
    y = runner.tensor(mode.kept, sizes.residual_tokens, sizes.hidden);
    saved.statistics = norm_->forward(runner, mode, saved.sum, y);
  }
  const DropoutSite site = residual_dropout(runner, batch, -1, "embedding_dropout");
  if (site.probability > 0) {
    const Matrix& x = y;
    saved.mask = {runner.memory(), mode.kept, x.elements()};
    runner.memory_bound(OperatorKind::elementwise, {"embedding_dropout", Pass::forward}, x,
                        2 * x.bytes() + Bytes{saved.mask.count()},
                        [&](Backend& backend) { backend.dropout(x, site, x, saved.mask.data()); });
  }
  return y;
}

void Embedding::backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const {
  const Matrix& dy = gradient;
  if (!saved.mask.empty()) {
    runner.memory_bound(OperatorKind::elementwise, {"embedding_dropout", Pass::backward}, dy,
                        2 * dy.bytes() + Bytes{saved.mask.count()}, [&](Backend& backend) {
                          backend.dropout_backward(dy, saved.mask.data(), runner.scenario().model.hidden_dropout, dy);
                        });
  }
  if (norm_) norm_->backward(runner, dy, saved.sum, saved.statistics);
  const std::int64_t first = runner.first_residual_row();
  if (token_types_ != nullptr) {
    accumulate_rows(runner, "tokentype_embeddings", batch.token_types.data() + first, dy, *token_types_, 0);
  }
  accumulate_rows(runner, "position_embeddings", batch.positions.data() + first, dy, *positions_, 0);
  Tensor gathered;
  if (runner.sizes().sequence_parallel) gathered = runner.all_gather({"word_embeddings", Pass::backward}, dy);
  accumulate_rows(runner, "word_embeddings", batch.tokens.data(), gathered.empty() ? dy : gathered.view(), *words_,
                  words_->first);
}

}  // namespace shardsim::kernels

#include "kernels/model/chunk.hpp"

#include <map>
#include <optional>

#include "kernels/model/embedding.hpp"
#include "kernels/model/head.hpp"
#include "kernels/model/layer_stack.hpp"
#include "kernels/model/placement.hpp"

namespace shardsim::kernels {
namespace {

std::int64_t blocks_of(const model::Chunk& chunk) {
  return (chunk.embedding ? 1 : 0) + chunk.layers + (chunk.head ? 1 : 0);
}

class Chunk : public ModelChunk {
 public:
  Chunk(const RankContext& context, const model::Chunk& chunk, const ChunkPlace& place, std::int64_t first_block,
        const ParameterMap& map)
      : runner_{context},
        index_{place.chunk},
        first_block_{first_block},
        last_block_{first_block + blocks_of(chunk) - 1},
        layers_{*context.scenario, map, chunk, place.first_layer, first_block + (chunk.embedding ? 1 : 0)},
        language_model_loss_{runner_.fp32(Component::workspace, 1, 1)},
        sentence_order_loss_{runner_.fp32(Component::workspace, 1, 1)} {
    if (chunk.embedding) embedding_.emplace(*context.scenario, map);
    if (chunk.head) head_.emplace(*context.scenario, map);
    clear_losses();
  }

  Tensor forward(const MicroBatch& batch, Tensor input) override {
    runner_.operations().position = {batch.index, index_};
    Saved& saved = saved_[batch.index];
    Tensor x = std::move(input);
    if (embedding_) {
      runner_.before_forward(first_block_);
      x = embedding_->forward(runner_, batch, saved.embedding);
    }
    x = layers_.forward(runner_, batch, std::move(x), saved.layers);
    if (!head_) return x;
    runner_.before_forward(last_block_);
    head_->forward(runner_, batch, std::move(x), totals(), saved.head);
    return {};
  }

  Tensor backward(const MicroBatch& batch, Tensor gradient) override {
    runner_.operations().position = {batch.index, index_};
    const auto found = saved_.find(batch.index);
    SHARDSIM_CHECK(found != saved_.end(), "backward before forward");
    Saved saved = std::move(found->second);
    saved_.erase(found);
    Tensor x = std::move(gradient);
    if (head_) {
      x = head_->backward(runner_, batch, totals(), std::move(saved.head));
      runner_.after_backward(last_block_);
    }
    x = layers_.backward(runner_, batch, std::move(x), std::move(saved.layers));
    if (!embedding_) return x;
    embedding_->backward(runner_, batch, std::move(x), std::move(saved.embedding));
    runner_.after_backward(first_block_);
    return {};
  }

  Losses take_losses() override {
    const Losses losses{download(language_model_loss_), download(sentence_order_loss_)};
    clear_losses();
    return losses;
  }

 private:
  struct Saved {
    Embedding::Saved embedding;
    LayerStack::Saved layers;
    Head::Saved head;
  };

  [[nodiscard]] Head::Totals totals() const { return {language_model_loss_, sentence_order_loss_}; }
  void clear_losses() {
    runner_.operations().backend().fill(language_model_loss_, 0.0);
    runner_.operations().backend().fill(sentence_order_loss_, 0.0);
  }
  [[nodiscard]] double download(const Matrix& value) {
    float loss = 0.0F;
    runner_.operations().backend().download(value.data, &loss, value.bytes());
    return loss;
  }

  Runner runner_;
  std::int64_t index_;
  std::int64_t first_block_;
  std::int64_t last_block_;
  std::optional<Embedding> embedding_;
  LayerStack layers_;
  std::optional<Head> head_;
  Tensor language_model_loss_;
  Tensor sentence_order_loss_;
  std::map<std::int64_t, Saved> saved_;
};

}  // namespace

std::vector<std::unique_ptr<ModelChunk>> make_chunks(const RankContext& context, const model::Stage& stage,
                                                     std::int64_t stage_index, std::vector<Parameter>& parameters) {
  const ParameterMap map{parameters};
  std::vector<std::unique_ptr<ModelChunk>> chunks;
  std::int64_t first_block = 0;
  for (std::size_t i = 0; i < stage.chunks.size(); ++i) {
    const ChunkPlace place = place_of(*context.scenario, stage_index, static_cast<std::int64_t>(i));
    chunks.push_back(std::make_unique<Chunk>(context, stage.chunks[i], place, first_block, map));
    first_block += blocks_of(stage.chunks[i]);
  }
  return chunks;
}

}  // namespace shardsim::kernels

#include "sim/memory/stage_replay.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/schedule/messages.hpp"

namespace shardsim::memory {
namespace {

using schedule::Action;
using schedule::PipelineMessage;

/// Tokens, positions, targets and loss weights of 4 bytes each; BERT's token types, lengths and sentence labels.
Bytes micro_batch_bytes(const model::Scenario& scenario, const model::RankSizes& sizes) {
  constexpr std::int64_t kElement = 4;
  const bool bert = scenario.model.family == model::Family::bert;
  return Bytes{kElement * (sizes.tokens * (bert ? 5 : 4) + (bert ? 2 * sizes.sequences : 0))};
}

/// An activation that travels is kept by the layer that takes it; a gradient is gone after the layer's backward pass.
Held travelling(bool gradient, Bytes bytes) {
  Held held;
  (gradient ? held.temporaries : held.activations) = bytes;
  return held;
}

class Replay {
 public:
  Replay(const model::Scenario& scenario, const std::vector<model::Stage>& stages, std::int64_t stage)
      : stage_{stage},
        stages_{static_cast<std::int64_t>(stages.size())},
        holder_{stages[static_cast<std::size_t>(stage)]},
        sizes_{scenario},
        batch_{micro_batch_bytes(scenario, sizes_), Bytes{0}, Bytes{0}},
        orders_{schedule::orders(scenario.parallelism, micro_batches(scenario), {})} {
    for (const model::Chunk& chunk : holder_.chunks) chunks_.push_back(chunk_memory(scenario, chunk));
    for (std::int64_t other = 0; other < stages_; ++other) {
      if (other != stage_) sources_[other].messages = schedule::messages_between(orders_, other, stage_, chunks());
    }
  }

  [[nodiscard]] PassPeak run() {
    std::map<std::int32_t, std::int64_t> passes_left;
    for (const Action& action : orders_[static_cast<std::size_t>(stage_)]) {
      const auto [batch, first] = passes_left.emplace(action.micro_batch, 2 * chunks());
      if (first) now_ = now_ + batch_;
      action.work == schedule::Work::forward ? forward(action) : backward(action);
      if (--batch->second == 0) now_ = now_ - batch_;
    }
    return peak_;
  }

 private:
  /// From one stage: what it sends, how much of it was asked for, and what of that was not yet taken.
  struct Source {
    std::vector<PipelineMessage> messages;
    std::size_t posted = 0;
    std::vector<PipelineMessage> waiting;
  };

  [[nodiscard]] std::int64_t chunks() const { return static_cast<std::int64_t>(holder_.chunks.size()); }
  [[nodiscard]] std::int64_t piece(const Action& action) const { return action.chunk * stages_ + stage_; }
  [[nodiscard]] bool is_last(std::int64_t piece) const { return piece + 1 == stages_ * chunks(); }
  [[nodiscard]] Held residual(bool gradient) const { return travelling(gradient, sizes_.residual()); }

  void reach(const Held& held, std::string_view moment) {
    if (held.total() > peak_.held.total()) peak_ = {held, moment};
  }

  void forward(const Action& action) {
    const BlockMemory& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
    if (piece(action) > 0) take({action.micro_batch, piece(action), false});
    reach(now_ + chunk.forward, holder_.chunks[static_cast<std::size_t>(action.chunk)].head ? "loss" : "forward");
    now_ = now_ + chunk.saved;
    if (!is_last(piece(action))) send(piece(action) + 1, false);
  }

  void backward(const Action& action) {
    const BlockMemory& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
    if (!is_last(piece(action))) take({action.micro_batch, piece(action), true});
    now_ = now_ - chunk.saved;
    reach(now_ + chunk.backward, "backward");
    if (piece(action) > 0) send(piece(action) - 1, true);
  }

  /// Receives are posted in the order of the sends; what is taken is counted by the pass that takes it.
  void take(const PipelineMessage& message) {
    Source& source = sources_.at((message.to_piece + (message.gradient ? 1 : -1)) % stages_);
    while (std::find(source.waiting.begin(), source.waiting.end(), message) == source.waiting.end()) {
      SHARDSIM_CHECK(source.posted < source.messages.size(), "a stage waits for what no stage sends");
      source.waiting.push_back(source.messages[source.posted++]);
      now_ = now_ + residual(source.waiting.back().gradient);
    }
    source.waiting.erase(std::find(source.waiting.begin(), source.waiting.end(), message));
    now_ = now_ - residual(message.gradient);
  }

  /// The last one sent to a stage lives until the next.
  void send(std::int64_t to_piece, bool gradient) {
    if (sent_.emplace(to_piece % stages_, gradient).second) now_ = now_ + residual(gradient);
  }

  std::int64_t stage_;
  std::int64_t stages_;
  const model::Stage& holder_;
  model::RankSizes sizes_;
  Held batch_;
  std::vector<schedule::Order> orders_;
  std::vector<BlockMemory> chunks_;
  std::map<std::int64_t, Source> sources_;
  std::set<std::pair<std::int64_t, bool>> sent_;
  Held now_;
  PassPeak peak_;
};

}  // namespace

bool can_replay(const model::Scenario& scenario) {
  return scenario.parallelism.schedule <= model::Schedule::interleaved_one_f_one_b;
}

PassPeak replay_passes(const model::Scenario& scenario, const std::vector<model::Stage>& stages, std::int64_t stage) {
  return Replay{scenario, stages, stage}.run();
}

}  // namespace shardsim::memory

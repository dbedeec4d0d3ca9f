#include "sim/memory/memory_over_time.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/memory/activations.hpp"
#include "sim/memory/device_use.hpp"
#include "sim/memory/model_state.hpp"
#include "sim/model/end_operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::memory {
namespace {

using schedule::Action;
using schedule::Work;

/// Bytes that are not one tensor but several, none larger than `largest`.
struct Batch {
  Bytes bytes;
  Bytes largest;
};

/// The largest tensor of a layer's backward pass: of the ffn, or of unfused attention's scores.
Bytes largest_gradient(const model::Scenario& scenario, const model::RankSizes& sizes) {
  const bool scores = scenario.training.attention_kernel == model::AttentionKernel::unfused;
  return Bytes{std::max(sizes.tokens * sizes.fc1_width, scores ? sizes.scores() : 0) * sizes.element};
}

/// Of the layers' weights, in fp32.
Bytes largest_weight(const model::RankSizes& sizes) { return Bytes{4 * sizes.hidden * sizes.fc1_width}; }

/// Writes the changes down.
class Recorder {
 public:
  Recorder(const model::Scenario& scenario, const model::OperatorList& operators, const model::Stage& stage,
           const schedule::Order& order) {
    const model::RankSizes sizes{scenario};
    const auto passes = static_cast<std::size_t>(model::micro_batches(scenario));
    temporaries_ = {backward_temporaries(scenario, operators, sizes, stage), largest_gradient(scenario, sizes)};
    if (stage.has_head()) {
      const model::RankSizes head = head_sizes(scenario, sizes);
      logits_ = logits(scenario, head);
      output_layer_ = output_layer_gradients(scenario, head);
    }
    softmax_.resize(passes);
    std::size_t tensors = 0;
    for (const model::Chunk& chunk : stage.chunks) {
      chunks_.push_back({chunk.head, saved_tensors(scenario, operators, chunk), std::vector<std::int32_t>(passes)});
      tensors += chunks_.back().saved.size();
    }
    constexpr std::size_t kOthersAnAction = 8;
    changes_.list.reserve(2 * passes * tensors + kOthersAnAction * order.size());
    sizes_.reserve(changes_.list.capacity() / 2);

    const ModelState state = model_state(scenario, stage);
    action_ = kBeforeIteration;
    const Bytes workspaces = workspace(scenario) + kept_placeholders(scenario, sizes);
    for (const Bytes held : {state.parameters, state.gradients, state.optimizer, workspaces}) allocate(held);
    action_ = 0;
    const std::int32_t buffers = allocate(pipeline_buffers(scenario, sizes));
    for (const Action& action : order) {
      run(action);
      ++action_;
    }
    changes_.actions = action_--;
    for (const std::int32_t gradient : deferred_) release(gradient);
    release(buffers);
    ++action_;
    hold_for_a_moment({state.step_temporaries, largest_weight(sizes)});
    changes_.tensors = static_cast<std::int32_t>(sizes_.size());
  }

  MemoryChanges take() { return std::move(changes_); }

 private:
  struct Chunk {
    bool head = false;
    /// Bytes of each tensor kept for the backward, in forward order.
    std::vector<Bytes> saved;
    /// The first of each micro batch's tensors.
    std::vector<std::int32_t> first;
  };

  void run(const Action& action) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
    if (action.work == Work::forward) {
      save(action);
      if (chunk.head) lose(action);
      return;
    }
    if (chunk.head && action.work != Work::weight_gradient) lose_backwards(action);
    const std::int32_t temporaries = allocate_all(temporaries_);
    if (action.work != Work::input_gradient) release_saved(action);
    release_all(temporaries);
  }

  void save(const Action& action) {
    Chunk& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
    chunk.first[static_cast<std::size_t>(action.micro_batch)] = static_cast<std::int32_t>(sizes_.size());
    for (const Bytes bytes : chunk.saved) allocate(bytes);
  }

  void release_saved(const Action& action) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
    const std::int32_t first = chunk.first[static_cast<std::size_t>(action.micro_batch)];
    for (auto tensor = first + static_cast<std::int32_t>(chunk.saved.size()); tensor-- > first;) release(tensor);
  }

  void lose(const Action& action) {
    softmax_[static_cast<std::size_t>(action.micro_batch)] = allocate(logits_.softmax);
    hold_for_a_moment({logits_.peak - logits_.softmax, logits_.softmax});
  }

  void lose_backwards(const Action& action) {
    if (static_cast<std::int64_t>(deferred_.size()) < logits_.most_deferred) {
      deferred_.push_back(allocate(logits_.deferred));
    }
    hold_for_a_moment({logits_.peak - logits_.softmax, logits_.softmax});
    release(softmax_[static_cast<std::size_t>(action.micro_batch)]);
    hold_for_a_moment({output_layer_, output_layer_});
  }

  std::int32_t allocate(Bytes bytes) {
    const auto tensor = static_cast<std::int32_t>(sizes_.size());
    sizes_.push_back(bytes);
    if (bytes > Bytes{0}) changes_.list.push_back({action_, tensor, bytes});
    return tensor;
  }
  void release(std::int32_t tensor) {
    const Bytes bytes = sizes_[static_cast<std::size_t>(tensor)];
    if (bytes > Bytes{0}) changes_.list.push_back({action_, tensor, Bytes{0} - bytes});
  }

  /// The first of equal tensors; they are the last ones until release_all().
  std::int32_t allocate_all(const Batch& batch) {
    const auto first = static_cast<std::int32_t>(sizes_.size());
    const std::int64_t count = std::max<std::int64_t>(
        1, (batch.bytes.value() + batch.largest.value() - 1) / std::max<std::int64_t>(1, batch.largest.value()));
    for (std::int64_t i = 0; i < count; ++i) {
      allocate(Bytes{batch.bytes.value() * (i + 1) / count - batch.bytes.value() * i / count});
    }
    return first;
  }
  void release_all(std::int32_t first) {
    for (auto tensor = static_cast<std::int32_t>(sizes_.size()); tensor-- > first;) release(tensor);
  }
  void hold_for_a_moment(const Batch& batch) { release_all(allocate_all(batch)); }

  Batch temporaries_;
  Logits logits_;
  Bytes output_layer_;
  std::vector<Chunk> chunks_;
  /// Of each micro batch, and of the output layer's deferred gradients: the tensor.
  std::vector<std::int32_t> softmax_;
  std::vector<std::int32_t> deferred_;
  /// Bytes of each tensor so far.
  std::vector<Bytes> sizes_;
  std::int32_t action_ = 0;
  MemoryChanges changes_;
};

/// Levels from the bytes held after each change.
class Levels {
 public:
  explicit Levels(std::int32_t actions) { memory_.levels.resize(static_cast<std::size_t>(actions) + 1); }

  void hold(std::int32_t action, Bytes allocated, Bytes reserved) {
    enter(action);
    if (allocated > memory_.peak) {
      memory_.peak = allocated;
      memory_.peak_action = action;
    }
    if (action == kBeforeIteration) {
      memory_.before = allocated;
    } else {
      MemoryLevel& level = memory_.levels[static_cast<std::size_t>(action)];
      level = {std::max(level.peak, allocated), allocated, reserved};
    }
    last_ = {allocated, allocated, reserved};
  }

  MemoryOverTime take() {
    enter(static_cast<std::int32_t>(memory_.levels.size()) - 1);
    return std::move(memory_);
  }
  void fail(std::int32_t action) { memory_.failed = action; }

 private:
  /// Actions without a change keep the level.
  void enter(std::int32_t action) {
    while (at_ < action) memory_.levels[static_cast<std::size_t>(++at_)] = last_;
  }

  MemoryOverTime memory_;
  MemoryLevel last_;
  std::int32_t at_ = kBeforeIteration;
};

}  // namespace

MemoryChanges memory_changes(const model::Scenario& scenario, const model::OperatorList& operators,
                             const model::Stage& stage, const schedule::Order& order) {
  return Recorder(scenario, operators, stage, order).take();
}

MemoryOverTime replay(const MemoryChanges& changes) {
  Levels levels(changes.actions);
  Bytes allocated{0};
  for (const MemoryChange& change : changes.list) {
    allocated += change.bytes;
    levels.hold(change.action, allocated, Bytes{0});
  }
  return levels.take();
}

MemoryOverTime replay(const MemoryChanges& changes, CachingAllocator& allocator) {
  Levels levels(changes.actions);
  std::vector<CachingAllocator::Id> blocks(static_cast<std::size_t>(changes.tensors));
  for (const MemoryChange& change : changes.list) {
    CachingAllocator::Id& block = blocks[static_cast<std::size_t>(change.tensor)];
    if (change.bytes > Bytes{0}) {
      const auto id = allocator.allocate(change.bytes);
      if (!id) {
        levels.fail(change.action);
        break;
      }
      block = *id;
    } else {
      allocator.free(block);
    }
    levels.hold(change.action, allocator.allocated(), allocator.reserved());
  }
  return levels.take();
}

std::vector<model::MemorySample> samples(const MemoryOverTime& memory, const std::vector<ActionTime>& times,
                                         std::int64_t rank) {
  SHARDSIM_CHECK(times.size() == memory.levels.size(), "a time for each action and for the step");
  std::vector<model::MemorySample> samples;
  samples.reserve(2 * times.size() + 1);
  samples.push_back({rank, 0, memory.before, Bytes{0}});
  for (std::size_t i = 0; i < times.size(); ++i) {
    const MemoryLevel& level = memory.levels[i];
    samples.push_back({rank, times[i].start, level.peak, level.reserved});
    samples.push_back({rank, times[i].end, level.after, level.reserved});
  }
  return samples;
}

}  // namespace shardsim::memory

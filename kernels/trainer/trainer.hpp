// One rank of the training: its part of the model, gradients, optimizer, and the iteration that binds them.
#pragma once

#include <cstdint>

#include "kernels/trainer/adam.hpp"
#include "kernels/trainer/batches.hpp"
#include "kernels/trainer/flat_buffers.hpp"
#include "kernels/trainer/gradient_reduction.hpp"
#include "kernels/trainer/job.hpp"
#include "kernels/trainer/loss_scale.hpp"
#include "kernels/trainer/pipeline.hpp"

namespace shardsim::kernels {

/// What the log tells of one iteration; the same on every rank.
struct IterationResult {
  /// From 1.
  std::int64_t iteration = 0;
  double lm_loss = 0.0;
  double sentence_order_loss = 0.0;
  /// After this iteration, as Megatron-LM logs it.
  double learning_rate = 0.0;
  double loss_scale = 1.0;
  double gradient_norm = 0.0;
  /// The update was left out: the gradients were not finite.
  bool skipped = false;
};

/// Who watches a rank; either may be null.
struct Observers {
  Recorder* operators = nullptr;
  MemoryObserver* memory = nullptr;
};

/// What a rank's parts stand on; all of it must outlive the trainer.
struct Rank {
  const Groups* groups = nullptr;
  Backend* backend = nullptr;
  const DataSource* data = nullptr;
  Observers observers;
};

class Trainer {
 public:
  /// Parameters have their first values. Collective, as everything here.
  Trainer(const Job& job, const TrainOptions& options, const Rank& rank);

  IterationResult iterate();

  [[nodiscard]] const Memory& memory() const { return memory_; }
  /// Waits for parameters under way.
  [[nodiscard]] ParameterBuffers& buffers() {
    reduction_.finish_gathering();
    return buffers_;
  }
  [[nodiscard]] const FlatLayout& flat_layout() const { return layout_; }
  [[nodiscard]] Adam& adam() { return adam_; }
  [[nodiscard]] LossScale& loss_scale() { return loss_scale_; }

  /// Done so far; a checkpoint sets it.
  std::int64_t iterations = 0;

 private:
  [[nodiscard]] double global_gradient_norm();
  void zero_gradients();
  /// Of the global batch, from the last stage.
  void add_losses(IterationResult& result);

  const model::Scenario& scenario_;
  Rank rank_;
  LearningRate learning_rate_;
  double clip_grad_;
  Memory memory_;
  Operations operations_;
  LossScale loss_scale_;
  FlatLayout layout_;
  ParameterBuffers buffers_;
  Adam adam_;
  GradientReduction reduction_;
  Batches batches_;
  Pipeline pipeline_;
  /// Holds the gradient norm while it is summed over ranks.
  Tensor number_;
};

}  // namespace shardsim::kernels

// One iteration's forward and backward passes of a stage: a schedule's list, played.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/model/chunk.hpp"
#include "kernels/trainer/batches.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::kernels {

class Pipeline {
 public:
  /// `context` and everything that it points to must outlive this object.
  Pipeline(const RankContext& context, const model::Stage& stage, std::vector<Parameter>& parameters);

  /// Every micro batch through every chunk of this stage; gradients of parameters accumulate.
  void run(const Batches& batches);
  /// Summed over the micro batches since the last call; 0 but on the last stage.
  [[nodiscard]] ModelChunk::Losses take_losses();

 private:
  RankContext context_;
  std::vector<schedule::Order> orders_;
  std::vector<std::unique_ptr<ModelChunk>> chunks_;
};

}  // namespace shardsim::kernels

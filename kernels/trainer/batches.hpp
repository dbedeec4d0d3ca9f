// This rank's micro batches of one iteration, as Megatron-LM deals samples to data-parallel ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/data/data_source.hpp"
#include "kernels/model/chunk.hpp"

namespace shardsim::kernels {

/// Reads one iteration's samples on the host and turns them into device arrays micro batch by micro batch.
class Batches {
 public:
  Batches(const model::Scenario& scenario, const DataSource& data, const Groups& groups, Memory& memory,
          Backend& backend);

  /// `iteration` from 0: samples iteration · global batch … of the source. Collective over the data group: the loss
  /// weights are over the mask of the whole global batch, times the loss scale.
  void start_iteration(std::int64_t iteration, double loss_scale);
  /// Micro batch `index`: of each run of micro batch · dp samples this rank's neighbours.
  [[nodiscard]] MicroBatch micro_batch(std::int64_t index) const;

 private:
  [[nodiscard]] std::int64_t first_sample(std::int64_t index) const;

  const model::Scenario& scenario_;
  const DataSource& data_;
  const Groups& groups_;
  Memory& memory_;
  Backend& backend_;
  std::int64_t iteration_ = 0;
  double weight_ = 1.0;
  double sentence_order_weight_ = 1.0;
  std::vector<Sample> samples_;
};

}  // namespace shardsim::kernels

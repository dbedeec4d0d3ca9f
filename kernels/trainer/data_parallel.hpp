// Gradients and parameters between the replicas of the model, bucket by bucket; beside the passes where the scenario
// overlaps them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/model/chunk.hpp"
#include "kernels/trainer/flat_buffers.hpp"

namespace shardsim::kernels {

/// With overlapped reduction a bucket's starts when the last micro batch has completed its gradients; with overlapped
/// gathering a bucket is waited for when a forward pass first reads it. Every replica runs the same schedule, so all
/// start their buckets in the same order.
class DataParallel final : public BlockObserver {
 public:
  /// Everything passed must outlive this object.
  DataParallel(const model::Scenario& scenario, ParameterBuffers& buffers, const FlatLayout& layout,
               Communicator& replicas);

  void before_forward(std::int64_t block) override;
  void after_backward(std::int64_t block) override;

  /// Starts the reductions that are not under way, and waits for all. Afterwards every gradient is the replicas' sum,
  /// or with ZeRO-1 those of this rank's shard.
  void finish_reduction();
  /// Updated parameters of all shards; overlapped, this only starts it.
  void gather_parameters();
  /// Waits for gathered parameters.
  void finish_gathering();

 private:
  struct Bucket {
    Range range;
    std::vector<std::int64_t> blocks;
    /// Backward passes of its blocks until its gradients are complete.
    std::int64_t passes_left = 0;
    std::unique_ptr<Request> reduction;
    std::unique_ptr<Request> gathering;
  };
  [[nodiscard]] bool sharded() const { return scenario_.parallelism.zero_stage >= 1; }
  [[nodiscard]] Matrix own_share(const Matrix& whole) const;
  void reduce(const Bucket& bucket);
  void start_reduction(Bucket& bucket);

  const model::Scenario& scenario_;
  ParameterBuffers& buffers_;
  Communicator& replicas_;
  std::vector<Bucket> buckets_;
};

}  // namespace shardsim::kernels

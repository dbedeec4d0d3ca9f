#include "kernels/trainer/data_parallel.hpp"

#include <algorithm>
#include <cstddef>

namespace shardsim::kernels {
namespace {

void wait(std::unique_ptr<Request>& request) {
  if (request != nullptr) request->wait();
  request.reset();
}

/// Of the parameters that begin in `bucket`, each once.
std::vector<std::int64_t> blocks_in(const Range& bucket, const std::vector<Parameter>& parameters,
                                    const FlatLayout& layout) {
  std::vector<std::int64_t> blocks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool inside = layout.offsets[i] >= bucket.first && layout.offsets[i] < bucket.first + bucket.count;
    if (inside && (blocks.empty() || blocks.back() != parameters[i].block)) blocks.push_back(parameters[i].block);
  }
  return blocks;
}

bool holds(const std::vector<std::int64_t>& blocks, std::int64_t block) {
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

}  // namespace

DataParallel::DataParallel(const model::Scenario& scenario, ParameterBuffers& buffers, const FlatLayout& layout,
                           Communicator& replicas)
    : scenario_{scenario}, buffers_{buffers}, replicas_{replicas} {
  for (const Range& range : layout.buckets) {
    Bucket& bucket = buckets_.emplace_back();
    bucket.range = range;
    bucket.blocks = blocks_in(range, buffers.parameters, layout);
    bucket.passes_left = micro_batches(scenario) * static_cast<std::int64_t>(bucket.blocks.size());
  }
}

void DataParallel::before_forward(std::int64_t block) {
  for (Bucket& bucket : buckets_) {
    if (bucket.gathering == nullptr) continue;
    if (holds(bucket.blocks, block)) {
      wait(bucket.gathering);
    } else {
      bucket.gathering->advance();
    }
  }
}

void DataParallel::after_backward(std::int64_t block) {
  if (!scenario_.parallelism.overlap.grad_reduce) return;
  for (Bucket& bucket : buckets_) {
    if (bucket.reduction != nullptr) bucket.reduction->advance();
    if (holds(bucket.blocks, block) && --bucket.passes_left == 0) start_reduction(bucket);
  }
}

void DataParallel::finish_reduction() {
  for (Bucket& bucket : buckets_) {
    if (bucket.reduction == nullptr) reduce(bucket);  // nothing is left to do meanwhile
  }
  for (Bucket& bucket : buckets_) {
    wait(bucket.reduction);
    bucket.passes_left = micro_batches(scenario_) * static_cast<std::int64_t>(bucket.blocks.size());
  }
}

void DataParallel::gather_parameters() {
  for (Bucket& bucket : buckets_) {
    const Matrix whole = part_of(buffers_.values, bucket.range);
    if (scenario_.parallelism.overlap.param_gather) {
      bucket.gathering = replicas_.start_all_gather(own_share(whole), whole);
    } else {
      replicas_.all_gather(own_share(whole), whole);
    }
  }
}

void DataParallel::finish_gathering() {
  for (Bucket& bucket : buckets_) wait(bucket.gathering);
}

Matrix DataParallel::own_share(const Matrix& whole) const {
  const std::int64_t share = whole.columns / replicas_.size();
  return whole.column_range(replicas_.rank() * share, share);
}

void DataParallel::reduce(const Bucket& bucket) {
  const Matrix whole = part_of(buffers_.gradients, bucket.range);
  if (sharded()) {
    replicas_.reduce_scatter(whole, own_share(whole));
  } else {
    replicas_.all_reduce(whole, Reduction::sum);
  }
}

void DataParallel::start_reduction(Bucket& bucket) {
  const Matrix whole = part_of(buffers_.gradients, bucket.range);
  bucket.reduction = sharded() ? replicas_.start_reduce_scatter(whole, own_share(whole))
                               : replicas_.start_all_reduce(whole, Reduction::sum);
}

}  // namespace shardsim::kernels

// Whole tiny models on one tensor-parallel group, for tests: parameters, batches and a training step's gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/model/chunk.hpp"

namespace shardsim::test {

using kernels::Backend;
using kernels::Memory;
using kernels::MicroBatch;
using kernels::ModelChunk;
using kernels::Parameter;
using kernels::Tensor;

/// fp32, 2 layers, hidden 16, 4 heads, 8 tokens, 3 sequences, dropout 0.1, the stack of this project; a vocabulary of
/// 50 tokens, which pads differently with the tensor-parallel size.
[[nodiscard]] model::Scenario tiny_gpt();
/// The same with segments, masked-LM and sentence-order heads; pre-norm as Megatron's or post-norm as the original.
[[nodiscard]] model::Scenario tiny_bert(model::NormPlacement placement);

[[nodiscard]] model::Recompute recompute(model::RecomputeGranularity granularity, model::RecomputeMethod method,
                                         std::int64_t layers = 1);

/// The CPU's, or the reference for formats other than fp32.
[[nodiscard]] std::unique_ptr<Backend> backend_for(const model::Scenario& scenario);

/// One rank's whole model (one stage, one chunk) in a memory of its own.
class TinyModel {
 public:
  static constexpr std::uint64_t kSeed = 1234;

  /// `tensor_group` has scenario.parallelism.tensor_model_parallel_size ranks.
  TinyModel(const model::Scenario& scenario, std::unique_ptr<Backend> backend,
            std::unique_ptr<kernels::Communicator> tensor_group, kernels::Recorder* recorder = nullptr);

  /// Micro batch `index` of the iteration, its samples a function of the index.
  [[nodiscard]] MicroBatch batch(std::int64_t index);
  [[nodiscard]] ModelChunk& chunk() { return *chunks_.front(); }
  [[nodiscard]] std::vector<Parameter>& parameters() { return parameters_; }
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] Backend& backend() { return *backend_; }
  [[nodiscard]] kernels::Communicator& tensor_group() { return *groups_.tensor; }

  /// Forward and backward of micro batches 0 … count − 1, one after the other; gradients are zeroed before.
  ModelChunk::Losses step(std::int64_t count = 1);
  /// Of this rank; summed over the tensor group where the parameter says so.
  [[nodiscard]] std::vector<float> gradient(const Parameter& parameter);
  void set_value(const Parameter& parameter, const std::vector<float>& values);
  [[nodiscard]] std::vector<float> value(const Parameter& parameter);

 private:
  [[nodiscard]] std::vector<float> download(const kernels::Matrix& matrix);
  /// An fp32 copy.
  [[nodiscard]] Tensor staging(const kernels::Matrix& like);
  template <class T>
  [[nodiscard]] kernels::Array<T> upload(const std::vector<T>& values);

  model::Scenario scenario_;
  std::unique_ptr<Backend> backend_;
  Memory memory_;
  kernels::Groups groups_;
  kernels::Operations operations_;
  std::vector<Parameter> parameters_;
  Tensor values_;
  Tensor gradients_;
  std::vector<std::unique_ptr<ModelChunk>> chunks_;
};

/// The part of a whole parameter's elements that `part` holds.
[[nodiscard]] std::vector<float> shard(const std::vector<float>& whole, const Parameter& part);

}  // namespace shardsim::test

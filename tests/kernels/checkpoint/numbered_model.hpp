// A small model whose every element tells its name and place in the whole, so that any cut of it can be checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernels/communicator/half_float.hpp"
#include "kernels/model/chunk.hpp"
#include "kernels/model/random_key.hpp"
#include "kernels/tensor/host_memory.hpp"
#include "sim/model/layout.hpp"

namespace shardsim::test {

using namespace kernels;

/// Exact in fp32 (an integer below 2²⁴).
[[nodiscard]] inline float number_of(const std::string& kind, const std::string& name, std::int64_t row,
                                     std::int64_t column) {
  const std::uint64_t key = combine(hash_text(kind), hash_text(name));
  return static_cast<float>(combine(combine(key, static_cast<std::uint64_t>(row)), static_cast<std::uint64_t>(column)) %
                            16'000'000);
}

/// 2 layers, hidden 16, 4 heads of 4, vocabulary 19 padded to a multiple of 3 · tp.
[[nodiscard]] inline model::Scenario small_scenario(model::Family family, std::int64_t tp = 1, std::int64_t pp = 1,
                                                    std::int64_t dp = 1) {
  model::Scenario scenario;
  model::Model& m = scenario.model;
  m.family = family;
  m.num_layers = 2;
  m.hidden_size = 16;
  m.ffn_hidden_size = 64;
  m.num_attention_heads = 4;
  m.num_query_groups = 4;
  m.kv_channels = 4;
  m.seq_length = 8;
  m.max_position_embeddings = 8;
  m.vocab_size = 19;
  m.make_vocab_size_divisible_by = 3;
  if (family == model::Family::bert) {
    m.num_token_types = 2;
    m.attention_mask = model::AttentionMask::bidirectional;
    m.output_head = model::OutputHead::masked_lm_and_binary;
  }
  scenario.parallelism.tensor_model_parallel_size = tp;
  scenario.parallelism.pipeline_model_parallel_size = pp;
  scenario.parallelism.data_parallel_size = dp;
  scenario.training.precision = model::DType::fp32;
  return scenario;
}

/// The parameters of one rank, in one flat buffer with `gap` unused elements behind each.
class RankParameters {
 public:
  RankParameters(const model::Scenario& scenario, std::int64_t stage, int tensor_rank, std::int64_t gap = 0) {
    const auto stages = model::layout(scenario.model, scenario.parallelism, scenario.stack);
    buffers_.parameters = declare_parameters(scenario, stages[static_cast<std::size_t>(stage)], stage, tensor_rank);
    std::int64_t elements = 0;
    for (const Parameter& parameter : buffers_.parameters) elements += parameter.value.elements() + gap;
    buffers_.values = Tensor{memory_, Component::parameters, scenario.training.precision, 1, elements};
    auto* at = buffers_.values.view().as<char>();
    std::memset(at, 0xFF, static_cast<std::size_t>(buffers_.values.view().bytes().value()));
    for (Parameter& parameter : buffers_.parameters) {
      parameter.value.data = at;
      at += (parameter.value.elements() + gap) * model::storage_size(parameter.value.dtype).value();
    }
  }

  [[nodiscard]] ParameterBuffers& buffers() { return buffers_; }
  [[nodiscard]] std::vector<Parameter>& parameters() { return buffers_.parameters; }
  [[nodiscard]] const Matrix& flat() const { return buffers_.values.view(); }

  /// Calls visit(parameter, element of the part, row, column of the whole) for every element.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Parameter& parameter : buffers_.parameters) {
      const std::int64_t first_row = parameter.sharding == Sharding::rows ? parameter.first : 0;
      const std::int64_t first_column = parameter.sharding == Sharding::columns ? parameter.first : 0;
      for (std::int64_t i = 0; i < parameter.value.elements(); ++i) {
        visit(parameter, i, first_row + i / parameter.value.columns, first_column + i % parameter.value.columns);
      }
    }
  }

 private:
  Memory memory_{std::make_unique<HostMemory>()};
  ParameterBuffers buffers_;
};

/// Whether an element of the whole lies in the vocabulary's padding.
[[nodiscard]] inline bool is_padding(const model::Model& m, const std::string& name, std::int64_t row,
                                     std::int64_t column) {
  if (name == "embedding.word_embeddings.weight" || name == "output_layer.weight") return row >= m.vocab_size;
  return name == "output_layer.bias" && column >= m.vocab_size;
}

}  // namespace shardsim::test

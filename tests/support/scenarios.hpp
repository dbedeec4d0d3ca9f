// Small hand-made scenarios for tests that do not read files.
#pragma once

#include "sim/model/scenario.hpp"

namespace shardsim::tests {

/// A GPT with Megatron's defaults: fp16, unfused attention with fused softmax, dropout 0.1, vocabulary 51,200.
inline model::Scenario gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t sequence,
                           std::int64_t micro_batch) {
  model::Scenario scenario;
  model::Model& model = scenario.model;
  model.num_layers = layers;
  model.hidden_size = hidden;
  model.ffn_hidden_size = 4 * hidden;
  model.num_attention_heads = heads;
  model.num_query_groups = heads;
  model.kv_channels = hidden / heads;
  model.seq_length = sequence;
  model.max_position_embeddings = sequence;
  model.vocab_size = 51'200;
  scenario.training.micro_batch_size = micro_batch;
  scenario.training.global_batch_size = micro_batch;
  scenario.training.precision = model::DType::fp16;
  scenario.training.gradient_dtype = model::DType::fp16;
  return scenario;
}

/// Sets the degrees, and the global batch to `micro_batches` per pipeline.
inline void divide(model::Scenario& scenario, std::int64_t tp, std::int64_t pp, std::int64_t dp,
                   std::int64_t micro_batches) {
  scenario.parallelism.tensor_model_parallel_size = tp;
  scenario.parallelism.pipeline_model_parallel_size = pp;
  scenario.parallelism.data_parallel_size = dp;
  scenario.training.global_batch_size = scenario.training.micro_batch_size * dp * micro_batches;
  scenario.gpus = tp * pp * dp;
}

}  // namespace shardsim::tests

#include "kernels/gpu/benchmark/job.hpp"

#include "kernels/operators/random.hpp"

namespace shardsim::kernels::gpu {

Job make_gpt_job(const GptShape& shape, DType precision) {
  Job job;
  model::Scenario& scenario = job.scenario;
  scenario.name = shape.name;
  model::Model& gpt = scenario.model;
  gpt.num_layers = shape.layers;
  gpt.hidden_size = shape.hidden;
  gpt.ffn_hidden_size = 4 * shape.hidden;
  gpt.num_attention_heads = gpt.num_query_groups = shape.heads;
  gpt.kv_channels = shape.hidden / shape.heads;
  gpt.seq_length = gpt.max_position_embeddings = shape.sequence;
  gpt.vocab_size = shape.vocabulary;
  scenario.training.micro_batch_size = scenario.training.global_batch_size = shape.micro_batch;
  scenario.training.precision = precision;
  job.stages = model::layout(gpt, scenario.parallelism, scenario.stack);
  job.operators = model::list_operators(scenario);
  return job;
}

Sample RandomTokens::sample(std::int64_t index) const {
  Sample sample;
  const auto token = [&](std::int64_t position) {
    const RandomRow row{1, static_cast<std::uint64_t>(index), static_cast<std::uint32_t>(position), 0};
    return static_cast<std::int32_t>(random_word(row, 0) % static_cast<std::uint32_t>(shape_.vocabulary));
  };
  for (std::int64_t i = 0; i < shape_.sequence; ++i) {
    sample.tokens.push_back(token(i));
    sample.targets.push_back(token(i + 1));
    sample.loss_mask.push_back(1.0F);
  }
  sample.valid_length = static_cast<std::int32_t>(shape_.sequence);
  return sample;
}

Groups single_rank_groups() {
  Groups groups;
  groups.world = make_single_communicator();
  groups.tensor = make_single_communicator();
  groups.pipeline = make_single_communicator();
  groups.data = make_single_communicator();
  groups.model = make_single_communicator();
  return groups;
}

}  // namespace shardsim::kernels::gpu

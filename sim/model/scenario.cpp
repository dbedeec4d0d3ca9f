#include "sim/model/scenario.hpp"

namespace shardsim::model {

std::int64_t micro_batches(const Scenario& scenario) {
  return scenario.training.global_batch_size /
         (scenario.training.micro_batch_size * scenario.parallelism.data_parallel_size);
}

int traffic_zero_stage(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const bool unshards = scenario.stack.pipeline_unshards && parallelism.pipeline_model_parallel_size > 1;
  return parallelism.zero_stage == 3 && unshards ? 1 : parallelism.zero_stage;
}

std::int64_t padded_vocab_size(const Model& model, const Parallelism& parallelism) {
  const std::int64_t multiple = model.make_vocab_size_divisible_by * parallelism.tensor_model_parallel_size;
  return (model.vocab_size + multiple - 1) / multiple * multiple;
}

}  // namespace shardsim::model

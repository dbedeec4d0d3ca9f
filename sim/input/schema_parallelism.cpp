#include "sim/input/schema_builder.hpp"

namespace shardsim::input {

using model::Overlap;
using model::Parallelism;

void add_parallelism_keys(std::vector<SchemaKey>& keys) {
  constexpr IntegerRange kDegree{1, 1 << 20};
  constexpr IntegerRange kStageLayers{-1, 10'000};
  const auto section = [](auto& scenario) -> auto& { return scenario.parallelism; };
  Fields fields(keys, "parallelism", section);
  fields
      .integer("tensor_model_parallel_size", &Parallelism::tensor_model_parallel_size, kDegree,
               "GPUs that share each layer")
      .integer("pipeline_model_parallel_size", &Parallelism::pipeline_model_parallel_size, kDegree, "pipeline stages")
      .integer("virtual_pipeline_model_parallel_size", &Parallelism::virtual_pipeline_model_parallel_size, {1, 10'000},
               "model chunks per pipeline stage")
      .integer("context_parallel_size", &Parallelism::context_parallel_size, kDegree, "GPUs that share each sequence")
      .integer("data_parallel_size", &Parallelism::data_parallel_size, kDegree, "replicas of the model")
      .flag("sequence_parallel", &Parallelism::sequence_parallel, "norms and dropout split over the tensor group")
      .choice("cp_comm_type", &Parallelism::cp_comm_type, "how keys and values travel in context parallelism")
      .choice("rank_order", &Parallelism::rank_order, "order in which ranks fill the groups, fastest first")
      .choice("schedule", &Parallelism::schedule, "pipeline schedule")
      .integer("microbatch_group_size_per_virtual_pipeline_stage",
               &Parallelism::microbatch_group_size_per_virtual_pipeline_stage, {0, 1 << 20},
               "micro batches that go through a chunk before the next; 0: the pipeline size")
      .integer("decoder_first_pipeline_num_layers", &Parallelism::decoder_first_pipeline_num_layers, kStageLayers,
               "layers of the first stage; -1: as the rest")
      .integer("decoder_last_pipeline_num_layers", &Parallelism::decoder_last_pipeline_num_layers, kStageLayers,
               "layers of the last stage; -1: as the rest")
      .flag("account_for_embedding_in_pipeline_split", &Parallelism::account_for_embedding_in_pipeline_split,
            "the embedding counts as a layer")
      .flag("account_for_loss_in_pipeline_split", &Parallelism::account_for_loss_in_pipeline_split,
            "the loss counts as a layer")
      .integer("zero_stage", &Parallelism::zero_stage, {0, 3},
               "1: optimizer state sharded; 2: + gradients; 3: + parameters")
      .integer("num_distributed_optimizer_instances", &Parallelism::num_distributed_optimizer_instances, kDegree,
               "replicas of the sharded state");
  fields.nested("overlap", &Parallelism::overlap)
      .flag("grad_reduce", &Overlap::grad_reduce, "gradient reduction beside the backward pass")
      .flag("param_gather", &Overlap::param_gather, "parameter gather beside the forward pass")
      .flag("tensor_parallel", &Overlap::tensor_parallel, "tensor-parallel collectives beside matrix products")
      .flag("pipeline", &Overlap::pipeline, "pipeline sends beside compute");
}

}  // namespace shardsim::input

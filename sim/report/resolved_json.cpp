#include "sim/report/resolved_json.hpp"

#include "sim/model/enum_text.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/parameters.hpp"
#include "sim/report/summary.hpp"

namespace shardsim::report {
namespace {

using model::choice_text;
using nlohmann::ordered_json;

ordered_json model_json(const model::Model& model) {
  ordered_json json;
  json["name"] = model.name;
  json["family"] = choice_text(model.family);
  json["num_layers"] = model.num_layers;
  json["hidden_size"] = model.hidden_size;
  json["ffn_hidden_size"] = model.ffn_hidden_size;
  json["num_attention_heads"] = model.num_attention_heads;
  json["num_query_groups"] = model.num_query_groups;
  json["kv_channels"] = model.kv_channels;
  json["seq_length"] = model.seq_length;
  json["max_position_embeddings"] = model.max_position_embeddings;
  json["vocab_size"] = model.vocab_size;
  json["make_vocab_size_divisible_by"] = model.make_vocab_size_divisible_by;
  json["num_token_types"] = model.num_token_types;
  json["normalization"] = choice_text(model.normalization);
  json["norm_placement"] = choice_text(model.norm_placement);
  json["position_embedding"] = choice_text(model.position_embedding);
  json["activation"] = choice_text(model.activation);
  json["linear_bias"] = choice_text(model.linear_bias);
  json["attention_mask"] = choice_text(model.attention_mask);
  json["output_head"] = choice_text(model.output_head);
  json["output_weights"] = choice_text(model.output_weights);
  json["qk_layernorm"] = model.qk_layernorm;
  json["hidden_dropout"] = model.hidden_dropout;
  json["attention_dropout"] = model.attention_dropout;
  return json;
}

ordered_json parallelism_json(const model::Parallelism& parallelism) {
  ordered_json json;
  json["tensor_model_parallel_size"] = parallelism.tensor_model_parallel_size;
  json["pipeline_model_parallel_size"] = parallelism.pipeline_model_parallel_size;
  json["virtual_pipeline_model_parallel_size"] = parallelism.virtual_pipeline_model_parallel_size;
  json["context_parallel_size"] = parallelism.context_parallel_size;
  json["data_parallel_size"] = parallelism.data_parallel_size;
  json["sequence_parallel"] = parallelism.sequence_parallel;
  json["cp_comm_type"] = choice_text(parallelism.cp_comm_type);
  json["rank_order"] = choice_text(parallelism.rank_order);
  json["schedule"] = choice_text(parallelism.schedule);
  json["microbatch_group_size_per_virtual_pipeline_stage"] =
      parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  json["decoder_first_pipeline_num_layers"] = parallelism.decoder_first_pipeline_num_layers;
  json["decoder_last_pipeline_num_layers"] = parallelism.decoder_last_pipeline_num_layers;
  json["account_for_embedding_in_pipeline_split"] = parallelism.account_for_embedding_in_pipeline_split;
  json["account_for_loss_in_pipeline_split"] = parallelism.account_for_loss_in_pipeline_split;
  json["zero_stage"] = parallelism.zero_stage;
  json["num_distributed_optimizer_instances"] = parallelism.num_distributed_optimizer_instances;
  json["overlap"] = {{"grad_reduce", parallelism.overlap.grad_reduce},
                     {"param_gather", parallelism.overlap.param_gather},
                     {"tensor_parallel", parallelism.overlap.tensor_parallel},
                     {"pipeline", parallelism.overlap.pipeline}};
  return json;
}

ordered_json recompute_json(const model::Recompute& recompute) {
  ordered_json json;
  json["granularity"] = choice_text(recompute.granularity);
  json["method"] = choice_text(recompute.method);
  json["num_layers"] = recompute.num_layers;
  json["modules"] = ordered_json::array();
  if (recompute.modules.core_attention) json["modules"].push_back("core_attn");
  if (recompute.modules.layer_norm) json["modules"].push_back("layernorm");
  if (recompute.modules.mlp_activation) json["modules"].push_back("mlp_act");
  if (recompute.modules.mlp) json["modules"].push_back("mlp");
  json["distribute_saved_activations"] = recompute.distribute_saved_activations;
  return json;
}

ordered_json training_json(const model::Training& training) {
  ordered_json json;
  json["micro_batch_size"] = training.micro_batch_size;
  json["global_batch_size"] = training.global_batch_size;
  json["precision"] = choice_text(training.precision);
  json["gradient_dtype"] = choice_text(training.gradient_dtype);
  json["optimizer"] = choice_text(training.optimizer);
  json["recompute"] = recompute_json(training.recompute);
  json["attention_kernel"] = choice_text(training.attention_kernel);
  json["cross_entropy"] = choice_text(training.cross_entropy);
  json["offload"] = choice_text(training.offload);
  json["defer_embedding_wgrad_compute"] = training.defer_embedding_wgrad_compute;
  return json;
}

ordered_json layers_per_stage(const model::Scenario& scenario) {
  ordered_json stages = ordered_json::array();
  for (const model::Stage& stage : model::layout(scenario.model, scenario.parallelism, scenario.stack)) {
    ordered_json chunks = ordered_json::array();
    for (const model::Chunk& chunk : stage.chunks) chunks.push_back(chunk.layers);
    stages.push_back(std::move(chunks));
  }
  return stages;
}

}  // namespace

ordered_json resolved_json(const model::Scenario& scenario, const memory::Memory& memory) {
  ordered_json json;
  json["name"] = scenario.name;
  json["gpus"] = scenario.gpus;
  json["parameters"] = model::total_parameters(scenario);
  json["bytes_per_parameter"] = bytes_per_parameter(scenario, memory);
  json["data_parallel_size"] = scenario.parallelism.data_parallel_size;
  json["micro_batches_per_iteration"] = model::micro_batches(scenario);
  json["layers_per_stage"] = layers_per_stage(scenario);
  json["padded_vocab_size"] = model::padded_vocab_size(scenario.model, scenario.parallelism);
  json["zero_stage"] = scenario.parallelism.zero_stage;
  json["stack"] = scenario.stack.name;
  json["cluster"] = scenario.cluster.name;
  json["device"] = scenario.cluster.device.name;
  json["peak_format"] = choice_text(scenario.training.precision);
  json["model"] = model_json(scenario.model);
  json["parallelism"] = parallelism_json(scenario.parallelism);
  json["training"] = training_json(scenario.training);
  return json;
}

}  // namespace shardsim::report

// NeMo's YAML: examples/nlp/language_modeling/conf/megatron_gpt_config.yaml and the configurations of
// NeMo-Framework-Launcher (launcher_scripts/conf/training), for megatron_gpt_pretraining.py.
#include <array>
#include <utility>
#include <vector>

#include "sim/input/emit/parts.hpp"

namespace shardsim::input::emitting {
namespace {

using model::Scenario;

/// Lines of one YAML section and what it cannot say.
class Section {
 public:
  explicit Section(std::string indent) : indent_{std::move(indent)} {}
  void add(const std::string& key, const std::string& value) { text_ += indent_ + key + ": " + value + "\n"; }
  void add(const std::string& key, std::int64_t value) { add(key, std::to_string(value)); }
  void add(const std::string& key, bool value) { add(key, std::string(value ? "true" : "false")); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string indent_;
  std::string text_;
};

void add_model(Section& section, const Scenario& scenario) {
  const model::Model& model = scenario.model;
  section.add("encoder_seq_length", model.seq_length);
  section.add("max_position_embeddings", model.max_position_embeddings);
  section.add("num_layers", model.num_layers);
  section.add("hidden_size", model.hidden_size);
  section.add("ffn_hidden_size", model.ffn_hidden_size);
  section.add("num_attention_heads", model.num_attention_heads);
  section.add("num_query_groups", model.num_query_groups);
  section.add("kv_channels", model.kv_channels);
  section.add("make_vocab_size_divisible_by", model.make_vocab_size_divisible_by);
  section.add("hidden_dropout", text_of(scenario, "model.hidden_dropout"));
  section.add("attention_dropout", text_of(scenario, "model.attention_dropout"));
  section.add("normalization",
              std::string(model.normalization == model::Normalization::rms_norm ? "rmsnorm" : "layernorm"));
  const bool swiglu = model.activation == model::Activation::swiglu;
  const bool squared = model.activation == model::Activation::squared_relu;
  section.add("activation", std::string(swiglu ? "fast-swiglu" : squared ? "squared-relu" : "gelu"));
  section.add("bias", model.linear_bias == model::LinearBias::all);
  const bool rotary = model.position_embedding == model::PositionEmbedding::rotary;
  const bool none = model.position_embedding == model::PositionEmbedding::none;
  section.add("position_embedding_type", std::string(rotary ? "rope" : none ? "none" : "learned_absolute"));
  section.add("share_embeddings_and_output_weights", model.output_weights == model::OutputWeights::tied);
}

void add_layout(Section& section, const Scenario& scenario) {
  const model::Parallelism& parallelism = scenario.parallelism;
  section.add("micro_batch_size", scenario.training.micro_batch_size);
  section.add("global_batch_size", scenario.training.global_batch_size);
  section.add("tensor_model_parallel_size", parallelism.tensor_model_parallel_size);
  section.add("pipeline_model_parallel_size", parallelism.pipeline_model_parallel_size);
  const std::int64_t chunks = parallelism.virtual_pipeline_model_parallel_size;
  section.add("virtual_pipeline_model_parallel_size", chunks > 1 ? std::to_string(chunks) : std::string("null"));
  section.add("context_parallel_size", parallelism.context_parallel_size);
  section.add("sequence_parallel", parallelism.sequence_parallel);
  section.add("ub_tp_comm_overlap", parallelism.overlap.tensor_parallel && parallelism.sequence_parallel);
  section.add("overlap_p2p_comm", parallelism.overlap.pipeline && chunks > 1);
  section.add("batch_p2p_comm", !(parallelism.overlap.pipeline && chunks > 1));
}

void add_recompute(Section& section, const model::Recompute& recompute) {
  const bool full = recompute.granularity == model::RecomputeGranularity::full;
  const bool selective = recompute.granularity == model::RecomputeGranularity::selective;
  section.add("activations_checkpoint_granularity", std::string(full ? "full" : selective ? "selective" : "null"));
  const bool block = recompute.method == model::RecomputeMethod::block;
  section.add("activations_checkpoint_method", std::string(!full ? "null" : block ? "block" : "uniform"));
  section.add("activations_checkpoint_num_layers", full ? std::to_string(recompute.num_layers) : std::string("null"));
}

void add_kernels(Section& section, const Scenario& scenario) {
  const model::Training& training = scenario.training;
  section.add("mcore_gpt", true);
  section.add("transformer_engine", true);
  section.add("megatron_amp_O2", model::storage_size(training.precision) < Bytes{4});
  section.add("fp8", training.precision == model::DType::fp8);
  section.add("fp8_hybrid", training.precision == model::DType::fp8);
  section.add("use_flash_attention", training.attention_kernel == model::AttentionKernel::flash);
  section.add("cross_entropy_loss_fusion", training.cross_entropy == model::CrossEntropy::fused_native);
  section.add("gradient_accumulation_fusion", true);
  section.add("bias_activation_fusion", scenario.stack.fusion.bias_activation);
  section.add("bias_dropout_add_fusion", scenario.stack.fusion.bias_dropout_add);
  section.add("masked_softmax_fusion", scenario.stack.fusion.masked_softmax);
  section.add("apply_rope_fusion", scenario.stack.fusion.rotary);
  section.add("defer_embedding_wgrad_compute", training.defer_embedding_wgrad_compute);
}

std::string optimizer(const Scenario& scenario) {
  const bool sharded = scenario.parallelism.zero_stage >= 1;
  Section section("    ");
  section.add("name", std::string(sharded ? "mcore_distributed_optim" : "fused_adam"));
  section.add("overlap_grad_sync", scenario.parallelism.overlap.grad_reduce);
  section.add("overlap_param_sync", scenario.parallelism.overlap.param_gather);
  section.add("grad_sync_dtype", text_of(scenario, "training.gradient_dtype"));
  section.add("lr", std::string("1e-4"));
  return "  optim:\n" + section.text();
}

/// Settings that NeMo's file has no key for.
std::vector<std::string> beyond(const Scenario& scenario) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const model::Training& training = scenario.training;
  std::vector<std::string> keys;
  const auto unless = [&](bool said, const char* key) {
    if (!said) keys.emplace_back(key);
  };
  const bool plain_schedule = parallelism.schedule == model::Schedule::one_f_one_b ||
                              parallelism.schedule == model::Schedule::interleaved_one_f_one_b;
  unless(scenario.model.family != model::Family::bert, "model.family");
  unless(scenario.model.position_embedding != model::PositionEmbedding::alibi, "model.position_embedding");
  unless(scenario.model.norm_placement == model::NormPlacement::pre, "model.norm_placement");
  // The tokenizer's files decide it.
  keys.emplace_back("model.vocab_size");
  unless(plain_schedule, "parallelism.schedule");
  unless(parallelism.zero_stage <= 1, "parallelism.zero_stage");
  unless(parallelism.rank_order == model::RankOrder::tp_cp_dp_pp, "parallelism.rank_order");
  unless(training.optimizer == model::OptimizerKind::adam, "training.optimizer");
  unless(training.recompute.granularity != model::RecomputeGranularity::operators, "training.recompute.granularity");
  const bool loss_said = training.cross_entropy == model::CrossEntropy::unfused ||
                         training.cross_entropy == model::CrossEntropy::fused_native;
  unless(loss_said, "training.cross_entropy");
  unless(training.offload == model::Offload::none, "training.offload");
  return keys;
}

std::string precision(model::DType dtype) {
  switch (dtype) {
    case model::DType::fp16:
      return "16";
    case model::DType::bf16:
    case model::DType::fp8:
      return "bf16";
    case model::DType::fp32:
    case model::DType::tf32:
      return "32";
  }
  return "";
}

}  // namespace

std::string emit_nemo(const Scenario& scenario) {
  std::string text = headline(scenario) + "\n";
  text += "# python megatron_gpt_pretraining.py --config-path $PWD --config-name FILE: on top of megatron_gpt_config\n";
  for (const std::string& key : beyond(scenario))
    text += not_said(scenario, key, "no key of NeMo's file says it") + "\n";
  text += "defaults:\n  - megatron_gpt_config\n  - _self_\n";
  const Nodes nodes = nodes_of(scenario);
  Section trainer("  ");
  trainer.add("num_nodes", nodes.nodes);
  trainer.add("devices", nodes.per_node);
  trainer.add("precision", precision(scenario.training.precision));
  trainer.add("max_steps", std::string("100"));
  Section model("  ");
  add_layout(model, scenario);
  add_model(model, scenario);
  add_recompute(model, scenario.training.recompute);
  add_kernels(model, scenario);
  return text + "trainer:\n" + trainer.text() + "model:\n" + model.text() + optimizer(scenario) +
         "  data:\n    data_impl: mock\n    data_prefix: []\n    seq_length: " +
         std::to_string(scenario.model.seq_length) + "\n";
}

}  // namespace shardsim::input::emitting

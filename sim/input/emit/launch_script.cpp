// A launch script of Megatron-LM or Megatron-DeepSpeed.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/input/emit/megatron_flags.hpp"
#include "sim/input/emit/parts.hpp"
#include "sim/input/emit/read_back.hpp"

namespace shardsim::input::emitting {
namespace {

using model::Scenario;

constexpr const char* kConfigFile = "ds_config.json";

/// Settings without which a script that lacks them would not even be a valid job: set aside from the start where the
/// generation has no flag for them.
std::vector<std::string> beyond(const Scenario& scenario, Generations generation) {
  constexpr std::array<const char*, 8> kKeys{"parallelism.pipeline_model_parallel_size",
                                             "parallelism.virtual_pipeline_model_parallel_size",
                                             "parallelism.context_parallel_size",
                                             "parallelism.decoder_first_pipeline_num_layers",
                                             "parallelism.decoder_last_pipeline_num_layers",
                                             "parallelism.account_for_embedding_in_pipeline_split",
                                             "parallelism.account_for_loss_in_pipeline_split",
                                             "training.global_batch_size"};
  const Scenario plain;
  std::vector<std::string> keys;
  for (const char* key : kKeys) {
    const bool differs = text_of(scenario, key) != text_of(plain, key);
    if (differs && !has_flag_for(key, generation)) keys.emplace_back(key);
  }
  const model::Schedule schedule = scenario.parallelism.schedule;
  if (schedule == model::Schedule::gpipe || schedule == model::Schedule::breadth_first) {
    keys.emplace_back("parallelism.schedule");
  }
  return keys;
}

std::string program(const Scenario& scenario, Generations generation) {
  if (scenario.model.family == model::Family::bert) return "pretrain_bert.py";
  return generation == kV1 ? "pretrain_gpt2.py" : "pretrain_gpt.py";
}

std::string launcher(const Scenario& scenario, Generations generation) {
  const Nodes nodes = nodes_of(scenario);
  const std::string count = std::to_string(nodes.nodes);
  const std::string per_node = std::to_string(nodes.per_node);
  if (generation == kDeepSpeed) return "deepspeed --num_nodes " + count + " --num_gpus " + per_node;
  const bool old = generation == kV1 || generation == kV2;
  return (old ? "python -m torch.distributed.launch" : "torchrun") + std::string(" --nproc_per_node ") + per_node +
         " --nnodes " + count + " --node_rank ${NODE_RANK:-0} --master_addr ${MASTER_ADDR:-localhost}" +
         " --master_port ${MASTER_PORT:-6000}";
}

std::string data_flags(Generations generation) {
  const std::string steps = "--train-iters ${STEPS:-100} --lr 1e-4 --lr-decay-style cosine ";
  if (generation == kCore) return steps + "${DATA:---mock-data}";
  if (generation == kV1) return steps + "--train-data ${DATA:-data.json} --split 949,50,1";
  return steps + "--data-path ${DATA:-data_text_document} --vocab-file ${VOCAB:-vocab.json}" +
         " --merge-file ${MERGES:-merges.txt}";
}

std::string deepspeed_config(const Scenario& scenario) {
  using nlohmann::ordered_json;
  const model::Training& training = scenario.training;
  ordered_json config;
  config["train_batch_size"] = training.global_batch_size;
  config["train_micro_batch_size_per_gpu"] = training.micro_batch_size;
  config["gradient_accumulation_steps"] = model::micro_batches(scenario);
  ordered_json zero;
  zero["stage"] = scenario.parallelism.zero_stage;
  zero["overlap_comm"] = scenario.parallelism.overlap.grad_reduce;
  // Counted in elements of two bytes.
  if (scenario.stack.gradient_bucket > Bytes{1}) {
    zero["reduce_bucket_size"] = scenario.stack.gradient_bucket.value() / 2;
  }
  if (training.offload != model::Offload::none) zero["offload_optimizer"] = {{"device", "cpu"}};
  if (training.offload == model::Offload::optimizer_and_parameters) zero["offload_param"] = {{"device", "cpu"}};
  config["zero_optimization"] = zero;
  config["fp16"] = {{"enabled", training.precision == model::DType::fp16}};
  config["bf16"] = {{"enabled", training.precision == model::DType::bf16}};
  return config.dump(2);
}

/// Lines of flags, one a subject, continued by backslashes.
std::string command(const Scenario& scenario, Generations generation, const std::vector<Flag>& flags) {
  std::string text = launcher(scenario, generation) + " \\\n  " + program(scenario, generation);
  for (int subject = 0; subject < kSubjects; ++subject) {
    std::string line;
    for (const Flag& flag : flags) {
      if (static_cast<int>(flag.subject) == subject) line += " " + flag.text;
    }
    if (!line.empty()) text += " \\\n   " + line;
  }
  if (generation == kDeepSpeed) text += " \\\n    --deepspeed --deepspeed_config " + std::string(kConfigFile);
  return text + " \\\n    " + data_flags(generation) + "\n";
}

struct Script {
  Written written;
  std::vector<Flag> flags;
};

/// Flags, then the switches that take away, then what is left over.
Script compose(const Scenario& scenario, Generations generation, const SamePrediction& same) {
  Script script;
  script.flags = megatron_flags(scenario, generation);
  Written& written = script.written;
  if (generation == kDeepSpeed) written.deepspeed_config = deepspeed_config(scenario);
  written.set_aside = beyond(scenario, generation);
  written.script = command(scenario, generation, script.flags);
  for (const std::string& key : differences(read_back(written, scenario), scenario)) {
    const Flag flag = taking_away(scenario, key, generation);
    if (!flag.text.empty()) script.flags.push_back(flag);
  }
  written.script = command(scenario, generation, script.flags);
  const Scenario read = read_back(written, scenario);
  for (const std::string& key : differences(read, scenario)) {
    if (!same(with_value_of(scenario, read, key), scenario)) written.set_aside.push_back(key);
  }
  return script;
}

std::string text_of_script(const Scenario& scenario, Generations generation, const SamePrediction& same) {
  const Script script = compose(scenario, generation, same);
  std::string text = "#!/bin/bash\n" + headline(scenario) + "\n";
  const Nodes nodes = nodes_of(scenario);
  if (scenario.gpus > scenario.cluster.gpus_per_node && nodes.per_node != scenario.cluster.gpus_per_node) {
    text += "# " + std::to_string(scenario.gpus) + " GPUs do not fill nodes of " +
            std::to_string(scenario.cluster.gpus_per_node) + ": give predict --gpus as well\n";
  }
  for (const std::string& key : script.written.set_aside) {
    text += not_said(scenario, key, "no flag of " + scenario.stack.name + " says it") + "\n";
  }
  const bool shares_layers =
      scenario.parallelism.tensor_model_parallel_size > 1 || scenario.parallelism.context_parallel_size > 1;
  // Megatron's own check: kernels of one stream must start in order, except under its FSDP.
  if (shares_layers && scenario.parallelism.zero_stage < 2) text += "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
  if (!script.written.deepspeed_config.empty()) {
    text += "# predict reads it with --deepspeed-config " + std::string(kConfigFile) + "\n";
    text += "cat > " + std::string(kConfigFile) + " <<'END'\n" + script.written.deepspeed_config + "\nEND\n";
  }
  return text + script.written.script;
}

}  // namespace

std::string emit_megatron(const Scenario& scenario, const SamePrediction& same) {
  return text_of_script(scenario, generation_of(scenario.stack.name), same);
}

std::string emit_megatron_deepspeed(const Scenario& scenario, const SamePrediction& same) {
  return text_of_script(scenario, kDeepSpeed, same);
}

}  // namespace shardsim::input::emitting

#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

constexpr std::string_view kA100 = R"(
title = "test A100"
provenance = "round numbers"
[device]
memory_capacity = "80 GiB"
memory_bandwidth = "2 TB/s"
multiprocessors = 108
kernel_latency = "5 us"
[device.gemm.fp32]
peak = "20 TFLOP/s"
efficiency = 0.5
[device.gemm.tf32]
peak = "156 TFLOP/s"
efficiency = 0.5
[device.gemm.bf16]
peak = "312 TFLOP/s"
efficiency = 0.5
[device.gemm.fp16]
peak = "312 TFLOP/s"
efficiency = 0.5
[device.attention]
forward_efficiency = 0.5
backward_efficiency = 0.4
[device.memory_bound]
elementwise_efficiency = 0.8
normalization_efficiency = 0.8
softmax_efficiency = 0.8
optimizer_efficiency = 0.8
)";

constexpr std::string_view kV100 = R"(
title = "test V100"
[device]
memory_capacity = "32 GiB"
memory_bandwidth = "900 GB/s"
[device.gemm.fp32]
peak = "16 TFLOP/s"
efficiency = 0.5
[device.gemm.fp16]
peak = "125 TFLOP/s"
efficiency = 0.5
[device.attention]
forward_efficiency = 0.5
backward_efficiency = 0.4
[device.memory_bound]
elementwise_efficiency = 0.8
normalization_efficiency = 0.8
softmax_efficiency = 0.8
optimizer_efficiency = 0.8
)";

constexpr std::string_view kA100Dgx = R"(
title = "test DGX A100"
[cluster]
device = "a100"
gpus_per_node = 8
nics_per_node = 8
inter_node_scaling = [[2, 1.0], [4, 0.9]]
[cluster.intra_node]
bandwidth = "300 GB/s"
efficiency = 0.8
[cluster.inter_node]
bandwidth = "200 Gb/s"
efficiency = 0.8
[device]
memory_capacity = "79 GiB"
)";

constexpr std::string_view kV100Dgx2h = R"(
[cluster]
device = "v100"
gpus_per_node = 16
nics_per_node = 8
[cluster.intra_node]
bandwidth = "150 GB/s"
efficiency = 0.8
[cluster.inter_node]
bandwidth = "100 Gb/s"
efficiency = 0.8
)";

constexpr std::string_view kCoreTe = R"(
title = "test Megatron-Core"
[stack]
default_attention_kernel = "flash"
default_cross_entropy = "fused_native"
[stack.default_overlap]
grad_reduce = true
)";

constexpr std::string_view k2019 = R"(
[stack]
interleaving = "multiple_of_pipeline"
gradient_dtype_fp16 = "fp16"
)";

constexpr std::string_view kDeepSpeed = R"(
[stack]
zero_with_pipeline = false
interleaving = "multiple_of_pipeline"
)";

constexpr std::string_view kNanotron = R"(
[stack]
layer_split = "balanced_blocks"
)";

constexpr std::string_view kGpt3 = R"(
title = "GPT-3 175B"
[model]
num_layers = 96
hidden_size = 12288
num_attention_heads = 96
seq_length = 2048
vocab_size = 51200
)";

constexpr std::string_view kLlama2 = R"(
title = "LLaMA-2 70B"
[model]
family = "llama"
num_layers = 80
hidden_size = 8192
ffn_hidden_size = 28672
num_attention_heads = 64
num_query_groups = 8
seq_length = 4096
vocab_size = 32000
)";

}  // namespace

const std::vector<Preset>& test_presets() {
  static const std::vector<Preset> presets{{"clusters", "a100-dgx", kA100Dgx},
                                           {"clusters", "v100-dgx2h", kV100Dgx2h},
                                           {"devices", "a100", kA100},
                                           {"devices", "v100", kV100},
                                           {"models", "gpt3-175b", kGpt3},
                                           {"models", "llama2-70b", kLlama2},
                                           {"stacks", "megatron-2019", k2019},
                                           {"stacks", "megatron-core-te", kCoreTe},
                                           {"stacks", "megatron-deepspeed", kDeepSpeed},
                                           {"stacks", "nanotron", kNanotron}};
  return presets;
}

model::Scenario resolve_text(std::string_view text) {
  Problems problems;
  const Settings settings = read_scenario(text, "run.toml", problems);
  problems.throw_if_any();
  return resolve(settings, test_presets());
}

std::vector<Problem> problems_of(std::string_view text) {
  try {
    (void)resolve_text(text);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace shardsim::input::test

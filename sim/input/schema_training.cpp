#include <algorithm>
#include <array>

#include "sim/input/schema_builder.hpp"

namespace shardsim::input {
namespace {

using model::Recompute;
using model::RecomputeModules;
using model::Training;

struct Module {
  std::string_view name;
  bool RecomputeModules::*member;
};
constexpr std::array kModules{
    Module{"core_attn", &RecomputeModules::core_attention}, Module{"layernorm", &RecomputeModules::layer_norm},
    Module{"mlp_act", &RecomputeModules::mlp_activation}, Module{"mlp", &RecomputeModules::mlp}};
/// Parts that the models here do not have.
constexpr std::array<std::string_view, 4> kAbsentModules{"moe", "moe_act", "shared_experts", "mla_up_proj"};

/// "core_attn layernorm", or "none".
Parsed<RecomputeModules> parse_modules(std::string_view text) {
  RecomputeModules modules;
  for (const Module& module : kModules) modules.*module.member = false;
  std::vector<std::string_view> names{"none"};
  names.insert(names.end(), kAbsentModules.begin(), kAbsentModules.end());
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    bool found = std::find(names.begin(), names.end(), word) != names.end();
    for (const Module& module : kModules) {
      if (module.name != word) continue;
      modules.*module.member = true;
      found = true;
    }
    if (!found) {
      return {{}, in_quotes(word) + " is no recomputable part (core_attn, layernorm, mlp_act, mlp)"};
    }
  }
  return {modules, {}};
}

std::string write_modules(const RecomputeModules& modules) {
  std::string text;
  for (const Module& module : kModules) {
    if (modules.*module.member) add_word(text, module.name, " ");
  }
  return text.empty() ? "none" : text;
}

}  // namespace

void add_training_keys(std::vector<SchemaKey>& keys) {
  const auto section = [](auto& scenario) -> auto& { return scenario.training; };
  Fields fields(keys, "training", section);
  fields.integer("micro_batch_size", &Training::micro_batch_size, {1, 1 << 16}, "sequences of one micro batch")
      .integer("global_batch_size", &Training::global_batch_size, {1, 1 << 28}, "sequences of one iteration")
      .choice("precision", &Training::precision, "format of the matrix products")
      .choice("gradient_dtype", &Training::gradient_dtype, "format in which gradients are summed and reduced")
      .choice("optimizer", &Training::optimizer, "optimizer")
      .choice("attention_kernel", &Training::attention_kernel, "attention as separate steps or as one kernel")
      .number("attention_slowdown", &Training::attention_slowdown, {0.1, 100.0},
              "fused attention's time over that of FlashAttention-2")
      .choice("cross_entropy", &Training::cross_entropy, "implementation of the loss")
      .quantity("cublas_workspace", &Training::cublas_workspace, "one cuBLAS workspace")
      .choice("offload", &Training::offload, "what is kept in the host's memory")
      .flag("defer_embedding_wgrad_compute", &Training::defer_embedding_wgrad_compute,
            "output-layer weight gradients wait for the drain of the pipeline")
      .integer("wgrad_deferral_limit", &Training::wgrad_deferral_limit, {0, 1 << 20},
               "micro batches that wait at most; 0 = all");
  fields.nested("recompute", &Training::recompute)
      .choice("granularity", &Recompute::granularity, "what is recomputed in the backward pass")
      .choice("method", &Recompute::method, "groups of layers, or the first layers of each chunk")
      .integer("num_layers", &Recompute::num_layers, {1, 10'000}, "layers of a group or of the recomputed block")
      .flag("distribute_saved_activations", &Recompute::distribute_saved_activations,
            "checkpointed inputs are divided over the tensor group")
      .custom(
          "modules", "list of core_attn, layernorm, mlp_act, mlp", "parts recomputed by selective granularity",
          [](model::Scenario& scenario, std::string_view text) {
            const auto parsed = parse_modules(text);
            if (parsed.value) scenario.training.recompute.modules = *parsed.value;
            return parsed.error;
          },
          [](const model::Scenario& scenario) { return write_modules(scenario.training.recompute.modules); });
}

}  // namespace shardsim::input

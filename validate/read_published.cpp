#include "validate/framework_rules.hpp"
#include "validate/readers.hpp"
#include "validate/row.hpp"

namespace shardsim::validate {
namespace {

constexpr double kDecimalGigabyte = 1e9;

void model(const Json& row, SettingWriter& settings) {
  settings.set("model.family", text(row, {"model", "family"}));
  settings.set("model.num_layers", integer(row, {"model", "layers"}));
  settings.set("model.hidden_size", integer(row, {"model", "hidden"}));
  settings.set("model.num_attention_heads", integer(row, {"model", "heads"}));
  settings.set("model.num_query_groups", integer(row, {"model", "kv_heads"}));
  settings.set("model.ffn_hidden_size", integer(row, {"model", "ffn"}));
  settings.set("model.seq_length", integer(row, {"model", "seq"}));
  settings.set("model.vocab_size", integer(row, {"model", "vocab"}));
}

/// llm-foundry trains MPT (no biases, ALiBi); nanotron's 1 B and 3 B models tie the embeddings. Qi et al. (2023) give
/// no vocabulary: with 32,000 tokens (a SentencePiece tokenizer, as in the fork's examples) their four models have the
/// parameter counts that name them (14.6 and 28.3 B; GPT-2's 50,257 would make them 14.7 and 28.4 B).
void model_rules(const Json& row, const std::string& stack, SettingWriter& settings) {
  if (text(row, {"framework"}).find("llm-foundry") != std::string::npos) {
    settings.set("model.family", std::string{"mpt"});
  }
  if (stack == "megatron-zero-bubble") settings.set("model.vocab_size", std::string{"32000"});
  const std::int64_t hidden = integer(row, {"model", "hidden"}).value_or(0);
  if (stack == "nanotron" && hidden < 4096) {
    settings.assume("model.output_weights", "tied", "nanotron's 1 B and 3 B models tie the embeddings");
  }
  if (stack == "megatron-zero-bubble") {
    settings.assume("model.output_weights", "untied", "the zero-bubble fork's launch scripts untie the embeddings");
  }
}

void layout(const Json& row, SettingWriter& settings) {
  settings.set("parallelism.tensor_model_parallel_size", integer(row, {"parallel", "tp"}));
  settings.set("parallelism.pipeline_model_parallel_size", integer(row, {"parallel", "pp"}));
  settings.set("parallelism.context_parallel_size", integer(row, {"parallel", "cp"}));
  settings.set("parallelism.data_parallel_size", integer(row, {"parallel", "dp"}));
  const std::int64_t chunks = integer(row, {"parallel", "vpp"}).value_or(1);
  if (chunks > 1) settings.set("parallelism.virtual_pipeline_model_parallel_size", std::to_string(chunks));
  const std::int64_t tp = integer(row, {"parallel", "tp"}).value_or(1);
  settings.set("parallelism.sequence_parallel",
               std::optional<bool>{tp > 1 && flag(row, {"parallel", "sp"}).value_or(false)});
  settings.set("cluster.gpus", integer(row, {"hardware", "gpus"}));
}

/// False where the device is unknown.
bool hardware(const Json& row, SettingWriter& settings) {
  const std::string device = text(row, {"hardware", "device"});
  const std::string cluster = text(row, {"hardware", "cluster"});
  if (!cluster.empty()) {
    settings.set("cluster.preset", cluster);
  } else if (const std::string usual = usual_cluster(device); !usual.empty()) {
    settings.assume("cluster.preset", usual, "the source names no cluster: the usual node of this device");
  } else {
    return false;
  }
  if (!device.empty()) settings.set("device.preset", device);
  return true;
}

MemoryKind memory_kind(const std::string& kind) {
  if (kind.find("reserved") != std::string::npos) return MemoryKind::reserved;
  if (kind.find("smi") != std::string::npos) return MemoryKind::device;
  if (kind.find("last_rank") != std::string::npos) return MemoryKind::allocated_last;
  return MemoryKind::allocated_worst;
}

void measured_time(const Json& row, Record& record) {
  // Megatron's functional tests keep memory to 0.5 %; their times move by −85 to +89 % between refreshes.
  if (text(row, {"source"}).find("functional-test golden values") != std::string::npos) return;
  if (const auto time = number(row, {"measured", "iteration_s"})) {
    record.iteration = Seconds{*time};
  } else if (const auto tflops = number(row, {"measured", "tflops_per_gpu"})) {
    const bool hardware = integer(row, {"year"}).value_or(0) <= 2020 ||
                          text(row, {"measured", "flops_convention"}).find("recompute") != std::string::npos;
    (hardware ? record.hardware_tflops_per_gpu : record.model_tflops_per_gpu) = *tflops;
  } else {
    record.mfu = number(row, {"measured", "mfu"});
  }
}

void measured(const Json& row, Record& record) {
  measured_time(row, record);
  const std::string kind = text(row, {"measured", "memory_kind"});
  if (const auto memory = number(row, {"measured", "memory_gb"})) {
    record.memory = rounded_bytes(*memory * kDecimalGigabyte);
    record.memory_kind = memory_kind(kind);
  }
  const std::string outcome = text(row, {"outcome"});
  if (outcome.empty() || outcome == "fits") {
    record.outcome = Outcome::fits;
  } else if (outcome == "oom") {
    record.outcome = Outcome::out_of_memory;
  } else {
    record.unmodelled = "outcome: " + outcome;
  }
}

}  // namespace

Record read_published_row(const Json& row, const std::string& file, int line) {
  Record record;
  record.id = text(row, {"id"});
  record.source = text(row, {"source"});
  record.where = text(row, {"source_where"});
  record.quality = text(row, {"quality"});
  record.suspect = text(row, {"suspect"});
  SettingWriter settings{record.settings, file, line};
  const std::string framework = text(row, {"framework"});
  const std::string stack = stack_of(framework, static_cast<int>(integer(row, {"year"}).value_or(0)));
  measured(row, record);
  if (stack.empty()) {
    record.unmodelled = "framework " + framework;
    return record;
  }
  if (integer(row, {"parallel", "ep"}).value_or(1) > 1) {
    record.unmodelled = "expert parallelism";
    return record;
  }
  model(row, settings);
  model_rules(row, stack, settings);
  layout(row, settings);
  if (!hardware(row, settings)) record.unmodelled = "device " + text(row, {"hardware", "device"});
  apply_framework_rules(row, stack, settings);
  const bool one_layer = integer(row, {"model", "layers"}).value_or(0) == 1;
  if (one_layer) record.extent = Extent::one_layer;
  return record;
}

}  // namespace shardsim::validate

// DeepSpeed's JSON: https://www.deepspeed.ai/docs/config-json/.
#include <algorithm>
#include <array>
#include <cctype>

#include "sim/input/framework_config.hpp"
#include "sim/input/framework_json.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

using nlohmann::json;

class DeepSpeedReader {
 public:
  DeepSpeedReader(const json& config, std::string_view text, const std::string& file, Settings& settings,
                  Problems& problems)
      : config_{config}, file_{file}, reader_{text, file, settings}, settings_{settings}, problems_{problems} {}

  void read() {
    reader_.take(config_, "train_batch_size", "training.global_batch_size");
    reader_.take(config_, "train_micro_batch_size_per_gpu", "training.micro_batch_size");
    reader_.take(config_, "gradient_accumulation_steps", "training.gradient_accumulation_steps");
    read_precision();
    read_zero();
    read_optimizer();
    warn_unmodelled();
  }

 private:
  /// The member object of that name; empty when it is missing. Anything else than an object is a problem.
  [[nodiscard]] json section(const json& parent, const char* name) {
    const auto member = parent.find(name);
    if (member == parent.end() || member->is_null()) return json::object();
    if (member->is_object()) return *member;
    problems_.add({reader_.origin(name), name, json_text(*member), "must be an object {…}"});
    return json::object();
  }

  void read_precision() {
    bool mixed = false;
    for (const char* format : {"fp16", "bf16", "bfloat16"}) {
      const json precision = section(config_, format);
      const auto enabled = precision.find("enabled");
      if (enabled == precision.end()) continue;
      const std::string value = json_text(*enabled);
      const std::string name = std::string(format) == "fp16" ? "fp16" : "bf16";
      mixed = mixed || value != "false";
      if (value == "true") {
        reader_.put("training.precision", name, format);
      } else if (is_left_open(value)) {
        reader_.put("training.precision", value, format, "left open in " + file_);
      } else if (value != "false") {
        problems_.add({reader_.origin(format), std::string(format) + ".enabled", value, "must be true or false"});
      }
    }
    if (!mixed) reader_.put("training.precision", "fp32", "fp16", "neither fp16 nor bf16 enabled in " + file_);
  }

  void read_zero() {
    const json zero = section(config_, "zero_optimization");
    reader_.take(zero, "stage", "parallelism.zero_stage");
    reader_.take(zero, "overlap_comm", "parallelism.overlap.grad_reduce");
    read_bucket(zero);
    const bool parameters = is_offloaded(zero, "offload_param");
    const bool optimizer =
        is_offloaded(zero, "offload_optimizer") || json_text(zero.value("cpu_offload", json())) == "true";
    if (parameters) {
      reader_.put("training.offload", "optimizer_and_parameters", "offload_param");
    } else if (optimizer) {
      reader_.put("training.offload", "optimizer", "offload_optimizer");
    }
    const auto shards = zero.find("zero_hpz_partition_size");
    if (shards != zero.end() && json_text(*shards) != "1") {
      settings_.warn(file_ + ": zero_hpz_partition_size (ZeRO++) bears on performance and is not modelled");
    }
  }

  [[nodiscard]] bool is_offloaded(const json& zero, const char* name) {
    const json offload = section(zero, name);
    const auto device = offload.find("device");
    if (device == offload.end()) return false;
    const std::string value = json_text(*device);
    if (value == "none" || value == "None") return false;
    if (value == "cpu") return true;
    if (value == "nvme") {
      settings_.warn(file_ + ": " + name + " to nvme is taken as to cpu");
      return true;
    }
    problems_.add({reader_.origin(name), std::string(name) + ".device", value, "must be none, cpu or nvme"});
    return false;
  }

  /// DeepSpeed counts a bucket in elements; gradients are reduced in two bytes each.
  void read_bucket(const json& zero) {
    constexpr const char* kName = "reduce_bucket_size";
    constexpr double kBytesPerElement = 2.0;
    const auto bucket = zero.find(kName);
    if (bucket == zero.end() || bucket->is_null()) return;
    const std::string value = json_text(*bucket);
    // "auto" is the square of the hidden size in Hugging Face's integration: a bucket that hides latency as well.
    if (value == "auto") return;
    const auto elements = parse_number(value);
    if (elements.value && *elements.value >= 1.0 && *elements.value <= 1e12) {
      reader_.put("stack.gradient_bucket", to_text(rounded_bytes(*elements.value * kBytesPerElement)), kName);
    } else if (is_left_open(value)) {
      reader_.put("stack.gradient_bucket", value, kName, "left open in " + file_);
    } else {
      problems_.add({reader_.origin(kName), kName, value, "must be a number of elements, 1 … 1e12"});
    }
  }

  void read_optimizer() {
    const json optimizer = section(config_, "optimizer");
    const auto type = optimizer.find("type");
    if (type == optimizer.end()) return;
    std::string name = json_text(*type);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 3> kKnown{"adam", "lamb", "sgd"};
    for (const std::string_view known : kKnown) {
      // AdamW, FusedAdam, OneBitLamb and the like hold the same states.
      if (name.find(known) != std::string::npos)
        return reader_.put("training.optimizer", std::string(known), "optimizer");
    }
    settings_.warn(file_ + ": optimizer " + name + " is not modelled; the stack's own is taken");
  }

  void warn_unmodelled() {
    for (const char* name : {"activation_checkpointing", "sparse_attention", "compression_training", "autotuning",
                             "curriculum_learning", "data_efficiency"}) {
      if (config_.contains(name)) {
        settings_.warn(file_ + ": " + name +
                       " bears on performance and is not modelled; give recompute and sizes as flags");
      }
    }
  }

  const json& config_;
  const std::string& file_;
  JsonReader reader_;
  Settings& settings_;
  Problems& problems_;
};

/// The templates of Megatron-DeepSpeed hold bare words for sed to replace, {"train_batch_size": GBSIZE}; as JSON they
/// are placeholders in quotes.
std::string with_quoted_placeholders(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
           c == '_';
  };
  std::string result;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool starts = !in_string && std::isupper(static_cast<unsigned char>(c)) != 0 &&
                        (at == 0 || std::string_view(": \t\n").find(text[at - 1]) != std::string_view::npos);
    if (starts) {
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      result += in_quotes("${" + std::string(text.substr(at, end - at)) + "}");
      at = end - 1;
      continue;
    }
    if (c == '"') in_string = !in_string;
    result += c;
    if (in_string && c == '\\' && at + 1 < text.size()) result += text[++at];
  }
  return result;
}

}  // namespace

Settings read_deepspeed_config(std::string_view raw, const std::string& file, Problems& problems) {
  Settings settings;
  const std::string text = with_quoted_placeholders(raw);
  const auto config = parse_json_object(text, file, problems);
  if (config) DeepSpeedReader(*config, text, file, settings, problems).read();
  return settings;
}

}  // namespace shardsim::input

// Hugging Face config.json: https://huggingface.co/docs/transformers (configuration_gpt2, _bert, _llama).
#include <algorithm>
#include <array>

#include "sim/base/suggest.hpp"
#include "sim/input/framework_config.hpp"
#include "sim/input/framework_json.hpp"
#include "sim/input/text.hpp"

namespace shardsim::input {
namespace {

using nlohmann::json;

struct Name {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array kGpt2{Name{"n_layer", "model.num_layers"},
                           Name{"n_embd", "model.hidden_size"},
                           Name{"n_head", "model.num_attention_heads"},
                           Name{"n_inner", "model.ffn_hidden_size"},
                           Name{"n_positions", "model.max_position_embeddings"},
                           Name{"vocab_size", "model.vocab_size"},
                           Name{"resid_pdrop", "model.hidden_dropout"},
                           Name{"attn_pdrop", "model.attention_dropout"}};

constexpr std::array kBert{Name{"num_hidden_layers", "model.num_layers"},
                           Name{"hidden_size", "model.hidden_size"},
                           Name{"num_attention_heads", "model.num_attention_heads"},
                           Name{"intermediate_size", "model.ffn_hidden_size"},
                           Name{"max_position_embeddings", "model.max_position_embeddings"},
                           Name{"vocab_size", "model.vocab_size"},
                           Name{"type_vocab_size", "model.num_token_types"},
                           Name{"hidden_dropout_prob", "model.hidden_dropout"},
                           Name{"attention_probs_dropout_prob", "model.attention_dropout"}};

constexpr std::array kLlama{Name{"num_hidden_layers", "model.num_layers"},
                            Name{"hidden_size", "model.hidden_size"},
                            Name{"num_attention_heads", "model.num_attention_heads"},
                            Name{"num_key_value_heads", "model.num_query_groups"},
                            Name{"head_dim", "model.kv_channels"},
                            Name{"intermediate_size", "model.ffn_hidden_size"},
                            Name{"max_position_embeddings", "model.max_position_embeddings"},
                            Name{"vocab_size", "model.vocab_size"},
                            Name{"attention_dropout", "model.attention_dropout"}};

/// Model types that are built as LLaMA is, but for details that bear little on memory and time.
constexpr std::array<Name, 4> kLlamaLike{Name{"mistral", "its sliding attention window is taken as full attention"},
                                         Name{"qwen2", "the bias of its query, key and value projections is left out"},
                                         Name{"qwen3", "taken as LLaMA with normalised queries and keys"},
                                         Name{"yi", "taken as LLaMA"}};

struct Activation {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array kPlainActivations{Activation{"gelu", "gelu"}, Activation{"gelu_new", "gelu"},
                                       Activation{"gelu_fast", "gelu"}, Activation{"gelu_pytorch_tanh", "gelu"},
                                       Activation{"relu2", "squared_relu"}};
constexpr std::array kGatedActivations{Activation{"silu", "swiglu"}, Activation{"swish", "swiglu"}};

class HfReader {
 public:
  HfReader(const json& config, std::string_view text, const std::string& file, Settings& settings, Problems& problems)
      : config_{config}, file_{file}, reader_{text, file, settings}, settings_{settings}, problems_{problems} {}

  void read() {
    const auto type = member_text("model_type");
    if (type == "gpt2") {
      put_family("gpt", "model_type");
      take_all(kGpt2);
      take_activation("activation_function", "gelu_new", kPlainActivations);
      assume_sequence("n_positions");
    } else if (type == "bert") {
      put_family("bert", "model_type");
      reader_.put("model.norm_placement", "post", "model_type");
      take_all(kBert);
      take_activation("hidden_act", "gelu", kPlainActivations);
      assume_sequence("max_position_embeddings");
    } else if (const Name* like = llama_like(type); type == "llama" || like != nullptr) {
      if (like != nullptr) settings_.warn(file_ + ": model_type " + in_quotes(type) + ": " + std::string(like->ours));
      read_llama(type);
    } else {
      refuse_type(type);
    }
    // HF configs carry torch_dtype, the format of the stored checkpoint, not of the training: passed over.
    read_experts();
  }

 private:
  [[nodiscard]] std::string member_text(const char* name) const {
    const auto member = config_.find(name);
    return member == config_.end() || member->is_null() ? std::string() : json_text(*member);
  }

  [[nodiscard]] static const Name* llama_like(std::string_view type) {
    const auto found =
        std::find_if(kLlamaLike.begin(), kLlamaLike.end(), [&](const Name& like) { return like.theirs == type; });
    return found == kLlamaLike.end() ? nullptr : &*found;
  }

  template <class Names>
  void take_all(const Names& names) {
    for (const Name& name : names) reader_.take(config_, std::string(name.theirs), std::string(name.ours));
  }

  void put_family(const std::string& family, const std::string& name) { reader_.put("model.family", family, name); }

  void read_llama(const std::string& type) {
    put_family("llama", "model_type");
    take_all(kLlama);
    take_activation("hidden_act", "silu", kGatedActivations);
    if (member_text("tie_word_embeddings") == "true") {
      reader_.put("model.output_weights", "tied", "tie_word_embeddings");
    }
    if (type == "qwen3") reader_.put("model.qk_layernorm", "true", "model_type");
    assume_sequence("max_position_embeddings");
  }

  template <class Activations>
  void take_activation(const char* name, const std::string& by_default, const Activations& known) {
    const std::string given = member_text(name);
    const std::string& wanted = given.empty() ? by_default : given;
    std::string list;
    for (const Activation& activation : known) {
      if (activation.theirs == wanted) return reader_.put("model.activation", std::string(activation.ours), name);
      add_word(list, activation.theirs);
    }
    problems_.add({reader_.origin(name), "model.activation", wanted, "is not modelled; known here: " + list});
  }

  /// A config names the longest sequence that the model can take, not the one that it is trained on.
  void assume_sequence(const char* name) {
    const std::string longest = member_text(name);
    if (!longest.empty()) reader_.put("model.seq_length", longest, name, std::string(name) + " of " + file_);
  }

  void read_experts() {
    for (const char* name : {"num_local_experts", "num_experts", "n_routed_experts"}) {
      reader_.take(config_, name, "model.num_experts");
    }
  }

  void refuse_type(const std::string& type) {
    std::vector<std::string_view> known{"gpt2", "bert", "llama"};
    for (const Name& like : kLlamaLike) known.push_back(like.theirs);
    std::string list;
    for (const std::string_view one : known) add_word(list, one);
    if (type.empty()) {
      problems_.add({{file_, 0, {}}, "model_type", {}, "is missing; one of: " + list});
      return;
    }
    std::string message = "is not modelled; known: " + list;
    if (const auto near = nearest(type, known)) message += "; did you mean " + in_quotes(*near) + "?";
    problems_.add({reader_.origin("model_type"), "model_type", type, std::move(message)});
  }

  const json& config_;
  const std::string& file_;
  JsonReader reader_;
  Settings& settings_;
  Problems& problems_;
};

}  // namespace

Settings read_hf_config(std::string_view text, const std::string& file, Problems& problems) {
  Settings settings;
  const auto config = parse_json_object(text, file, problems);
  if (config) HfReader(*config, text, file, settings, problems).read();
  return settings;
}

}  // namespace shardsim::input

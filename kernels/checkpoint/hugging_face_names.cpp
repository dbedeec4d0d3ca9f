#include "kernels/checkpoint/hugging_face_names.hpp"

#include <string_view>
#include <utility>

#include "kernels/checkpoint/checkpoint_error.hpp"

namespace shardsim::kernels {
namespace {

/// What becomes of a parameter's outputs (rows of a weight, elements of a bias).
enum class Outputs { same, vocabulary, joint_heads, separate_heads };
enum class Order { as_stored, conv1d };

struct Entry {
  std::string_view ours;
  std::string_view theirs;
  Outputs outputs = Outputs::same;
  Order order = Order::as_stored;
};

using Table = std::vector<Entry>;

const Table& gpt2_layer() {
  static const Table table = {{"input_layernorm", "ln_1"},
                              {"self_attention.linear_qkv", "attn.c_attn", Outputs::joint_heads, Order::conv1d},
                              {"self_attention.linear_proj", "attn.c_proj", Outputs::same, Order::conv1d},
                              {"pre_mlp_layernorm", "ln_2"},
                              {"mlp.linear_fc1", "mlp.c_fc", Outputs::same, Order::conv1d},
                              {"mlp.linear_fc2", "mlp.c_proj", Outputs::same, Order::conv1d}};
  return table;
}

const Table& gpt2_ends() {
  static const Table table = {{"embedding.word_embeddings", "wte", Outputs::vocabulary},
                              {"embedding.position_embeddings", "wpe"},
                              {"decoder.final_layernorm", "ln_f"},
                              {"output_layer", "lm_head", Outputs::vocabulary}};
  return table;
}

const Table& bert_layer() {
  static const Table table = {{"input_layernorm", "attention.ln"},
                              {"self_attention.linear_qkv", "attention.self.", Outputs::separate_heads},
                              {"self_attention.linear_proj", "attention.output.dense"},
                              {"pre_mlp_layernorm", "ln"},
                              {"attention_output_layernorm", "attention.output.LayerNorm"},
                              {"mlp.linear_fc1", "intermediate.dense"},
                              {"mlp.linear_fc2", "output.dense"},
                              {"output_layernorm", "output.LayerNorm"}};
  return table;
}

const Table& bert_ends() {
  static const Table table = {{"embedding.word_embeddings", "bert.embeddings.word_embeddings", Outputs::vocabulary},
                              {"embedding.position_embeddings", "bert.embeddings.position_embeddings"},
                              {"embedding.tokentype_embeddings", "bert.embeddings.token_type_embeddings"},
                              {"embedding.layernorm", "bert.embeddings.LayerNorm"},
                              {"decoder.final_layernorm", "bert.encoder.ln"},
                              {"pooler", "bert.pooler.dense"},
                              {"lm_head.dense", "cls.predictions.transform.dense"},
                              {"lm_head.layer_norm", "cls.predictions.transform.LayerNorm"},
                              {"output_layer", "cls.predictions", Outputs::vocabulary},
                              {"binary_head", "cls.seq_relationship"}};
  return table;
}

/// Neighbouring outputs of the parameter that are neighbours in a tensor of `of` outputs.
struct OutputBlock {
  std::string stem;
  std::int64_t first;
  std::int64_t tensor_first;
  std::int64_t count;
  std::int64_t of;
};

std::vector<OutputBlock> blocks_of_heads(const model::Model& model, const std::string& stem, Outputs outputs) {
  static constexpr std::string_view kNames[] = {"query", "key", "value"};
  const std::int64_t size = model.kv_channels;
  const std::int64_t width = model.num_attention_heads * size;
  const bool joint = outputs == Outputs::joint_heads;
  std::vector<OutputBlock> blocks;
  for (std::int64_t head = 0; head < model.num_attention_heads; ++head) {
    for (std::int64_t part = 0; part < 3; ++part) {
      const std::int64_t first = (head * 3 + part) * size;
      if (joint) {
        blocks.push_back({stem, first, part * width + head * size, size, 3 * width});
      } else {
        blocks.push_back({stem + std::string(kNames[part]), first, head * size, size, width});
      }
    }
  }
  return blocks;
}

std::vector<OutputBlock> blocks_of(const model::Model& model, const Entry& entry, const std::string& stem,
                                   std::int64_t outputs) {
  switch (entry.outputs) {
    case Outputs::same:
      return {{stem, 0, 0, outputs, outputs}};
    case Outputs::vocabulary:
      return {{stem, 0, 0, model.vocab_size, model.vocab_size}};
    default:
      return blocks_of_heads(model, stem, entry.outputs);
  }
}

/// "decoder.layers.7.mlp" -> 7 and "mlp"; −1 outside layers.
std::pair<std::int64_t, std::string> layer_of(const std::string& stem) {
  constexpr std::string_view kPrefix = "decoder.layers.";
  if (stem.compare(0, kPrefix.size(), kPrefix) != 0) return {-1, stem};
  const std::size_t dot = stem.find('.', kPrefix.size());
  return {std::stoll(stem.substr(kPrefix.size())), stem.substr(dot + 1)};
}

const Entry* find(const Table& table, const std::string& stem) {
  for (const Entry& entry : table) {
    if (entry.ours == stem) return &entry;
  }
  return nullptr;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::vector<HuggingFacePiece> hugging_face_pieces(const model::Model& model, const Parameter& parameter) {
  const bool bert = model.family == model::Family::bert;
  const std::size_t dot = parameter.name.rfind('.');
  const std::string ending = parameter.name.substr(dot);
  const auto [layer, stem] = layer_of(parameter.name.substr(0, dot));
  const bool in_layer = layer >= 0;
  const Entry* entry =
      bert ? find(in_layer ? bert_layer() : bert_ends(), stem) : find(in_layer ? gpt2_layer() : gpt2_ends(), stem);
  if (entry == nullptr) {
    refuse_checkpoint("", parameter.name,
                      "has no counterpart in Hugging Face's " + std::string(bert ? "BERT" : "GPT-2"));
  }
  const std::string prefix = in_layer ? (bert ? "bert.encoder.layer." : "h.") + std::to_string(layer) + "." : "";

  const bool is_vector = parameter.rows == 1 && (ending == ".bias" || ends_with(stem, "norm"));
  const std::int64_t outputs = is_vector ? parameter.columns : parameter.rows;
  std::vector<HuggingFacePiece> pieces;
  for (const OutputBlock& block : blocks_of(model, *entry, prefix + std::string(entry->theirs), outputs)) {
    HuggingFacePiece piece;
    piece.tensor = block.stem + ending;
    if (is_vector) {
      piece.shape = {block.of};
      piece.column = block.first;
      piece.rows = 1;
      piece.columns = block.count;
      piece.tensor_column = block.tensor_first;
    } else {
      piece.transposed = entry->order == Order::conv1d;
      piece.shape =
          piece.transposed ? std::vector{parameter.columns, block.of} : std::vector{block.of, parameter.columns};
      piece.row = block.first;
      piece.rows = block.count;
      piece.columns = parameter.columns;
      (piece.transposed ? piece.tensor_column : piece.tensor_row) = block.tensor_first;
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::vector<std::string> hugging_face_aliases(const std::string& tensor) {
  std::vector<std::string> names = {"transformer." + tensor};
  if (ends_with(tensor, "LayerNorm.weight")) names.push_back(tensor.substr(0, tensor.size() - 6) + "gamma");
  if (ends_with(tensor, "LayerNorm.bias")) names.push_back(tensor.substr(0, tensor.size() - 4) + "beta");
  return names;
}

}  // namespace shardsim::kernels

// Where the elements of the trainer's parameters lie in Hugging Face's tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/model/parameter.hpp"
#include "sim/model/model.hpp"

namespace shardsim::kernels {

/// A rectangle of a whole parameter (vectors: one row) and its place in a tensor of the file.
struct HuggingFacePiece {
  std::string tensor;
  std::vector<std::int64_t> shape;
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// Row and column of its first element in the tensor, as the tensor is stored.
  std::int64_t tensor_row = 0;
  std::int64_t tensor_column = 0;
  /// The tensor is [in, out] (GPT-2's Conv1D) where the parameter is [out, in].
  bool transposed = false;
};

/// GPT-2: GPT2LMHeadModel (transformers, modeling_gpt2.py). BERT after the original: BertForPreTraining
/// (modeling_bert.py); in Megatron's arrangement: MegatronBertForPreTraining (modeling_megatron_bert.py). Padding of
/// the vocabulary is in no piece. Of linear_qkv, rows (head, q/k/v, channel) become three blocks of heads. Throws
/// InputError for a parameter that these models do not have.
[[nodiscard]] std::vector<HuggingFacePiece> hugging_face_pieces(const model::Model& model, const Parameter& parameter);

/// Other names under which files in use hold this tensor: with the prefix of an enclosing model, or LayerNorm.gamma and
/// .beta of BERT's first checkpoints.
[[nodiscard]] std::vector<std::string> hugging_face_aliases(const std::string& tensor);

}  // namespace shardsim::kernels

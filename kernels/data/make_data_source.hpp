// From the user's files, or nothing, to samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/data/data_source.hpp"

namespace shardsim::kernels {

/// Megatron's flags without their dashes.
struct DataOptions {
  /// A text file (blank lines part documents); empty: synthetic tokens.
  std::string path;
  /// vocab.json of GPT-2 or vocab.txt of BERT; empty: bytes.
  std::string vocab_file;
  /// merges.txt of GPT-2.
  std::string merge_file;
  /// GPT2BPETokenizer, BertWordPieceLowerCase, BertWordPieceCase, ByteTokenizer; empty: by the model and the files.
  std::string tokenizer_type;
};

/// Samples for this model: next tokens for a causal one, masked tokens and sentence order for BERT. Throws InputError
/// naming file, key and remedy: unreadable files, a vocabulary that the model does not hold, a text too short for one
/// sample.
[[nodiscard]] std::unique_ptr<DataSource> make_data_source(const model::Model& model, const DataOptions& options,
                                                           std::uint64_t seed);

}  // namespace shardsim::kernels

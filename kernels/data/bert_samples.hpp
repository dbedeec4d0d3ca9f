// Pairs of neighbouring text for BERT, from documents of sentences.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/data/bert_pairs.hpp"
#include "kernels/data/data_source.hpp"
#include "kernels/data/tokenizer.hpp"

namespace shardsim::kernels {

/// Sentences of one document.
using Document = std::vector<Tokens>;

/// Blank lines part documents; a sentence ends at a line's end, or at . ! ? before a space.
[[nodiscard]] std::vector<std::vector<std::string_view>> split_sentences(std::string_view text);

/// Runs of sentences of a document that fill a sample (one in ten stops earlier, Megatron's short_seq_prob), each
/// parted at a random sentence. Null when no document has two sentences.
[[nodiscard]] std::unique_ptr<DataSource> make_bert_samples(std::vector<Document> documents, const BertRules& rules,
                                                            std::uint64_t seed, std::string description);

}  // namespace shardsim::kernels

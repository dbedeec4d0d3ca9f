#include "kernels/data/make_data_source.hpp"

#include <string_view>
#include <utility>

#include "kernels/data/bert_samples.hpp"
#include "kernels/data/gpt_samples.hpp"
#include "kernels/data/synthetic_samples.hpp"
#include "kernels/data/text_file.hpp"
#include "kernels/data/tokenizer.hpp"
#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

constexpr std::string_view kTypes = "GPT2BPETokenizer, BertWordPieceLowerCase, BertWordPieceCase, ByteTokenizer";

[[noreturn]] void refuse_option(const std::string& key, const std::string& value, const std::string& message) {
  throw InputError({Problem{{}, key, value, message}});
}

std::string tokenizer_type(const model::Model& model, const DataOptions& options) {
  if (!options.tokenizer_type.empty()) return options.tokenizer_type;
  if (options.vocab_file.empty() && options.merge_file.empty()) return "ByteTokenizer";
  return model.family == model::Family::bert ? "BertWordPieceLowerCase" : "GPT2BPETokenizer";
}

void require_file(const std::string& file, const std::string& key, const std::string& type) {
  if (file.empty()) refuse_option(key, "", type + " needs it; or leave out both, and bytes are tokens");
}

std::unique_ptr<Tokenizer> make_tokenizer(const model::Model& model, const DataOptions& options) {
  const std::string type = tokenizer_type(model, options);
  if (type == "ByteTokenizer") return make_byte_tokenizer();
  if (type == "GPT2BPETokenizer") {
    require_file(options.vocab_file, "vocab-file", type);
    require_file(options.merge_file, "merge-file", type);
    return make_bpe_tokenizer(options.vocab_file, options.merge_file);
  }
  if (type == "BertWordPieceLowerCase" || type == "BertWordPieceCase") {
    require_file(options.vocab_file, "vocab-file", type);
    return make_word_piece_tokenizer(options.vocab_file,
                                     type == "BertWordPieceCase" ? LetterCase::keep : LetterCase::lower);
  }
  refuse_option("tokenizer-type", type, "one of " + std::string(kTypes));
}

/// GPT: ids of bytes end at 255, so that small vocabularies will do.
std::int64_t needed_vocabulary(const Tokenizer& tokenizer, bool bert) {
  const std::int64_t bytes_only = 256;
  return !bert && tokenizer.name() == "bytes" ? bytes_only : tokenizer.size();
}

std::string with_separators(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string describe(std::int64_t tokens, const DataOptions& options, const Tokenizer& tokenizer) {
  return with_separators(tokens) + " tokens of " + options.path + " (" + tokenizer.name() + ")";
}

std::unique_ptr<DataSource> next_tokens(const model::Model& model, const DataOptions& options, std::uint64_t seed,
                                        const Tokenizer& tokenizer, const std::string& text) {
  Tokens tokens = tokenizer.encode(text);
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (count <= model.seq_length) {
    refuse_file(options.path, "data-path",
                "holds " + std::to_string(count) + " tokens; one sample needs seq-length + 1 = " +
                    std::to_string(model.seq_length + 1) + ": name a longer text or a smaller --seq-length");
  }
  return make_gpt_samples(std::move(tokens), model.seq_length, seed, describe(count, options, tokenizer));
}

std::unique_ptr<DataSource> sentence_pairs(const model::Model& model, const DataOptions& options, std::uint64_t seed,
                                           const Tokenizer& tokenizer, const std::string& text) {
  std::vector<Document> documents;
  std::int64_t count = 0;
  for (const auto& sentences : split_sentences(text)) {
    Document& document = documents.emplace_back();
    for (const std::string_view sentence : sentences) {
      Tokens tokens = tokenizer.encode(sentence);
      count += static_cast<std::int64_t>(tokens.size());
      if (!tokens.empty()) document.push_back(std::move(tokens));
    }
  }
  const BertRules rules{model.seq_length, tokenizer.special(), tokenizer.size()};
  auto samples = make_bert_samples(std::move(documents), rules, seed, describe(count, options, tokenizer));
  if (samples == nullptr) {
    refuse_file(
        options.path, "data-path",
        "holds no document of two sentences, which BERT's samples need: sentences end at . ! ? or a line's end, "
        "and blank lines part documents");
  }
  return samples;
}

}  // namespace

std::unique_ptr<DataSource> make_data_source(const model::Model& model, const DataOptions& options,
                                             std::uint64_t seed) {
  const bool bert = model.family == model::Family::bert;
  constexpr std::int64_t kShortestPair = 5;  // [CLS] a [SEP] b [SEP]
  if (bert && model.seq_length < kShortestPair) {
    refuse_option("seq-length", std::to_string(model.seq_length), "a pair of sentences needs at least 5 tokens");
  }
  if (options.path.empty()) {
    constexpr std::int64_t kSmallest = 8;  // BERT's four special tokens and some to choose from
    if (model.vocab_size < kSmallest) {
      refuse_option("vocab-size", std::to_string(model.vocab_size), "synthetic tokens need at least 8");
    }
    return make_synthetic_samples(model, seed);
  }
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(model, options);
  if (bert && tokenizer->special().mask < 0) {
    refuse_option("tokenizer-type", tokenizer_type(model, options),
                  "BERT needs a vocabulary with [MASK]: BertWordPieceLowerCase, BertWordPieceCase or ByteTokenizer");
  }
  if (const std::int64_t needed = needed_vocabulary(*tokenizer, bert); needed > model.vocab_size) {
    refuse_option("vocab-size", std::to_string(model.vocab_size),
                  "the tokens of " + (options.vocab_file.empty() ? tokenizer->name() : options.vocab_file) + " need " +
                      std::to_string(needed));
  }
  const std::string text = read_text_file(options.path, "data-path");
  return bert ? sentence_pairs(model, options, seed, *tokenizer, text)
              : next_tokens(model, options, seed, *tokenizer, text);
}

}  // namespace shardsim::kernels

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "kernels/data/bpe_words.hpp"
#include "kernels/data/characters.hpp"
#include "kernels/data/text_file.hpp"
#include "kernels/data/tokenizer.hpp"

namespace shardsim::kernels {
namespace {

using Ids = std::unordered_map<std::string, std::int32_t>;

/// Radford et al.'s bytes_to_unicode: printable bytes stand for themselves, the others for U+0100 and up.
std::array<std::string, 256> byte_names() {
  std::array<std::string, 256> names;
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    names[byte] = utf8(printable ? byte : next++);
  }
  return names;
}

Ids read_vocabulary(const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(read_text_file(path, "vocab-file"), nullptr, false);
  if (!json.is_object()) refuse_file(path, "vocab-file", "is not a JSON object of tokens and ids (GPT-2's vocab.json)");
  Ids ids;
  for (const auto& [token, id] : json.items()) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
        id.get<std::int64_t>() > std::numeric_limits<std::int32_t>::max()) {
      refuse_file(path, "vocab-file", "the id of \"" + token + "\" is " + id.dump() + ", not a number from 0 up");
    }
    ids.emplace(token, id.get<std::int32_t>());
  }
  if (ids.empty()) refuse_file(path, "vocab-file", "holds no token");
  return ids;
}

/// "a b" -> rank, the order in which pairs are joined.
Ids read_merges(const std::string& path) {
  Ids ranks;
  for (const std::string& line : lines_of(read_text_file(path, "merge-file"))) {
    if (line.empty() || (ranks.empty() && line.rfind("#version", 0) == 0)) continue;
    const std::size_t space = line.find(' ');
    if (space == 0 || space == std::string::npos || space + 1 == line.size()) {
      refuse_file(path, "merge-file", "\"" + line + "\" is not a pair of tokens (GPT-2's merges.txt)");
    }
    ranks.emplace(line, static_cast<std::int32_t>(ranks.size()));
  }
  return ranks;
}

/// Large texts go in pieces, cut where no word can cross: at a line's end between two characters that are no spaces.
std::size_t piece_length(std::string_view text) {
  constexpr std::size_t kPiece = 1 << 20;
  const auto is_ascii_word = [&](std::size_t i) { return text[i] > ' ' && text[i] < 0x7F; };
  for (std::size_t i = kPiece; i + 1 < text.size(); ++i) {
    if (text[i] == '\n' && is_ascii_word(i - 1) && is_ascii_word(i + 1)) return i;
  }
  return text.size();
}

class BpeTokenizer final : public Tokenizer {
 public:
  BpeTokenizer(const std::string& vocab_file, const std::string& merge_file)
      : ids_{read_vocabulary(vocab_file)}, ranks_{read_merges(merge_file)} {
    for (const auto& [token, id] : ids_) size_ = std::max<std::int64_t>(size_, std::int64_t{id} + 1);
    for (const std::string& name : names_) {
      if (ids_.count(name) == 0) refuse_file(vocab_file, "vocab-file", "lacks the byte \"" + name + "\"");
    }
    for (const auto& [pair, rank] : ranks_) {
      std::string joined = pair;
      joined.erase(joined.find(' '), 1);
      if (ids_.count(joined) == 0) {
        refuse_file(vocab_file, "vocab-file", "lacks \"" + joined + "\", which " + merge_file + " makes");
      }
    }
    if (const auto end = ids_.find("<|endoftext|>"); end != ids_.end()) special_.end_of_text = end->second;
  }

  [[nodiscard]] Tokens encode(std::string_view text) const override {
    Tokens tokens;
    std::unordered_map<std::string_view, Tokens> known;
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, piece_length(text));
      for (const std::string_view word : bpe_words(piece)) {
        auto [entry, added] = known.try_emplace(word);
        if (added) entry->second = encode_word(word);
        tokens.insert(tokens.end(), entry->second.begin(), entry->second.end());
      }
      text.remove_prefix(piece.size());
    }
    return tokens;
  }
  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const SpecialTokens& special() const override { return special_; }
  [[nodiscard]] std::string name() const override { return "GPT-2 BPE"; }

 private:
  /// Joins the neighbours that were joined first in training, until no pair is known (Sennrich et al. 2016).
  [[nodiscard]] Tokens encode_word(std::string_view word) const {
    std::vector<std::string> parts;
    for (const char c : word) parts.push_back(names_[static_cast<unsigned char>(c)]);
    for (;;) {
      std::int32_t best = std::numeric_limits<std::int32_t>::max();
      std::size_t at = 0;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto rank = ranks_.find(parts[i] + " " + parts[i + 1]);
        if (rank == ranks_.end() || rank->second >= best) continue;
        best = rank->second;
        at = i;
      }
      if (best == std::numeric_limits<std::int32_t>::max()) break;
      parts[at] += parts[at + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    Tokens tokens;
    for (const std::string& part : parts) tokens.push_back(ids_.at(part));
    return tokens;
  }

  std::array<std::string, 256> names_ = byte_names();
  Ids ids_;
  Ids ranks_;
  std::int64_t size_ = 0;
  SpecialTokens special_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_bpe_tokenizer(const std::string& vocab_file, const std::string& merge_file) {
  return std::make_unique<BpeTokenizer>(vocab_file, merge_file);
}

}  // namespace shardsim::kernels

#include "kernels/data/bert_samples.hpp"

#include <algorithm>
#include <utility>

namespace shardsim::kernels {
namespace {

constexpr double kShortShare = 0.1;

/// Sentences first … last − 1 of a document.
struct Run {
  std::size_t document;
  std::size_t first;
  std::size_t last;
};

std::vector<Run> fill_runs(const std::vector<Document>& documents, std::int64_t seq_length, std::uint64_t seed) {
  std::vector<Run> runs;
  const std::int64_t longest = seq_length - 3;
  RandomStream random{combine(seed, hash_text("lengths"))};
  for (std::size_t document = 0; document < documents.size(); ++document) {
    const Document& sentences = documents[document];
    for (std::size_t first = 0; first + 1 < sentences.size();) {
      const bool is_short = random.uniform() < kShortShare && longest > 2;
      const std::int64_t wanted = is_short ? 2 + random.below(longest - 1) : longest;
      std::size_t last = first;
      std::int64_t length = 0;
      while (last < sentences.size() && (length < wanted || last < first + 2)) {
        length += static_cast<std::int64_t>(sentences[last++].size());
      }
      runs.push_back({document, first, last});
      first = last;
    }
  }
  return runs;
}

class BertSamples final : public DataSource {
 public:
  BertSamples(std::vector<Document> documents, std::vector<Run> runs, const BertRules& rules, std::uint64_t seed,
              std::string description)
      : documents_{std::move(documents)},
        runs_{std::move(runs)},
        rules_{rules},
        seed_{seed},
        description_{std::move(description)} {}

  [[nodiscard]] Sample sample(std::int64_t index) const override {
    const auto count = static_cast<std::int64_t>(runs_.size());
    const auto epoch = static_cast<std::uint64_t>(index / count);
    const Run& run = runs_[static_cast<std::size_t>(permuted(index % count, count, combine(seed_, epoch)))];
    RandomStream random{combine(combine(seed_, hash_text("sample")), static_cast<std::uint64_t>(index))};
    const auto sentences = static_cast<std::int64_t>(run.last - run.first);
    const std::size_t middle = run.first + 1 + static_cast<std::size_t>(random.below(sentences - 1));
    return make_bert_sample(rules_, joined(run.document, run.first, middle), joined(run.document, middle, run.last),
                            random);
  }
  [[nodiscard]] std::string description() const override { return description_; }

 private:
  [[nodiscard]] Tokens joined(std::size_t document, std::size_t first, std::size_t last) const {
    Tokens tokens;
    for (std::size_t i = first; i < last; ++i) {
      const Tokens& sentence = documents_[document][i];
      tokens.insert(tokens.end(), sentence.begin(), sentence.end());
    }
    return tokens;
  }

  std::vector<Document> documents_;
  std::vector<Run> runs_;
  BertRules rules_;
  std::uint64_t seed_;
  std::string description_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
}

void split_line(std::string_view line, std::vector<std::string_view>& sentences) {
  std::size_t first = 0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const bool ends = (line[i] == '.' || line[i] == '!' || line[i] == '?') && line[i + 1] == ' ';
    if (!ends) continue;
    sentences.push_back(trimmed(line.substr(first, i + 1 - first)));
    first = i + 1;
  }
  sentences.push_back(trimmed(line.substr(first)));
}

}  // namespace

std::vector<std::vector<std::string_view>> split_sentences(std::string_view text) {
  std::vector<std::vector<std::string_view>> documents(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      if (!documents.back().empty()) documents.emplace_back();
    } else {
      split_line(line, documents.back());
    }
  }
  if (documents.back().empty()) documents.pop_back();
  return documents;
}

std::unique_ptr<DataSource> make_bert_samples(std::vector<Document> documents, const BertRules& rules,
                                              std::uint64_t seed, std::string description) {
  std::vector<Run> runs = fill_runs(documents, rules.seq_length, seed);
  if (runs.empty()) return nullptr;
  return std::make_unique<BertSamples>(std::move(documents), std::move(runs), rules, seed, std::move(description));
}

}  // namespace shardsim::kernels

#include "kernels/data/synthetic_samples.hpp"

#include "kernels/data/bert_pairs.hpp"
#include "kernels/data/random_stream.hpp"

namespace shardsim::kernels {
namespace {

constexpr double kRuleShare = 0.75;

class SyntheticSamples final : public DataSource {
 public:
  SyntheticSamples(const model::Model& model, std::uint64_t seed)
      : vocab_size_{model.vocab_size}, seq_length_{model.seq_length}, seed_{seed} {
    bert_ = model.family == model::Family::bert;
    rules_.seq_length = seq_length_;
    rules_.special = {0, 1, 2, 3, -1};
    rules_.random_tokens = vocab_size_;
  }

  [[nodiscard]] Sample sample(std::int64_t index) const override {
    RandomStream random{combine(combine(seed_, hash_text("synthetic")), static_cast<std::uint64_t>(index))};
    if (!bert_) return next_tokens(random);
    const std::int64_t tokens = seq_length_ - 3;
    const std::int64_t first = tokens > 1 ? 1 + random.below(tokens - 1) : 1;
    Tokens a = chain(first, random);
    Tokens b = chain(tokens - first, random);
    return make_bert_sample(rules_, std::move(a), std::move(b), random);
  }
  [[nodiscard]] std::string description() const override {
    return "synthetic tokens of a vocabulary of " + std::to_string(vocab_size_);
  }

 private:
  [[nodiscard]] Sample next_tokens(RandomStream& random) const {
    Tokens tokens = chain(seq_length_ + 1, random);
    Sample sample;
    sample.targets.assign(tokens.begin() + 1, tokens.end());
    tokens.pop_back();
    sample.tokens = std::move(tokens);
    sample.loss_mask.assign(static_cast<std::size_t>(seq_length_), 1.0F);
    sample.valid_length = static_cast<std::int32_t>(seq_length_);
    return sample;
  }

  [[nodiscard]] Tokens chain(std::int64_t length, RandomStream& random) const {
    const std::int64_t specials = bert_ ? 4 : 0;
    const std::int64_t choices = vocab_size_ - specials;
    Tokens tokens;
    for (std::int64_t i = 0; i < length; ++i) {
      const bool by_rule = i > 0 && random.uniform() < kRuleShare;
      const std::int64_t token =
          by_rule ? permuted(tokens.back() - specials, choices, combine(seed_, 1)) : random.below(choices);
      tokens.push_back(static_cast<std::int32_t>(specials + token));
    }
    return tokens;
  }

  std::int64_t vocab_size_;
  std::int64_t seq_length_;
  std::uint64_t seed_;
  bool bert_ = false;
  BertRules rules_;
};

}  // namespace

std::unique_ptr<DataSource> make_synthetic_samples(const model::Model& model, std::uint64_t seed) {
  return std::make_unique<SyntheticSamples>(model, seed);
}

}  // namespace shardsim::kernels

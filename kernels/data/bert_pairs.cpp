#include "kernels/data/bert_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardsim::kernels {
namespace {

bool is_special(const SpecialTokens& special, std::int32_t token) {
  return token == special.pad || token == special.classification || token == special.separator || token == special.mask;
}

void truncate(Tokens& a, Tokens& b, std::int64_t longest, RandomStream& random) {
  while (static_cast<std::int64_t>(a.size() + b.size()) > longest) {
    Tokens& longer = a.size() > b.size() ? a : b;
    if (random.below(2) == 0) {
      longer.erase(longer.begin());
    } else {
      longer.pop_back();
    }
  }
}

void append(Sample& sample, const Tokens& tokens, std::int32_t separator, std::int32_t type) {
  sample.tokens.insert(sample.tokens.end(), tokens.begin(), tokens.end());
  sample.tokens.push_back(separator);
  sample.token_types.resize(sample.tokens.size(), type);
}

std::int32_t random_token(const BertRules& rules, RandomStream& random) {
  for (;;) {
    const auto token = static_cast<std::int32_t>(random.below(rules.random_tokens));
    if (!is_special(rules.special, token)) return token;
  }
}

void mask(const BertRules& rules, Sample& sample, RandomStream& random) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sample.tokens.size(); ++i) {
    if (!is_special(rules.special, sample.tokens[i])) places.push_back(i);
  }
  const double share = std::round(rules.masked_share * static_cast<double>(sample.tokens.size()));
  const std::size_t chosen = std::min(places.size(), static_cast<std::size_t>(std::max(1.0, share)));
  for (std::size_t i = 0; i < chosen; ++i) {
    const auto left = static_cast<std::int64_t>(places.size() - i);
    std::swap(places[i], places[i + static_cast<std::size_t>(random.below(left))]);
    sample.loss_mask[places[i]] = 1.0F;
    std::int32_t& shown = sample.tokens[places[i]];
    const double fate = random.uniform();
    if (fate < 0.8) {
      shown = rules.special.mask;
    } else if (fate >= 0.9) {
      shown = random_token(rules, random);
    }
  }
}

}  // namespace

Sample make_bert_sample(const BertRules& rules, Tokens a, Tokens b, RandomStream& random) {
  Sample sample;
  sample.sentence_order = static_cast<std::int32_t>(random.below(2));
  if (sample.sentence_order == 1) std::swap(a, b);
  truncate(a, b, rules.seq_length - 3, random);

  sample.tokens = {rules.special.classification};
  append(sample, a, rules.special.separator, 0);
  append(sample, b, rules.special.separator, 1);
  sample.valid_length = static_cast<std::int32_t>(sample.tokens.size());
  sample.targets = sample.tokens;
  sample.loss_mask.assign(sample.tokens.size(), 0.0F);
  mask(rules, sample, random);

  const auto length = static_cast<std::size_t>(rules.seq_length);
  sample.tokens.resize(length, rules.special.pad);
  sample.targets.resize(length, rules.special.pad);
  sample.token_types.resize(length, 0);
  sample.loss_mask.resize(length, 0.0F);
  return sample;
}

}  // namespace shardsim::kernels

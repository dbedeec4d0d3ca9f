// One BERT sample from two runs of sentences: [CLS] A [SEP] B [SEP], some tokens hidden.
#pragma once

#include "kernels/data/data_source.hpp"
#include "kernels/data/random_stream.hpp"
#include "kernels/data/tokenizer.hpp"

namespace shardsim::kernels {

struct BertRules {
  std::int64_t seq_length = 0;
  SpecialTokens special;
  /// Random replacements are 0 … random_tokens − 1 without the special ones.
  std::int64_t random_tokens = 0;
  double masked_share = 0.15;
};

/// Megatron-LM's build_training_sample (bert_dataset.py): half of the pairs swap places (sentence order, as in ALBERT),
/// too long pairs lose tokens at either end of the longer part, 15 % of the tokens (at least one) become targets, of
/// which 80 % are shown as [MASK], 10 % as they are and 10 % as another token (Devlin et al. 2018, section 3.1).
/// Single tokens are masked: neither n-grams nor whole words.
[[nodiscard]] Sample make_bert_sample(const BertRules& rules, Tokens a, Tokens b, RandomStream& random);

}  // namespace shardsim::kernels

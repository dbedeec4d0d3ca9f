// Training samples: a pure function of seed and index, so that every layout sees the same batches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/model/model.hpp"

namespace shardsim::kernels {

/// One sequence of model.seq_length tokens.
struct Sample {
  std::vector<std::int32_t> tokens;
  /// GPT: the next token at each position. BERT: the original token at masked positions.
  std::vector<std::int32_t> targets;
  /// BERT's segments, else empty.
  std::vector<std::int32_t> token_types;
  /// 1 where the loss counts.
  std::vector<float> loss_mask;
  /// Tokens before padding.
  std::int32_t valid_length = 0;
  /// BERT: 1 = the second segment was swapped in (Megatron's sentence-order label).
  std::int32_t sentence_order = 0;
};

class DataSource {
 public:
  virtual ~DataSource() = default;
  /// Any index >= 0; epochs follow one another, each in its own order.
  [[nodiscard]] virtual Sample sample(std::int64_t index) const = 0;
  /// "3,456,789 tokens of corpus.txt (bytes)".
  [[nodiscard]] virtual std::string description() const = 0;
};

}  // namespace shardsim::kernels

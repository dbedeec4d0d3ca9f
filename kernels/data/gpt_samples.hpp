// Next-token samples: the text's tokens in a row, cut into sequences.
#pragma once

#include <memory>

#include "kernels/data/data_source.hpp"
#include "kernels/data/tokenizer.hpp"

namespace shardsim::kernels {

/// Sample i of an epoch is one of the disjoint pieces of seq_length tokens, each with the token after it as last
/// target; `tokens` holds at least seq_length + 1.
[[nodiscard]] std::unique_ptr<DataSource> make_gpt_samples(Tokens tokens, std::int64_t seq_length, std::uint64_t seed,
                                                           std::string description);

}  // namespace shardsim::kernels

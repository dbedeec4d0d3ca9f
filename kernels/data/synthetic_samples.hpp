// Tokens without a text: seeded, endless, and with a rule that can be learnt.
#pragma once

#include <memory>

#include "kernels/data/data_source.hpp"

namespace shardsim::kernels {

/// GPT: a token is followed by a fixed successor three times in four, else by any. BERT: the same as sentences, with
/// [PAD], [CLS], [SEP], [MASK] as ids 0 … 3.
[[nodiscard]] std::unique_ptr<DataSource> make_synthetic_samples(const model::Model& model, std::uint64_t seed);

}  // namespace shardsim::kernels

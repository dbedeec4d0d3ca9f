// GPT-2's first step: text into words that no pair crosses.
#pragma once

#include <string_view>
#include <vector>

namespace shardsim::kernels {

/// The matches of Radford et al.'s pattern, one after another, which together are the text:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
[[nodiscard]] std::vector<std::string_view> bpe_words(std::string_view text);

}  // namespace shardsim::kernels

// The training jobs that predictions are held against: GPT and BERT in every layout that the cores allow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/input/settings.hpp"

namespace shardsim::validate::local {

/// What trains a job and what predicts it read the same settings.
struct Job {
  /// As "gpt h512 L2 s320 2x1 tp2 sp": hidden size, layers, sequence, micro batch x their number, layout.
  std::string name;
  /// "gpt" or "bert", and the layout in a word: how the figure groups jobs.
  std::string group;
  std::int64_t ranks = 1;
  input::Settings settings;
};

enum class Extent { full, quick };

/// Those of at most `cores` ranks. Sequence lengths are such that no product has a shape that is calibrated.
[[nodiscard]] std::vector<Job> jobs(Extent extent, std::int64_t cores);

}  // namespace shardsim::validate::local

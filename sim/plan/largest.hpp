// The largest model, micro batch or sequence that fits a cluster, whatever the layout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/plan/search.hpp"

namespace shardsim::plan {

/// What is made larger. hidden: heads of the same size and the feed-forward width with it.
enum class Dimension { hidden, layers, micro_batch_size, seq_length };

struct Largest {
  /// Of the model or batch, in the dimension's own unit (hidden_size, layers, sequences, tokens).
  std::int64_t value = 0;
  /// What each further step would add.
  std::int64_t step = 0;
  Candidate candidate;
  /// A larger value that does not fit; of the last one tried, the memory by which the nearest layout exceeds the
  /// device.
  std::int64_t too_large = 0;
  Bytes excess{0};
};

/// `base` with another value; ffn_hidden_size, positions and (to one micro batch for every GPU) the global batch
/// follow.
[[nodiscard]] model::Scenario with_dimension(const model::Scenario& base, Dimension dimension, std::int64_t value);

/// By doubling and bisection in steps (eight heads; four layers; one sequence; 1,024 tokens), each by a search.
/// Nothing when not even one step fits. `proceed` is called before every search; false stops it.
[[nodiscard]] std::optional<Largest> largest_that_fits(const model::Scenario& base, Dimension dimension,
                                                       const std::function<bool()>& proceed);

}  // namespace shardsim::plan

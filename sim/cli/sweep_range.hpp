// "cluster.gpus=64..4096:x2": one key of a sweep and its values.
#pragma once

#include <string>
#include <vector>

namespace shardsim::cli {

struct SweepAxis {
  /// As it was written; and as the settings call it.
  std::string name;
  std::string key;
  std::vector<std::string> values;
};

/// key=RANGE: "64..4096:x2" (by a factor), "1..8:+1" (by a step; +1 where none is given), "1,2,4" or any list of texts.
/// Throws InputError for text of another form, ranges without end, more than 1,000 values, and keys that there are not,
/// with the nearest.
[[nodiscard]] SweepAxis parse_axis(const std::string& text);

}  // namespace shardsim::cli

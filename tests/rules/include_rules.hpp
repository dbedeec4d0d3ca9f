// Which file of sim/ may include what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardsim::rules {

struct Include {
  /// Relative to the repository, as "sim/cost/gemm.cpp".
  std::string file;
  int line = 0;
  std::string header;
  bool quoted = false;
};

/// The #include lines of one source text.
[[nodiscard]] std::vector<Include> includes_of(const std::string& file, std::string_view text);

/// Why the include is not allowed; empty = it is.
[[nodiscard]] std::string violation(const Include& include);

}  // namespace shardsim::rules

// Parts of the README that a command writes.
#pragma once

#include <string>
#include <string_view>

namespace shardsim::validate {

/// The beginnings of the lines around a part.
struct Markers {
  std::string_view start;
  std::string_view end;
};

/// `readme` with `text` between the lines that begin with the markers. Throws InputError where they are missing.
[[nodiscard]] std::string with_section(const std::string& readme, const std::string& file, const Markers& markers,
                                       const std::string& text);

}  // namespace shardsim::validate

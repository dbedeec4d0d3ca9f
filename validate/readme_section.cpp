#include "validate/readme_section.hpp"

#include "sim/base/problems.hpp"

namespace shardsim::validate {

std::string with_section(const std::string& readme, const std::string& file, const Markers& markers,
                         const std::string& text) {
  const std::size_t start = readme.find(markers.start);
  const std::size_t line_end = readme.find('\n', start);
  const std::size_t end = readme.find(markers.end, start);
  if (start == std::string::npos || line_end == std::string::npos || end == std::string::npos || end < line_end) {
    throw InputError({Problem{{file, 0, ""},
                              "",
                              "",
                              "has no lines \"" + std::string{markers.start} + " ... -->\" and \"" +
                                  std::string{markers.end} + "\" for the table"}});
  }
  return readme.substr(0, line_end + 1) + '\n' + text + '\n' + readme.substr(end);
}

}  // namespace shardsim::validate

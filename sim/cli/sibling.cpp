#include "sim/cli/sibling.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "sim/base/problems.hpp"

namespace shardsim::cli {

int become_sibling(std::string_view name, const Arguments& arguments) {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = own.parent_path() / ("shardsim-" + std::string(name));
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const std::string reason = errno == ENOENT ? "it is not built" : std::generic_category().message(errno);
  const std::string message = "`shardsim " + std::string(name) + "` needs this program: " + reason;
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    std::cout << program << ": " << message << '\n';
    return kSuccess;
  }
  throw InputError({Problem{{program, 0, ""}, "", "", message}});
}

}  // namespace shardsim::cli

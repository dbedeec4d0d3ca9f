// The command line: finds the command, runs it, and turns failures into exit codes.
#include <exception>
#include <iostream>

#include "sim/base/check.hpp"
#include "sim/base/problems.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/help.hpp"

namespace {

int run(const shardsim::cli::Arguments& words) {
  using namespace shardsim::cli;
  if (words.empty()) {
    print_overview(std::cerr);
    return kBadInput;
  }
  if (words.front() == "--help" || words.front() == "-h") return run_help({});
  if (words.front() == "--version") return print_version();
  return find_command(words.front()).run({words.begin() + 1, words.end()});
}

}  // namespace

int main(int argc, char** argv) {
  using namespace shardsim;
  try {
    const int code = run({argv + 1, argv + argc});
    std::cout.flush();
    if (std::cout.good()) return code;
    std::cerr << "shardsim: the result could not be written to standard output\n";
    return 1;
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) std::cerr << "error: " << to_string(problem) << '\n';
    return cli::kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "shardsim: internal error, please report it: " << error.what() << '\n';
    return cli::kBug;
  }
}

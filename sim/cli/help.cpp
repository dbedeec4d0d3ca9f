#include "sim/cli/help.hpp"

#include <iomanip>
#include <iostream>

namespace shardsim::cli {

int run_help(const Arguments& arguments) {
  if (!arguments.empty() && arguments.front() != "--help" && arguments.front() != "help") {
    return find_command(arguments.front()).run({"--help"});
  }
  print_overview(std::cout);
  return kSuccess;
}

void print_overview(std::ostream& out) {
  out << "shardsim: memory and speed of sharded transformer training, predicted before the cluster is rented\n\n"
         "Usage: shardsim <command> [options]\n\nCommands:\n";
  for (const Command& command : commands()) {
    out << "  " << std::left << std::setw(11) << command.name << command.summary << '\n';
  }
  out << "\n`shardsim help <command>` or `shardsim <command> --help` explains a command, with examples.\n"
         "`shardsim --version` prints the version.\n\n"
         "Exit codes: 0 success, 2 bad input, 3 the run does not fit into memory, 70 a bug of shardsim.\n";
}

int print_version() {
  std::cout << "shardsim " SHARDSIM_VERSION "\n";
  return kSuccess;
}

}  // namespace shardsim::cli

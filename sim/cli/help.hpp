// `shardsim help`, `--help` and `--version`.
#pragma once

#include <iosfwd>

#include "sim/cli/command.hpp"

namespace shardsim::cli {

void print_overview(std::ostream& out);

/// Without an argument the list of commands, with one the help of that command.
int run_help(const Arguments& arguments);

int print_version();

}  // namespace shardsim::cli

// `shardsim predict`: from the command line to a printed prediction.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::cli {

int run_predict(const Arguments& arguments);

}  // namespace shardsim::cli

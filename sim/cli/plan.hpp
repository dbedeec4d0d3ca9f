// `shardsim plan`: from a job to the layouts that run it fastest.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::cli {

int run_plan(const Arguments& arguments);

}  // namespace shardsim::cli

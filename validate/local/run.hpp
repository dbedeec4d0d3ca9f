// `shardsim validate --local`: calibrated, predicted, run, compared.
#pragma once

#include <string>
#include <vector>

namespace shardsim::validate::local {

/// The whole command, from its words to its exit code: 0 compared, 1 some runs failed, 2 no run succeeded, 130
/// interrupted. Throws InputError.
[[nodiscard]] int run(const std::vector<std::string>& arguments);

}  // namespace shardsim::validate::local

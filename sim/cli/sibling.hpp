// Commands that are programs of their own beside `shardsim`, so that predictions need neither MPI nor CUDA.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::cli {

enum class Sibling { train, calibrate, validate };

/// Becomes `shardsim-<name>` of the same folder, which then answers for it. Where that is not built, `--help` says so
/// and anything else throws InputError.
int become_sibling(std::string_view name, const Arguments& arguments);

template <Sibling sibling>
int run_sibling(const Arguments& arguments) {
  constexpr std::string_view kNames[] = {"train", "calibrate", "validate"};
  return become_sibling(kNames[static_cast<int>(sibling)], arguments);
}

}  // namespace shardsim::cli

// Programs that start themselves under mpirun: `shardsim train -n RANKS …`.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::kernels {

/// True for words that begin with -n.
[[nodiscard]] bool asks_for_ranks(const cli::Arguments& words);

/// True where mpirun or srun has started this process.
[[nodiscard]] bool under_launcher();

/// Becomes `mpirun -n RANKS` of this same program with `words`; as root and with more ranks than cores Open MPI is told
/// that this is meant. Throws InputError where there is no mpirun.
[[noreturn]] void become_ranks(long ranks, const cli::Arguments& words);

/// The same with the words behind "-n RANKS" of shardsim-train. Throws InputError where RANKS is no number.
[[noreturn]] void become_launcher(const cli::Arguments& words);

/// Becomes the program beside this one that computes on GPUs, where the words ask for one, or do not say and there is a
/// driver. Returns where they do not, and where there is no such program: built without a CUDA toolkit, or it is this
/// one.
void become_gpu_program(const cli::Arguments& words);

}  // namespace shardsim::kernels

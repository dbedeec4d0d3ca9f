// From the command line to what the ranks train: a checked scenario of the stack `shardsim`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/trainer/train_options.hpp"
#include "sim/memory/memory.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::kernels {

/// Everything that every rank knows before the first allocation.
struct Job {
  model::Scenario scenario;
  std::vector<model::Stage> stages;
  model::OperatorList operators;
  memory::Memory predicted;
};

/// `ranks`: of the whole job; `gpu`: computes there, in the scenario's number format. Throws InputError with every
/// problem of the input: unreadable values, a layout that the ranks do not fill, a model or a schedule that the trainer
/// cannot run. Iterations of --train-samples are filled in.
[[nodiscard]] Job make_job(TrainOptions& options, std::int64_t ranks, bool gpu, Problems problems);

/// Why the job does not fit into this machine's `available` bytes with `ranks_here` of its ranks on it; empty = it
/// fits.
[[nodiscard]] std::string does_not_fit(const Job& job, std::int64_t ranks_here, Bytes available);

}  // namespace shardsim::kernels

// What a job writes, checked before it trains.
#pragma once

#include "kernels/trainer/train_options.hpp"

namespace shardsim::kernels {

/// Makes the folder of --save. Throws InputError naming every file and folder that could not be written: a job should
/// not learn that when it has trained for days.
void prepare_outputs(const TrainOptions& options);

}  // namespace shardsim::kernels

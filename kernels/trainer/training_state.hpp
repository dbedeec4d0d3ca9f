// The trainer's state in checkpoints: weights, optimizer, loss scale, progress.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/checkpoint/transport.hpp"
#include "kernels/trainer/trainer.hpp"

namespace shardsim::kernels {

/// Writes folder/iter_<iterations>; every data-parallel rank stores what it alone keeps. Collective.
void save_training(Trainer& trainer, const Job& job, const Groups& groups, std::uint64_t seed,
                   const std::string& folder, const Transport& transport);

/// Takes over the newest checkpoint of `folder`, whatever layout wrote it, bit by bit. A folder or file of safetensors
/// with Hugging Face's names gives the weights only. False: there is neither. Throws InputError where it cannot be read
/// or is of another model.
[[nodiscard]] bool load_training(Trainer& trainer, const Job& job, const std::string& folder,
                                 const Transport& transport);

/// All weights as one safetensors file with Hugging Face's names. Collective.
void export_weights(Trainer& trainer, const Job& job, const Groups& groups, const std::string& file,
                    const Transport& transport);

}  // namespace shardsim::kernels

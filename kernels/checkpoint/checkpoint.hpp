// The whole training state on disk: one safetensors file a rank and an index, for the same layout or any other.
#pragma once

#include <filesystem>
#include <vector>

#include "kernels/checkpoint/checkpoint_index.hpp"
#include "kernels/checkpoint/state_slice.hpp"
#include "kernels/checkpoint/transport.hpp"

namespace shardsim::kernels {

/// Writes root/iter_<iteration> and records it as the latest. Each rank gives the slices that it stores: together they
/// must hold all of the state (copies that other ranks hold may be left out). The folder appears whole or not at all;
/// all ranks must see it. Collective over `world`. Throws InputError (a full disk, no access) naming the file.
void save_checkpoint(const std::filesystem::path& root, const CheckpointIndex& index,
                     const std::vector<StateSlice>& slices, Communicator& world, const Transport& transport = {});

/// Fills the data of `slices` from the files of a checkpoint, whatever layout wrote them: bit by bit. Rows or columns
/// of a padded vocabulary that the checkpoint does not have become 0; anything else that it lacks throws InputError
/// naming checkpoint, kind and parameter. Not collective.
void load_checkpoint(const std::filesystem::path& checkpoint, const CheckpointIndex& index,
                     const std::vector<StateSlice>& slices, const Transport& transport = {});

}  // namespace shardsim::kernels

// Weights in and out in Hugging Face's names and layouts: what any other framework reads.
#pragma once

#include <filesystem>
#include <vector>

#include "kernels/checkpoint/transport.hpp"
#include "kernels/model/parameter.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::kernels {

/// Writes one safetensors file with all weights, in their own format; each rank writes what it holds, if `data_rank` is
/// 0 and no other rank writes it (Parameter::counts_in_norm). All ranks must see the folder. The file appears whole or
/// not at all. Collective over `world`.
void save_hugging_face(const std::filesystem::path& file, const model::Scenario& scenario,
                       const std::vector<Parameter>& parameters, int data_rank, Communicator& world,
                       const Transport& transport = {});

/// Fills `parameters` from a safetensors file, a folder with model.safetensors, or one with
/// model.safetensors.index.json and its files; each rank reads only its own elements. Padding of the vocabulary becomes
/// 0. Formats are converted. Throws InputError naming file and tensor: missing, of another shape or kind of number.
void load_hugging_face(const std::filesystem::path& path, const model::Model& model,
                       const std::vector<Parameter>& parameters, const Transport& transport = {});

}  // namespace shardsim::kernels

// What a checkpoint of the training state says of itself: index.json beside the ranks' files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "sim/model/scenario.hpp"

namespace shardsim::kernels {

struct CheckpointIndex {
  /// Iterations done, and samples of the data used up.
  std::int64_t iteration = 0;
  std::int64_t consumed_samples = 0;
  std::uint64_t seed = 0;
  /// Whatever else must come back exactly: loss scale, Adam's steps.
  std::map<std::string, double> scalars;
  /// Files rank_00000.safetensors … of the ranks that wrote it.
  std::int64_t ranks = 0;
  /// Sizes of the model, by Megatron's names, which a job that loads it must share.
  std::map<std::string, std::int64_t> model;
  /// Degrees of the parallelism that wrote it, to tell a person.
  std::map<std::string, std::int64_t> parallelism;
  /// Of the stored weights: "fp32", "bf16", "fp16".
  std::string precision;
};

/// Everything that follows from the scenario.
[[nodiscard]] CheckpointIndex make_index(const model::Scenario& scenario, std::int64_t ranks);

[[nodiscard]] std::string format_index(const CheckpointIndex& index);

/// Throws InputError naming the file and what is wrong.
[[nodiscard]] CheckpointIndex read_index(const std::filesystem::path& checkpoint);

/// Throws InputError with every size of the model that differs, and the format of the weights if it does.
void check_index(const std::filesystem::path& checkpoint, const CheckpointIndex& index,
                 const model::Scenario& scenario);

/// root/iter_0000010, as Megatron names it.
[[nodiscard]] std::filesystem::path checkpoint_folder(const std::filesystem::path& root, std::int64_t iteration);

/// The newest checkpoint of a training job's folder; empty path: it has none yet. Throws InputError when the folder's
/// record of it cannot be read.
[[nodiscard]] std::filesystem::path latest_checkpoint(const std::filesystem::path& root);
/// Records the newest one, in Megatron's latest_checkpointed_iteration.txt.
void record_latest(const std::filesystem::path& root, std::int64_t iteration);

/// Of one rank, within the checkpoint's folder.
[[nodiscard]] std::string rank_file(std::int64_t rank);

}  // namespace shardsim::kernels

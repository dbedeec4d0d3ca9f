#include "kernels/trainer/training_state.hpp"

#include <filesystem>
#include <vector>

#include "kernels/checkpoint/checkpoint.hpp"
#include "kernels/checkpoint/hugging_face.hpp"

namespace shardsim::kernels {
namespace {

void append(std::vector<StateSlice>& all, const std::vector<StateSlice>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Of this rank's share, range by range as the state lies.
std::vector<StateSlice> optimizer_slices(Trainer& trainer) {
  std::vector<StateSlice> slices;
  Adam& adam = trainer.adam();
  std::int64_t state = 0;
  for (const Range& range : adam.ranges()) {
    const Range own{state, range.count};
    const auto add = [&](const char* kind, const Matrix& whole) {
      append(slices, state_slices(kind, trainer.buffers(), range.first, part_of(whole, own)));
    };
    if (!adam.master().empty()) add("master", adam.master());
    add("first_moment", adam.first_moment());
    add("second_moment", adam.second_moment());
    state += range.count;
  }
  return slices;
}

std::vector<StateSlice> weight_slices(Trainer& trainer) {
  return state_slices("weight", trainer.buffers(), 0, trainer.buffers().values);
}

bool holds_weights(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  return fs::is_regular_file(path) || fs::exists(path / "model.safetensors") ||
         fs::exists(path / "model.safetensors.index.json");
}

}  // namespace

void save_training(Trainer& trainer, const Job& job, const Groups& groups, std::uint64_t seed,
                   const std::string& folder, const Transport& transport) {
  CheckpointIndex index = make_index(job.scenario, groups.world->size());
  index.iteration = trainer.iterations;
  index.consumed_samples = trainer.iterations * job.scenario.training.global_batch_size;
  index.seed = seed;
  const LossScaleState& scale = trainer.loss_scale().state();
  index.scalars = {{"adam_steps", static_cast<double>(trainer.adam().steps)},
                   {"loss_scale", scale.scale},
                   {"good_iterations", static_cast<double>(scale.good_iterations)},
                   {"overflows_left", static_cast<double>(scale.overflows_left)}};
  // Replicas hold the same; with ZeRO-1 each has its own share of the optimizer.
  std::vector<StateSlice> slices;
  const bool first_replica = groups.data->rank() == 0;
  if (first_replica) slices = weight_slices(trainer);
  if (first_replica || job.scenario.parallelism.zero_stage >= 1) append(slices, optimizer_slices(trainer));
  save_checkpoint(folder, index, slices, *groups.world, transport);
}

bool load_training(Trainer& trainer, const Job& job, const std::string& folder, const Transport& transport) {
  if (holds_weights(folder)) {
    load_hugging_face(folder, job.scenario.model, trainer.buffers().parameters, transport);
    trainer.adam().masters_from_values();
    return true;
  }
  const std::filesystem::path checkpoint = latest_checkpoint(folder);
  if (checkpoint.empty()) return false;
  const CheckpointIndex index = read_index(checkpoint);
  check_index(checkpoint, index, job.scenario);
  std::vector<StateSlice> slices = weight_slices(trainer);
  append(slices, optimizer_slices(trainer));
  load_checkpoint(checkpoint, index, slices, transport);
  const auto scalar = [&](const char* name) {
    const auto found = index.scalars.find(name);
    if (found != index.scalars.end()) return found->second;
    throw InputError({Problem{{(checkpoint / "index.json").string(), 0, ""}, name, "", "is missing"}});
  };
  trainer.iterations = index.iteration;
  trainer.adam().steps = static_cast<std::int64_t>(scalar("adam_steps"));
  trainer.loss_scale().restore({scalar("loss_scale"), static_cast<std::int64_t>(scalar("good_iterations")),
                                static_cast<std::int64_t>(scalar("overflows_left"))});
  return true;
}

void export_weights(Trainer& trainer, const Job& job, const Groups& groups, const std::string& file,
                    const Transport& transport) {
  save_hugging_face(file, job.scenario, trainer.buffers().parameters, groups.data->rank(), *groups.world, transport);
}

}  // namespace shardsim::kernels

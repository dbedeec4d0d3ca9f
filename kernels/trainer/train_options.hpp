// The options of `shardsim train`: where the scenario comes from, and how it is trained. Names are Megatron-LM's.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/data/make_data_source.hpp"
#include "kernels/trainer/learning_rate.hpp"
#include "kernels/trainer/loss_scale.hpp"
#include "sim/base/problems.hpp"
#include "sim/cli/predict_options.hpp"

namespace shardsim::kernels {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  /// Largest norm of the whole model's gradient; 0 = no clipping.
  double clip_grad = 1.0;
};

/// automatic: a GPU where there is one.
enum class BackendKind { automatic, cpu, gpu };

struct TrainOptions {
  bool help = false;
  cli::ScenarioOptions scenario;

  std::int64_t train_iters = 10;
  /// Instead of iterations, as Megatron's --train-samples; 0 = not given.
  std::int64_t train_samples = 0;
  LearningRate learning_rate;
  /// 0 = train_iters.
  std::int64_t lr_decay_iters = 0;
  /// Share of the decay iterations, instead of lr-warmup-iters.
  double lr_warmup_fraction = 0.0;
  AdamOptions adam;
  LossScaleOptions loss_scale;
  std::uint64_t seed = 1234;
  BackendKind backend = BackendKind::automatic;
  DataOptions data;

  /// Folders of checkpoints; empty = none.
  std::string save;
  std::string load;
  /// A safetensors file with Hugging Face's names, written at the end; empty = none.
  std::string export_weights;
  /// Iterations between checkpoints; 0 = at the end only.
  std::int64_t save_interval = 0;
  std::int64_t log_interval = 1;

  /// Files that hold what was executed; empty = none.
  std::string record;
  std::string trace;
  /// Each rank runs on a core of its own.
  bool pin = false;
  bool check_collectives = false;
  /// Seconds that a rank waits for others before it gives up; 0 = the communicator's own.
  double timeout = 0.0;

  /// The learning rate with its decay and warm-up in iterations.
  [[nodiscard]] LearningRate learning_rate_schedule() const;
};

/// Of the command line and of the launch script that it names. Values that cannot be go to `problems`; throws
/// InputError for unknown options.
[[nodiscard]] TrainOptions parse_train_options(const cli::Arguments& arguments, Problems& problems);

[[nodiscard]] std::string train_help();

}  // namespace shardsim::kernels

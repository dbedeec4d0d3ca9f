// Whole tiny trainings in this process's ranks, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/data/data_source.hpp"
#include "kernels/trainer/job.hpp"
#include "kernels/trainer/trainer.hpp"

namespace shardsim::test {

/// Words of `shardsim train` that make a model of 4 layers, hidden 32, 4 heads and 16 tokens, dropout 0.1, a global
/// batch of 8 sequences in micro batches of 1.
[[nodiscard]] std::string tiny_gpt();
/// Pre-norm with a binary head as Megatron-LM's, or post-norm as the original.
[[nodiscard]] std::string tiny_bert(const std::string& norm_placement);

/// One rank of a training: `arguments` as on the command line; `world` holds all of its ranks.
class TinyTraining {
 public:
  TinyTraining(const std::string& arguments, std::unique_ptr<kernels::Communicator> world,
               kernels::Observers observers = {});

  [[nodiscard]] std::vector<kernels::IterationResult> iterate(int iterations);

  [[nodiscard]] const kernels::Job& job() const { return job_; }
  [[nodiscard]] const kernels::Groups& groups() const { return groups_; }
  [[nodiscard]] kernels::Trainer& trainer() { return *trainer_; }

 private:
  kernels::TrainOptions options_;
  kernels::Job job_;
  std::unique_ptr<kernels::DataSource> data_;
  kernels::Groups groups_;
  std::unique_ptr<kernels::Backend> backend_;
  std::unique_ptr<kernels::Trainer> trainer_;
};

}  // namespace shardsim::test

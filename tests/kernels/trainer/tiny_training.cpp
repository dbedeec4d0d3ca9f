#include "tests/kernels/trainer/tiny_training.hpp"

#include <sstream>
#include <utility>

#include "kernels/communicator/groups.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/data/make_data_source.hpp"

namespace shardsim::test {
namespace {

const std::string kShape =
    " --num-layers 4 --hidden-size 32 --ffn-hidden-size 128 --num-attention-heads 4 --seq-length 16"
    " --max-position-embeddings 16 --make-vocab-size-divisible-by 8 --micro-batch-size 1 --global-batch-size 8"
    " --lr 1e-3 --lr-decay-style constant --train-iters 20";

kernels::TrainOptions parse(const std::string& arguments) {
  std::istringstream text{arguments};
  cli::Arguments words;
  for (std::string word; text >> word;) words.push_back(word);
  Problems problems;
  kernels::TrainOptions options = kernels::parse_train_options(words, problems);
  problems.throw_if_any();
  return options;
}

}  // namespace

std::string tiny_gpt() { return kShape + " --vocab-size 64"; }

std::string tiny_bert(const std::string& norm_placement) {
  return kShape + " --vocab-size 128 --set model.family=bert --set model.norm_placement=" + norm_placement;
}

TinyTraining::TinyTraining(const std::string& arguments, std::unique_ptr<kernels::Communicator> world,
                           kernels::Observers observers)
    : options_{parse(arguments)},
      job_{kernels::make_job(options_, world->size(), false, {})},
      data_{kernels::make_data_source(job_.scenario.model, options_.data, options_.seed)},
      groups_{kernels::make_groups(job_.scenario.parallelism, std::move(world))},
      backend_{kernels::make_cpu_backend()},
      trainer_{std::make_unique<kernels::Trainer>(job_, options_,
                                                  kernels::Rank{&groups_, backend_.get(), data_.get(), observers})} {}

std::vector<kernels::IterationResult> TinyTraining::iterate(int iterations) {
  std::vector<kernels::IterationResult> results;
  for (int i = 0; i < iterations; ++i) results.push_back(trainer_->iterate());
  return results;
}

}  // namespace shardsim::test

#include "kernels/trainer/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "sim/model/step_builders.hpp"

namespace shardsim::kernels {
namespace {

std::vector<Parameter> parameters_of(const Job& job, const Groups& groups) {
  const int stage = groups.pipeline->rank();
  return declare_parameters(job.scenario, job.stages[static_cast<std::size_t>(stage)], stage, groups.tensor->rank());
}

/// Of the flat buffers, what this rank's optimizer updates.
std::vector<Range> own_ranges(const model::Scenario& scenario, const FlatLayout& layout, const Groups& groups) {
  const bool sharded = scenario.parallelism.zero_stage >= 1;
  return shard_ranges(layout, sharded ? groups.data->size() : 1, sharded ? groups.data->rank() : 0);
}

}  // namespace

Trainer::Trainer(const Job& job, const TrainOptions& options, const Rank& rank)
    : scenario_{job.scenario},
      rank_{rank},
      learning_rate_{options.learning_rate_schedule()},
      clip_grad_{options.adam.clip_grad},
      memory_{rank.backend->memory(), rank.observers.memory},
      operations_{*rank.backend, rank.observers.operators},
      loss_scale_{options.loss_scale, scenario_.training.precision == DType::fp16},
      layout_{lay_out(parameters_of(job, *rank.groups), scenario_)},
      buffers_{make_buffers(parameters_of(job, *rank.groups), layout_, memory_, *rank.backend, options.seed)},
      adam_{options.adam, scenario_,  buffers_, layout_, own_ranges(scenario_, layout_, *rank.groups),
            memory_,      operations_},
      reduction_{scenario_, buffers_, layout_, *rank.groups, operations_, memory_},
      batches_{scenario_, *rank.data, *rank.groups, memory_, *rank.backend},
      pipeline_{{&scenario_, &operations_, &memory_, rank.groups, options.seed, reduction_.observer()},
                job.stages[static_cast<std::size_t>(rank.groups->pipeline->rank())],
                buffers_.parameters},
      number_{memory_, Component::workspace, DType::fp32, 1, 1} {
  memory_.reset_peak();
}

IterationResult Trainer::iterate() {
  IterationResult result;
  result.iteration = iterations + 1;
  result.loss_scale = loss_scale_.value();

  batches_.start_iteration(iterations, loss_scale_.value());
  pipeline_.run(batches_);
  operations_.position = {};
  reduction_.reduce();
  result.gradient_norm = global_gradient_norm();
  result.skipped = !std::isfinite(result.gradient_norm);
  if (!result.skipped) {
    const double clipping = clip_grad_ > 0.0 ? std::min(1.0, clip_grad_ / (result.gradient_norm + 1e-6)) : 1.0;
    adam_.update({learning_rate_.at(adam_.steps), clipping / loss_scale_.value()});
    reduction_.gather_parameters();
  }
  // As Megatron-LM's, the schedule stands still where an update is skipped.
  result.learning_rate = learning_rate_.at(adam_.steps);
  zero_gradients();
  add_losses(result);
  loss_scale_.update(result.skipped);
  ++iterations;
  return result;
}

double Trainer::global_gradient_norm() {
  const double scale = loss_scale_.value();
  auto sum = static_cast<float>(adam_.sum_of_squares() / (scale * scale));
  if (rank_.groups->world->size() == 1) return std::sqrt(sum);
  const bool sharded = scenario_.parallelism.zero_stage >= 1;
  Communicator& group = sharded ? *rank_.groups->world : *rank_.groups->model;
  rank_.backend->upload(&sum, number_.view().data, number_.view().bytes());
  operations_.run(model::gradient_norm(), [&](Backend&) { group.all_reduce(number_, Reduction::sum); });
  rank_.backend->download(number_.view().data, &sum, number_.view().bytes());
  return std::sqrt(sum);
}

void Trainer::zero_gradients() {
  operations_.run(model::zero_gradients(scenario_, layout_.elements),
                  [&](Backend& backend) { backend.fill(buffers_.gradients, 0.0); });
}

void Trainer::add_losses(IterationResult& result) {
  const ModelChunk::Losses losses = pipeline_.take_losses();
  const Groups& groups = *rank_.groups;
  const bool counts = groups.tensor->rank() == 0 && groups.pipeline->rank() + 1 == groups.pipeline->size();
  const auto total = [&](double own) {
    return groups.world->all_reduce_value(counts ? own : 0.0, Reduction::sum) / result.loss_scale;
  };
  result.lm_loss = total(losses.language_model);
  const bool binary = scenario_.model.output_head == model::OutputHead::masked_lm_and_binary;
  if (binary) result.sentence_order_loss = total(losses.sentence_order);
}

}  // namespace shardsim::kernels

#include "kernels/trainer/pipeline.hpp"

#include <cstddef>
#include <map>
#include <utility>

#include "kernels/trainer/pipeline_links.hpp"

namespace shardsim::kernels {

Pipeline::Pipeline(const RankContext& context, const model::Stage& stage, std::vector<Parameter>& parameters)
    : context_{context},
      // The schedules that the trainer plays do not ask for times.
      orders_{schedule::orders(context.scenario->parallelism, micro_batches(*context.scenario), {})},
      chunks_{make_chunks(context, stage, context.groups->pipeline->rank(), parameters)} {}

void Pipeline::run(const Batches& batches) {
  const std::int64_t stages = context_.groups->pipeline->size();
  const std::int64_t stage = context_.groups->pipeline->rank();
  const auto chunks = static_cast<std::int64_t>(chunks_.size());
  const std::int64_t last_piece = stages * chunks - 1;
  const model::Scenario& scenario = *context_.scenario;
  PipelineLinks links{
      *context_.groups->pipeline, orders_,         chunks, model::RankSizes{scenario}, scenario.training.precision,
      *context_.operations,       *context_.memory};

  struct Live {
    MicroBatch batch;
    std::int64_t passes_left;
  };
  std::map<std::int64_t, Live> live;
  for (const schedule::Action& action : orders_[static_cast<std::size_t>(stage)]) {
    const std::int64_t piece = action.chunk * stages + stage;
    ModelChunk& chunk = *chunks_[static_cast<std::size_t>(action.chunk)];
    auto micro_batch = live.find(action.micro_batch);
    if (micro_batch == live.end()) {
      micro_batch = live.emplace(action.micro_batch, Live{batches.micro_batch(action.micro_batch), 2 * chunks}).first;
    }
    const MicroBatch& batch = micro_batch->second.batch;
    if (action.work == schedule::Work::forward) {
      Tensor input = piece > 0 ? links.receive({action.micro_batch, piece, false}) : Tensor{};
      Tensor output = chunk.forward(batch, std::move(input));
      if (piece < last_piece) links.send({action.micro_batch, piece + 1, false}, std::move(output));
    } else {
      Tensor gradient = piece < last_piece ? links.receive({action.micro_batch, piece, true}) : Tensor{};
      gradient = chunk.backward(batch, std::move(gradient));
      if (piece > 0) links.send({action.micro_batch, piece - 1, true}, std::move(gradient));
    }
    if (--micro_batch->second.passes_left == 0) live.erase(micro_batch);
  }
  links.finish();
}

ModelChunk::Losses Pipeline::take_losses() { return chunks_.back()->take_losses(); }

}  // namespace shardsim::kernels

#include "kernels/trainer/pipeline_links.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/base/check.hpp"
#include "sim/model/operator_builders.hpp"

namespace shardsim::kernels {

PipelineLinks::PipelineLinks(Communicator& pipeline, const std::vector<schedule::Order>& orders, std::int64_t chunks,
                             const model::RankSizes& sizes, DType dtype, Operations& operations, Memory& memory)
    : pipeline_{pipeline}, sizes_{sizes}, dtype_{dtype}, operations_{operations}, memory_{memory} {
  for (std::int64_t stage = 0; stage < pipeline.size(); ++stage) {
    if (stage != pipeline.rank()) {
      sources_[stage].messages = schedule::messages_between(orders, stage, pipeline.rank(), chunks);
    }
  }
}

void PipelineLinks::send(const PipelineMessage& message, Tensor tensor) {
  const std::int64_t to = message.to_piece % pipeline_.size();
  Transfer& transfer = outgoing_[{to, message.gradient}];
  if (transfer.request != nullptr) transfer.request->wait();
  transfer.request.reset();
  transfer.tensor = std::move(tensor);
  const model::Pass pass = message.gradient ? model::Pass::backward : model::Pass::forward;
  operations_.run(model::communicate(model::OperatorKind::send_recv, "pipeline_send", pass, model::Group::pipeline,
                                     transfer.tensor.view().bytes()),
                  [&](Backend&) { transfer.request = pipeline_.start_send(transfer.tensor, static_cast<int>(to)); });
}

void PipelineLinks::post_next(std::int64_t stage, Source& source) {
  const PipelineMessage& message = source.messages[source.posted++];
  // An activation is what the layer that takes it keeps; a gradient is gone after the layer's backward pass.
  const Component component = message.gradient ? Component::temporaries : Component::activations;
  Incoming& incoming = source.waiting.emplace_back();
  incoming.message = message;
  incoming.transfer.tensor = Tensor{memory_, component, dtype_, sizes_.residual_tokens, sizes_.hidden};
  incoming.transfer.request = pipeline_.start_receive(incoming.transfer.tensor, static_cast<int>(stage));
}

Tensor PipelineLinks::receive(const PipelineMessage& message) {
  const std::int64_t from = (message.to_piece + (message.gradient ? 1 : -1)) % pipeline_.size();
  Source& source = sources_[from];
  const auto is_wanted = [&](const Incoming& incoming) { return incoming.message == message; };
  auto found = std::find_if(source.waiting.begin(), source.waiting.end(), is_wanted);
  while (found == source.waiting.end()) {
    SHARDSIM_CHECK(source.posted < source.messages.size(), "a stage waits for what no stage sends");
    post_next(from, source);
    found = std::find_if(source.waiting.begin(), source.waiting.end(), is_wanted);
  }
  found->transfer.request->wait();
  found->transfer.request.reset();
  Tensor tensor = std::move(found->transfer.tensor);
  source.waiting.erase(found);
  return tensor;
}

void PipelineLinks::finish() {
  for (auto& [key, transfer] : outgoing_) {
    if (transfer.request != nullptr) transfer.request->wait();
  }
  outgoing_.clear();
}

}  // namespace shardsim::kernels

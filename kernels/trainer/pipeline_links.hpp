// Activations and gradients between pipeline stages: non-blocking, matched by order alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/model/operations.hpp"
#include "sim/model/rank_sizes.hpp"
#include "sim/schedule/messages.hpp"

namespace shardsim::kernels {

using schedule::PipelineMessage;

/// Both ends of this stage's links for one iteration. Between two stages messages arrive in the order in which they
/// were sent, which both know from the schedule: a receive is preceded by those of everything sent before it, so that
/// no schedule can block. At most one activation and one gradient per receiver is on its way from a stage; the next
/// waits.
class PipelineLinks {
 public:
  /// `sizes` of the scenario that the operations run.
  PipelineLinks(Communicator& pipeline, const std::vector<schedule::Order>& orders, std::int64_t chunks,
                const model::RankSizes& sizes, DType dtype, Operations& operations, Memory& memory);

  void send(const PipelineMessage& message, Tensor tensor);
  [[nodiscard]] Tensor receive(const PipelineMessage& message);
  /// Waits for everything that was sent.
  void finish();

 private:
  struct Transfer {
    Tensor tensor;
    std::unique_ptr<Request> request;
  };
  struct Incoming {
    PipelineMessage message;
    Transfer transfer;
  };
  /// From one stage: what it sends, and how much of it was asked for.
  struct Source {
    std::vector<PipelineMessage> messages;
    std::size_t posted = 0;
    std::vector<Incoming> waiting;
  };

  void post_next(std::int64_t stage, Source& source);

  Communicator& pipeline_;
  model::RankSizes sizes_;
  DType dtype_;
  Operations& operations_;
  Memory& memory_;
  std::map<std::int64_t, Source> sources_;
  /// By receiver and kind.
  std::map<std::pair<std::int64_t, bool>, Transfer> outgoing_;
};

}  // namespace shardsim::kernels

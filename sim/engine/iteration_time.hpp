// The closed form in the pieces that layouts of one job share: a search prices each piece once.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/engine/stage_time.hpp"
#include "sim/memory/activations.hpp"
#include "sim/model/layout.hpp"
#include "sim/schedule/bubble.hpp"

namespace shardsim::engine {

/// What does not depend on pipeline, schedule, data parallelism and ZeRO, but on whether there is a pipeline and
/// whether it spans nodes.
struct SharedBlocks {
  SharedBlocks(const model::Scenario& scenario, const cost::Pricer& pricer);

  model::OperatorList operators;
  PricedBlocks priced;
  memory::SavedBytes saved;
};

/// One send to the neighbouring stage.
struct Hop {
  Hop(const model::Scenario& scenario, const cost::Pricer& pricer, const model::OperatorList& operators);

  Seconds time{0.0};
  CommunicationByGroup communication;
  bool overlapped = false;
};

/// The pipeline of one iteration, whatever the ZeRO stage.
struct Pipeline {
  std::vector<BlockCounts> counts;
  /// Compute and tensor/context-parallel communication of one micro batch, and the same with sends between stages.
  std::vector<schedule::StageTime> stages;
  std::vector<schedule::StageTime> stages_with_sends;
  std::size_t slowest = 0;
  Seconds span{0.0};
  /// What the sends add to the span.
  Seconds sends_exposed{0.0};

  /// No iteration is shorter: the compute of the slowest stage.
  [[nodiscard]] Seconds busy(std::int64_t micro_batches) const {
    return static_cast<double>(micro_batches) * stages[slowest].total();
  }
};

/// Sends after compute lengthen every stage's beat; sends beside compute only the fill and the drain.
[[nodiscard]] Pipeline time_pipeline(const model::Scenario& scenario, const std::vector<model::Stage>& layout,
                                     const SharedBlocks& blocks, const Hop& hop);

struct IterationTime {
  TermTimes terms;
  CommunicationByGroup communication;
};

[[nodiscard]] IterationTime time_iteration(const model::Scenario& scenario, const cost::Pricer& pricer,
                                           const std::vector<model::Stage>& layout, const SharedBlocks& blocks,
                                           const Hop& hop, const Pipeline& pipeline);

}  // namespace shardsim::engine

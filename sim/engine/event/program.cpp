#include "sim/engine/event/program.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "sim/base/check.hpp"
#include "sim/engine/event/data_traffic.hpp"
#include "sim/engine/stage_time.hpp"
#include "sim/model/operators.hpp"
#include "sim/schedule/in_flight.hpp"

namespace shardsim::engine::event {
namespace {

using model::Operator;
using schedule::Action;
using schedule::Work;

constexpr std::size_t kWorks = 4;

/// The part of a block that a kind of work runs.
std::vector<Operator> operators_of(const model::Block& block, Work work) {
  if (work == Work::forward) return block.forward;
  if (work == Work::backward) return block.backward;
  std::vector<Operator> part;
  std::copy_if(block.backward.begin(), block.backward.end(), std::back_inserter(part), [work](const Operator& op) {
    return (op.pass == model::Pass::weight_gradient) == (work == Work::weight_gradient);
  });
  return part;
}

class Compiler {
 public:
  Compiler(const model::Scenario& scenario, const std::vector<model::Stage>& layout)
      : scenario_{scenario},
        layout_{layout},
        pricer_{scenario},
        operators_{model::list_operators(scenario)},
        micro_batches_{static_cast<std::int32_t>(model::micro_batches(scenario))},
        chunks_{static_cast<std::int32_t>(scenario.parallelism.virtual_pipeline_model_parallel_size)} {}

  Programs compile() {
    price_blocks();
    price_hop();
    programs_.per_iteration = picoseconds(scenario_.stack.host.per_iteration);
    programs_.slots = 2 * chunks_ * micro_batches_;
    const bool joins_all = schedule::ends_together(scenario_.parallelism);
    programs_.iterations = joins_all ? 1 : kIterationsUntilSteady;
    std::vector<schedule::StageTime> times;
    const PricedBlocks blocks{scenario_, pricer_, operators_};
    for (const model::Stage& stage : layout_) times.push_back(blocks.stage_time(count_blocks(scenario_, stage)));
    const std::vector<schedule::Order> orders = schedule::orders(scenario_.parallelism, micro_batches_, times);
    for (std::size_t i = 0; i < layout_.size(); ++i) programs_.stages.push_back(stage_of(i, orders[i], joins_all));
    return std::move(programs_);
  }

 private:
  /// Zero-bubble schedules settle within two iterations; the last one is reported.
  static constexpr int kIterationsUntilSteady = 4;

  void price_blocks() {
    const std::array<const model::Block*, kBlockKinds> blocks{&operators_.layer, &operators_.recomputed_layer,
                                                              &operators_.embedding, &operators_.head};
    for (const model::Block* block : blocks) {
      for (std::size_t work = 0; work < kWorks; ++work) add_pass(operators_of(*block, static_cast<Work>(work)));
    }
  }

  std::int32_t add_pass(std::vector<Operator> operators) {
    const std::vector<PricedOperator> priced = price_operators(scenario_, pricer_, operators);
    programs_.passes.emplace_back(priced, std::move(operators));
    return static_cast<std::int32_t>(programs_.passes.size()) - 1;
  }

  void price_hop() {
    Hop& hop = programs_.hop;
    for (const Operator& op : operators_.pipeline_send) {
      if (op.group == model::Group::pipeline) {
        hop.exposed = !op.overlapped;
        hop.bytes = op.bytes;
        hop.time += picoseconds(pricer_.time(op));
      } else if (hop.exposed) {
        hop.arrival = sequence({{add_pass({op}), 1}});
      } else {
        hop.time += picoseconds(pricer_.time(op));
      }
    }
  }

  /// Equal sequences share an index.
  std::int32_t sequence(const Sequence& runs) {
    const auto found = std::find(programs_.sequences.begin(), programs_.sequences.end(), runs);
    if (found != programs_.sequences.end()) {
      return static_cast<std::int32_t>(found - programs_.sequences.begin());
    }
    programs_.sequences.push_back(runs);
    return static_cast<std::int32_t>(programs_.sequences.size()) - 1;
  }

  Stage stage_of(std::size_t index, const schedule::Order& order, bool joins_all) {
    Stage stage;
    DataTraffic traffic{scenario_, pricer_, layout_[index]};
    stage.collectives = traffic.collectives();
    const auto emit = [&stage](Code code, std::int32_t operand) { stage.code.push_back({code, 0, -1, operand, 0}); };
    for (const std::int32_t collective : traffic.at_start()) emit(Code::issue, collective);
    traffic.plan(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      receive(stage, index, order[i]);
      run(stage, traffic.pieces(i, blocks_of(layout_[index].chunks[static_cast<std::size_t>(order[i].chunk)], order[i].work)),
          order[i]);
      send(stage, index, order[i]);
    }
    emit(Code::synchronize, 0);
    finish(stage, index, traffic, joins_all);
    return stage;
  }
};

}  // namespace
}  // namespace

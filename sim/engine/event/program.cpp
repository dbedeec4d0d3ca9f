#include "sim/engine/event/program.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sim/engine/stage_time.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::engine::event {
namespace {

using model::Group;
using model::Operator;
using schedule::Action;
using schedule::Work;

constexpr std::size_t kWorks = 4;

/// Stages of zero-bubble schedules do not wait for the gradient norm, but check it afterwards (Qi et al. 2023, section
/// 4).
bool ends_together(const model::Parallelism& parallelism) {
  return parallelism.schedule < model::Schedule::zero_bubble_h1 || parallelism.pipeline_model_parallel_size == 1;
}
constexpr int kIterationsUntilSteady = 4;

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
      : scenario_{scenario}, layout_{layout}, pricer_{scenario}, operators_{model::list_operators(scenario)} {}

  Programs compile() {
    const bool together = ends_together(scenario_.parallelism);
    programs_.chunks = static_cast<std::int32_t>(layout_.front().chunks.size());
    programs_.micro_batches = static_cast<std::int32_t>(model::micro_batches(scenario_));
    programs_.per_iteration = picoseconds(scenario_.stack.host.per_iteration);
    programs_.iterations = together ? 1 : kIterationsUntilSteady;
    price_blocks();
    price_hop();
    const PricedBlocks blocks{scenario_, pricer_, operators_};
    for (const model::Stage& stage : layout_) {
      programs_.stage_times.push_back(blocks.stage_time(count_blocks(scenario_, stage)));
    }
    const std::vector<schedule::Order> orders =
        schedule::orders(scenario_.parallelism, programs_.micro_batches, programs_.stage_times);
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      code_.clear();
      DataTraffic traffic{scenario_, pricer_, layout_[i], orders[i]};
      write_passes(i, orders[i], traffic);
      write_step(i, traffic, together);
      programs_.stages.push_back({code_, traffic.collectives()});
    }
    return std::move(programs_);
  }

 private:
  /// Pass of a block kind and kind of work: kWorks · kind + work.
  void price_blocks() {
    for (const model::Block* block :
         {&operators_.layer, &operators_.recomputed_layer, &operators_.embedding, &operators_.head}) {
      for (std::size_t work = 0; work < kWorks; ++work) {
        std::vector<Operator> operators = operators_of(*block, static_cast<Work>(work));
        const std::vector<PricedOperator> priced = price_operators(scenario_, pricer_, operators);
        add_pass(priced, std::move(operators));
      }
    }
  }
  static std::int32_t pass_of(BlockKind kind, Work work) {
    return static_cast<std::int32_t>(kWorks) * static_cast<std::int32_t>(kind) + static_cast<std::int32_t>(work);
  }

  std::int32_t add_pass(const std::vector<PricedOperator>& priced, std::vector<Operator> operators) {
    programs_.passes.emplace_back(priced, std::move(operators));
    return static_cast<std::int32_t>(programs_.passes.size()) - 1;
  }

  void price_hop() {
    Hop& hop = programs_.hop;
    for (const Operator& op : operators_.pipeline_send) {
      if (op.group == Group::pipeline) {
        hop.exposed = !op.overlapped;
        hop.bytes = op.bytes;
        hop.time += picoseconds(hop_time(scenario_, pricer_, op));
      } else if (hop.exposed) {
        PricedOperator gather = price_operators(scenario_, pricer_, {op}).front();
        gather.term = Term::pipeline_exposed;
        gather.host = Seconds{0.0};
        hop.arrival = sequence({{add_pass({gather}, {op}), 1}});
      } else {
        hop.time += picoseconds(pricer_.time(op));
      }
    }
  }

  /// Equal sequences share an index.
  std::int32_t sequence(const Sequence& runs) {
    std::vector<Sequence>& all = programs_.sequences;
    const auto found = std::find(all.begin(), all.end(), runs);
    if (found != all.end()) return static_cast<std::int32_t>(found - all.begin());
    all.push_back(runs);
    return static_cast<std::int32_t>(all.size()) - 1;
  }
  std::int32_t sequence(const std::vector<BlockKind>& blocks, Work work) {
    Sequence runs;
    for (const BlockKind kind : blocks) {
      const std::int32_t pass = pass_of(kind, work);
      if (runs.empty() || runs.back().pass != pass) runs.push_back({pass, 0});
      ++runs.back().count;
    }
    return sequence(runs);
  }

  void write(Code code, std::int32_t index = 0) { code_.push_back({code, 0, -1, index, 0}); }
  void write(Code code, const Action& action, std::int32_t index, std::int32_t peer) {
    code_.push_back({code, static_cast<std::int16_t>(action.chunk), action.micro_batch, index, peer});
  }

  void write_passes(std::size_t index, const schedule::Order& order, DataTraffic& traffic) {
    const model::Stage& stage = layout_[index];
    // Sequences of whole chunks, by chunk and work.
    std::vector<std::array<std::int32_t, kWorks>> whole(stage.chunks.size());
    for (std::array<std::int32_t, kWorks>& works : whole) works.fill(-1);
    for (const std::int32_t collective : traffic.at_start()) write(Code::issue, collective);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Action& action = order[i];
      const auto chunk = static_cast<std::size_t>(action.chunk);
      const auto blocks = [&] { return blocks_of(scenario_, stage.chunks[chunk], action.work); };
      if (host_waits()) write(Code::synchronize);
      write_receive(index, action);
      if (traffic.is_cut(i, action) || (stage.chunks[chunk].head && action.work != Work::forward)) {
        for (const Piece& piece : traffic.pieces(i, action, blocks())) write_piece(piece, action);
      } else {
        std::int32_t& known = whole[chunk][static_cast<std::size_t>(action.work)];
        if (known < 0) known = sequence(blocks(), action.work);
        write(Code::run, action, known, static_cast<std::int32_t>(action.work));
      }
      write_send(index, action);
    }
  }

  void write_piece(const Piece& piece, const Action& action) {
    for (const std::int32_t collective : piece.issues_before) write(Code::issue, collective);
    if (piece.awaits >= 0) write(Code::await_collective, piece.awaits);
    for (const std::int32_t collective : piece.issues_awaited) write(Code::issue, collective);
    if (!piece.blocks.empty()) {
      std::vector<BlockKind> blocks = piece.blocks;
      if (blocks.front() == BlockKind::head && action.work != Work::forward) {
        write(Code::run, action, sequence({BlockKind::head}, action.work), static_cast<std::int32_t>(action.work));
        write(Code::synchronize);
        blocks.erase(blocks.begin());
      }
      if (!blocks.empty())
        write(Code::run, action, sequence(blocks, action.work), static_cast<std::int32_t>(action.work));
    }
    for (const std::int32_t collective : piece.issues_after) write(Code::issue, collective);
    if (piece.awaits_after >= 0) write(Code::await_collective, piece.awaits_after);
  }

  /// Sends beside compute are awaited by streams only (Megatron's overlap_p2p_communication).
  [[nodiscard]] bool host_waits() const { return layout_.size() == 1 || programs_.hop.exposed; }

  /// Pieces of the model that this chunk's input comes from and its output goes to; -1 = none.
  [[nodiscard]] std::int32_t piece_of(std::size_t stage, const Action& action) const {
    return action.chunk * static_cast<std::int32_t>(layout_.size()) + static_cast<std::int32_t>(stage);
  }
  [[nodiscard]] std::int32_t pieces() const { return programs_.chunks * static_cast<std::int32_t>(layout_.size()); }
  [[nodiscard]] std::int32_t slot(std::int32_t piece, std::int32_t micro_batch, bool gradient) const {
    const std::int32_t chunk = piece / static_cast<std::int32_t>(layout_.size());
    return ((gradient ? programs_.chunks : 0) + chunk) * programs_.micro_batches + micro_batch;
  }

  void write_receive(std::size_t stage, const Action& action) {
    const std::int32_t piece = piece_of(stage, action);
    const bool forward = action.work == Work::forward;
    if (action.work == Work::weight_gradient || (forward && piece == 0) || (!forward && piece == pieces() - 1)) return;
    write(Code::receive, action, slot(piece, action.micro_batch, !forward), 0);
    if (host_waits()) write(Code::synchronize);
    if (programs_.hop.arrival >= 0) write(Code::run, action, programs_.hop.arrival, 0);
  }

  void write_send(std::size_t stage, const Action& action) {
    const bool forward = action.work == Work::forward;
    const std::int32_t to = piece_of(stage, action) + (forward ? 1 : -1);
    if (action.work == Work::weight_gradient || to < 0 || to == pieces()) return;
    write(Code::send, action, slot(to, action.micro_batch, !forward), to % static_cast<std::int32_t>(layout_.size()));
    if (programs_.hop.exposed) write(Code::synchronize);
  }

  void write_step(std::size_t index, DataTraffic& traffic, bool together) {
    std::int32_t issued = traffic.issued();
    const auto await_all = [&](const std::vector<std::int32_t>& collectives) {
      for (const std::int32_t collective : collectives) write(Code::issue, collective);
      issued += static_cast<std::int32_t>(collectives.size());
      if (issued > 0) write(Code::await_collective, issued - 1);
    };
    await_all(traffic.after_passes());
    std::vector<Operator> kernels;
    std::vector<PricedOperator> priced;
    bool shares_embedding = false;
    for (const Operator& op : model::step_operators(scenario_, layout_[index])) {
      const Picoseconds time = picoseconds(pricer_.time(op));
      if (op.group == Group::embedding) {
        shares_embedding = true;
        programs_.embedding = {time, op.bytes};
      } else if (op.group == Group::model) {
        programs_.all = {time, op.bytes};
      } else if (op.group == Group::none) {
        const Seconds device = pricer_.time(op);
        const Seconds host = static_cast<double>(op.launches) * scenario_.stack.host.per_launch;
        priced.push_back({kernels.size(), Term::optimizer, Group::none, op.launches, host, device, device});
        kernels.push_back(op);
      }
    }
    if (shares_embedding) write(Code::join_embedding);
    if (together) write(Code::join_all);
    write(Code::synchronize);
    write(Code::run, sequence({{add_pass(priced, std::move(kernels)), 1}}));
    if (!traffic.after_optimizer().empty()) await_all(traffic.after_optimizer());
    write(Code::finish);
  }

  const model::Scenario& scenario_;
  const std::vector<model::Stage>& layout_;
  cost::Pricer pricer_;
  model::OperatorList operators_;
  Programs programs_;
  /// Of the stage that is being written.
  std::vector<Instruction> code_;
};

}  // namespace

Programs compile(const model::Scenario& scenario, const std::vector<model::Stage>& layout) {
  return Compiler{scenario, layout}.compile();
}

}  // namespace shardsim::engine::event

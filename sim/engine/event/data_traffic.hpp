// When a stage's data-parallel collectives are issued and awaited: where the passes of its schedule are cut.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/cost/operator_time.hpp"
#include "sim/engine/event/block_kind.hpp"
#include "sim/engine/event/max_plus.hpp"
#include "sim/model/scenario.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::engine::event {

/// A collective of a stage's data-parallel group, undisturbed.
struct Collective {
  std::string_view name;
  model::OperatorKind kind = model::OperatorKind::all_reduce;
  Bytes bytes{0};
  Picoseconds time = 0;
};

/// Blocks that run in one go, between what is awaited before and what is issued after. Collectives are issued by their
/// index and awaited by their place among all that were issued in this iteration.
struct Piece {
  std::vector<std::int32_t> issues_before;
  /// -1 = none.
  std::int32_t awaits = -1;
  std::vector<std::int32_t> issues_awaited;
  std::vector<BlockKind> blocks;
  std::vector<std::int32_t> issues_after;
  std::int32_t awaits_after = -1;
};

/// ZeRO-0/1: gradients travel in buckets that fill as the last backward passes the layers, or in one message at the
/// end; parameters are gathered beside the first forward, all from its start, or after the optimizer. ZeRO-2 reduces
/// after every micro batch, ZeRO-3 after every layer, and gathers every layer's parameters one layer ahead.
class DataTraffic {
 public:
  DataTraffic(const model::Scenario& scenario, const cost::Pricer& pricer, const model::Stage& stage,
              const schedule::Order& order);

  [[nodiscard]] const std::vector<Collective>& collectives() const { return collectives_; }
  /// Issued at the start of the iteration.
  [[nodiscard]] const std::vector<std::int32_t>& at_start() const { return at_start_; }
  /// Issued and awaited after the passes / after the optimizer.
  [[nodiscard]] const std::vector<std::int32_t>& after_passes() const { return after_passes_; }
  [[nodiscard]] const std::vector<std::int32_t>& after_optimizer() const { return after_optimizer_; }

  /// False: the action runs in one go, without data-parallel traffic.
  [[nodiscard]] bool is_cut(std::size_t action, const schedule::Action& what) const;
  /// Of an action that is cut; asked for in order, each once.
  [[nodiscard]] std::vector<Piece> pieces(std::size_t action, const schedule::Action& what,
                                          const std::vector<BlockKind>& blocks);
  /// Collectives issued so far.
  [[nodiscard]] std::int32_t issued() const { return issued_; }

 private:
  /// Messages of one operator.
  struct Messages {
    std::int32_t collective = -1;
    std::int64_t count = 0;
    bool overlapped = false;

    [[nodiscard]] bool any() const { return count > 0; }
  };

  void add(const cost::Pricer& pricer, const model::Stage& stage, const model::Operator& op);
  void find_ends(const schedule::Order& order);
  [[nodiscard]] std::int64_t parameters_of(BlockKind kind) const;
  void gather_layer(std::vector<Piece>& pieces);
  void await_bucket(std::vector<Piece>& pieces, BlockKind kind);
  /// Buckets that fill with this block's gradients.
  [[nodiscard]] std::int64_t full_buckets(BlockKind kind);
  [[nodiscard]] std::int64_t buckets_holding(std::int64_t parameters, std::int64_t buckets) const;
  void issue_after(std::vector<Piece>& pieces, std::int64_t count);

  const model::Scenario& scenario_;
  std::vector<Collective> collectives_;
  std::vector<std::int32_t> at_start_;
  std::vector<std::int32_t> after_passes_;
  std::vector<std::int32_t> after_optimizer_;
  Messages gradients_;
  Messages parameters_;
  /// By chunk: its first action, and the action that completes its gradients.
  std::vector<std::size_t> first_;
  std::vector<std::size_t> last_;
  /// Parameters of the stage, and of the blocks whose gradients are complete or whose gathers were awaited.
  std::int64_t stage_parameters_ = 0;
  std::int64_t reduced_ = 0;
  std::int64_t gathered_ = 0;
  std::int64_t buckets_issued_ = 0;
  std::int32_t awaited_bucket_ = -1;
  std::int64_t gathers_issued_ = 0;
  /// ZeRO-3: the gather of the next layer, if it was issued.
  std::int32_t next_gather_ = -1;
  std::int32_t issued_ = 0;
};

}  // namespace shardsim::engine::event

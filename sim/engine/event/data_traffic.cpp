#include "sim/engine/event/data_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "sim/engine/event/pass_cost.hpp"
#include "sim/engine/step_time.hpp"
#include "sim/model/parameters.hpp"

namespace shardsim::engine::event {
namespace {

using model::Operator;
using model::OperatorKind;
using schedule::Action;
using schedule::Work;

bool completes_gradients(Work work) { return work == Work::backward || work == Work::weight_gradient; }

bool is_layer(BlockKind kind) { return kind == BlockKind::layer || kind == BlockKind::recomputed_layer; }

}  // namespace

DataTraffic::DataTraffic(const model::Scenario& scenario, const cost::Pricer& pricer, const model::Stage& stage,
                         const schedule::Order& order)
    : scenario_{scenario} {
  for (const Operator& op : model::step_operators(scenario, stage)) {
    if (model::is_communication(op.kind) && op.group == model::Group::data) add(pricer, stage, op);
  }
  for (const model::Chunk& chunk : stage.chunks) {
    for (const BlockKind kind : blocks_of(scenario, chunk, Work::forward)) stage_parameters_ += parameters_of(kind);
  }
  find_ends(order);
  issued_ = static_cast<std::int32_t>(at_start_.size());
}

void DataTraffic::add(const cost::Pricer& pricer, const model::Stage& stage, const Operator& op) {
  const int zero_stage = model::traffic_zero_stage(scenario_);
  const std::int64_t count = data_messages(scenario_, stage, op);
  const Bytes bytes = op.bytes / count;
  const auto index = static_cast<std::int32_t>(collectives_.size());
  collectives_.push_back({op.name, op.kind, bytes, picoseconds(pricer.communication_time(op, bytes))});
  const Messages messages{index, count, op.overlapped};
  const bool gathers = op.kind == OperatorKind::all_gather;
  if (gathers && zero_stage >= kShardedParameters) {
    parameters_ = messages;
  } else if (gathers && op.overlapped) {
    parameters_ = messages;
    at_start_.assign(static_cast<std::size_t>(count), index);
  } else if (gathers) {
    after_optimizer_.push_back(index);
  } else if (op.overlapped || (zero_stage >= kShardedGradients && gradients_.count == 0)) {
    gradients_ = messages;
  } else {
    after_passes_.push_back(index);
  }
}

void DataTraffic::find_ends(const schedule::Order& order) {
  const auto chunks = static_cast<std::size_t>(scenario_.parallelism.virtual_pipeline_model_parallel_size);
  first_.assign(chunks, order.size());
  last_.assign(chunks, order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto chunk = static_cast<std::size_t>(order[i].chunk);
    first_[chunk] = std::min(first_[chunk], i);
    if (completes_gradients(order[i].work)) last_[chunk] = i;
  }
}

std::int64_t DataTraffic::parameters_of(BlockKind kind) const {
  const model::Chunk alone{is_layer(kind) ? 1 : 0, kind == BlockKind::embedding, kind == BlockKind::head};
  return model::rank_parameters(scenario_, model::Stage{{alone}});
}

bool DataTraffic::is_cut(std::size_t action, const Action& what) const {
  const int zero_stage = model::traffic_zero_stage(scenario_);
  const auto chunk = static_cast<std::size_t>(what.chunk);
  const bool gathers = parameters_.any() && (zero_stage >= kShardedParameters || first_[chunk] == action);
  const bool reduces =
      gradients_.any() && completes_gradients(what.work) && (zero_stage >= kShardedGradients || last_[chunk] == action);
  return gathers || reduces;
}

std::vector<Piece> DataTraffic::pieces(std::size_t action, const Action& what, const std::vector<BlockKind>& blocks) {
  const int zero_stage = model::traffic_zero_stage(scenario_);
  const bool first = first_[static_cast<std::size_t>(what.chunk)] == action;
  const bool last = last_[static_cast<std::size_t>(what.chunk)] == action;
  std::vector<Piece> pieces(1);
  for (const BlockKind kind : blocks) {
    if (parameters_.any() && zero_stage >= kShardedParameters && is_layer(kind)) {
      gather_layer(pieces);
    } else if (parameters_.any() && zero_stage < kShardedParameters && first) {
      await_bucket(pieces, kind);
    }
    pieces.back().blocks.push_back(kind);
    if (!gradients_.any() || !completes_gradients(what.work)) continue;
    if (zero_stage >= kShardedParameters) {
      if (is_layer(kind)) issue_after(pieces, 1);
    } else if (zero_stage < kShardedGradients && last) {
      issue_after(pieces, full_buckets(kind));
    }
  }
  if (zero_stage == kShardedGradients && gradients_.any() && completes_gradients(what.work) && what.chunk == 0) {
    issue_after(pieces, 1);
  }
  if (pieces.back().blocks.empty()) pieces.pop_back();
  return pieces;
}

/// One layer ahead: the gather that this layer waits for was issued before the previous one ran.
void DataTraffic::gather_layer(std::vector<Piece>& pieces) {
  if (!pieces.back().blocks.empty()) pieces.emplace_back();
  Piece& piece = pieces.back();
  if (next_gather_ < 0) {
    next_gather_ = issued_++;
    piece.issues_before.push_back(parameters_.collective);
    ++gathers_issued_;
  }
  piece.awaits = next_gather_;
  next_gather_ = -1;
  if (parameters_.overlapped && gathers_issued_ < parameters_.count) {
    next_gather_ = issued_++;
    piece.issues_awaited.push_back(parameters_.collective);
    ++gathers_issued_;
  }
}

void DataTraffic::await_bucket(std::vector<Piece>& pieces, BlockKind kind) {
  gathered_ += parameters_of(kind);
  const auto bucket = static_cast<std::int32_t>(buckets_holding(gathered_, parameters_.count) - 1);
  if (bucket == awaited_bucket_) return;
  awaited_bucket_ = bucket;
  if (!pieces.back().blocks.empty()) pieces.emplace_back();
  pieces.back().awaits = bucket;
}

std::int64_t DataTraffic::full_buckets(BlockKind kind) {
  reduced_ += parameters_of(kind);
  const std::int64_t full =
      reduced_ == stage_parameters_
          ? gradients_.count
          : static_cast<std::int64_t>(static_cast<double>(reduced_) / static_cast<double>(stage_parameters_) *
                                      static_cast<double>(gradients_.count));
  const std::int64_t newly = full - buckets_issued_;
  buckets_issued_ = full;
  return newly;
}

std::int64_t DataTraffic::buckets_holding(std::int64_t parameters, std::int64_t buckets) const {
  const double share = static_cast<double>(parameters) / static_cast<double>(stage_parameters_);
  return std::min(buckets, static_cast<std::int64_t>(std::ceil(share * static_cast<double>(buckets))));
}

void DataTraffic::issue_after(std::vector<Piece>& pieces, std::int64_t count) {
  if (count == 0) return;
  Piece& piece = pieces.back();
  piece.issues_after.assign(static_cast<std::size_t>(count), gradients_.collective);
  issued_ += static_cast<std::int32_t>(count);
  if (!gradients_.overlapped) piece.awaits_after = issued_ - 1;
  pieces.emplace_back();
}

}  // namespace shardsim::engine::event

// A share of a search: what one thread or one process finds.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "sim/engine/iteration_time.hpp"
#include "sim/plan/search.hpp"

namespace shardsim::plan {

/// A candidate by what it is ranked by.
struct Ranked {
  /// Seconds of those that fit; bytes used of those that do not.
  double value = std::numeric_limits<double>::infinity();
  std::int64_t place = 0;
  Degrees degrees;

  friend bool operator<(const Ranked& a, const Ranked& b) {
    return a.value != b.value ? a.value < b.value : a.place < b.place;
  }
};

/// What the shares of one search tell each other, so that each can leave out what cannot be among the best.
struct Shared {
  /// Some share's time of its last of the best.
  std::atomic<double> worst_of_best{std::numeric_limits<double>::infinity()};
  std::atomic<bool> something_fits{false};
};

/// Layouts that agree in tensor and context parallelism, micro batch, recomputation and sequence parallelism share
/// priced blocks; the space falls into units of them.
class PartialSearch {
 public:
  PartialSearch(const model::Scenario& base, const Space& space, const SearchOptions& options, Shared& shared);

  [[nodiscard]] static std::int64_t units(const Space& space);
  void search_unit(std::int64_t unit);

  /// The fastest, sorted.
  [[nodiscard]] const std::vector<Ranked>& best() const { return best_; }
  /// Where nothing fits; infinite otherwise.
  [[nodiscard]] const Ranked& nearest() const { return nearest_; }
  [[nodiscard]] std::int64_t considered() const { return considered_; }
  [[nodiscard]] std::int64_t out_of_memory() const { return out_of_memory_; }
  [[nodiscard]] const std::array<std::int64_t, kReasons>& impossible() const { return impossible_; }

 private:
  /// Layouts of all pipeline sizes and numbers of chunks, empty where layers do not divide.
  using Layouts = std::vector<std::vector<std::vector<model::Stage>>>;
  struct Prices;

  void search_pipeline(std::size_t pipeline);
  void search_sharding(Prices& prices, const std::vector<model::Stage>& layout, std::int64_t place);
  void evaluate(Prices& prices, const std::vector<model::Stage>& layout, std::int64_t place);
  [[nodiscard]] const engine::SharedBlocks& blocks(const cost::Pricer& pricer);
  [[nodiscard]] std::int64_t place(std::size_t pipeline, std::size_t schedule, std::size_t chunks) const;
  void reject(Reason reason, std::int64_t count) { impossible_[static_cast<std::size_t>(reason)] += count; }
  void keep(const Ranked& candidate);

  const model::Scenario& base_;
  const Space& space_;
  const SearchOptions& options_;
  Shared& shared_;
  Layouts layouts_;
  /// Of the unit that is searched.
  std::array<std::size_t, 5> at_{};
  Degrees degrees_;
  model::Scenario scenario_;
  /// Without a pipeline, inside a node, between nodes.
  std::array<std::unique_ptr<engine::SharedBlocks>, 3> blocks_;

  std::vector<Ranked> best_;
  Ranked nearest_;
  std::int64_t considered_ = 0;
  std::int64_t out_of_memory_ = 0;
  std::array<std::int64_t, kReasons> impossible_{};
};

}  // namespace shardsim::plan

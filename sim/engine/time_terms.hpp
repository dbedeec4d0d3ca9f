// The named, disjoint parts of an iteration.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/base/units.hpp"

namespace shardsim::engine {

enum class Term {
  matrix_multiply,
  /// Fused kernels and the batched products of unfused attention.
  attention,
  memory_bound,
  /// Forward compute repeated in the backward pass.
  recompute,
  /// The device waits for the host to launch.
  host_wait,
  tensor_parallel_exposed,
  context_parallel_exposed,
  /// Sends between stages and the tied embedding's gradient reduction.
  pipeline_exposed,
  pipeline_bubble,
  data_parallel_exposed,
  /// Update, clipping and gradient norm.
  optimizer,
  fixed_overhead,
  /// Near its limit, PyTorch's allocator frees and asks for memory again, and the device waits.
  allocator_retries,
};

inline constexpr std::array<std::string_view, 13> kTermNames = {"matrix_multiply",
                                                                "attention",
                                                                "memory_bound",
                                                                "recompute",
                                                                "host_wait",
                                                                "tensor_parallel_exposed",
                                                                "context_parallel_exposed",
                                                                "pipeline_exposed",
                                                                "pipeline_bubble",
                                                                "data_parallel_exposed",
                                                                "optimizer",
                                                                "fixed_overhead",
                                                                "allocator_retries"};
inline constexpr std::size_t kTerms = kTermNames.size();

/// Seconds by term.
class TermTimes {
 public:
  [[nodiscard]] Seconds& operator[](Term term) { return times_[static_cast<std::size_t>(term)]; }
  [[nodiscard]] Seconds operator[](Term term) const { return times_[static_cast<std::size_t>(term)]; }
  [[nodiscard]] Seconds total() const {
    Seconds sum{0.0};
    for (const Seconds time : times_) sum += time;
    return sum;
  }
  /// Adds `count` times the other's terms.
  void add(const TermTimes& other, double count) {
    for (std::size_t i = 0; i < kTerms; ++i) times_[i] += count * other.times_[i];
  }

 private:
  std::array<Seconds, kTerms> times_{};
};

}  // namespace shardsim::engine

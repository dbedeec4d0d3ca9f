// How long a pipeline takes for one iteration, stages unequal, and when each stage is done.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/model/parallelism.hpp"

namespace shardsim::schedule {

/// One micro batch through one whole stage (all of its chunks).
struct StageTime {
  Seconds forward;
  /// Input and weight gradients.
  Seconds backward;
  /// The part of `backward` that nothing waits for: zero-bubble schedules move it into the bubbles.
  Seconds weight_gradient;

  [[nodiscard]] Seconds total() const { return forward + backward; }
};

/// The stage that sets the beat: largest forward + backward.
[[nodiscard]] std::size_t slowest_stage(const std::vector<StageTime>& stages);

/// All m forwards, then all m backwards, each a flow line of equal jobs (Huang et al. 2019, section 2.3):
///   Σ f_i + (m − 1)·max f_i + Σ b_i + (m − 1)·max b_i.
[[nodiscard]] Seconds gpipe_span(const std::vector<StageTime>& stages, std::int64_t micro_batches);

/// GPipe whose fill and drain pass one chunk of v instead of the stage (Lamy-Poirier 2022, section 3.3), m >= p:
///   m·max f_i + (Σ f_i − max f_i)/v, and the same of b_i;  bubble over ideal time (p − 1)/(v·m).
[[nodiscard]] Seconds breadth_first_span(const std::vector<StageTime>& stages, std::int64_t micro_batches,
                                         std::int64_t chunks);

/// Stage i works m times, waits for the first micro batch to pass the stages before it, to return from those after it
/// (which its w = p − i − 1 warm-up forwards shorten), and for the last one likewise:
///   max_i  Σ_{j<i} t_j + m·t_i + max(0, Σ_{j>i} t_j − w·f_i) + max(0, Σ_{j>i} t_j − w·b_i).
/// Equal stages: (m + p − 1)·t, bubble over ideal time (p − 1)/m (Narayanan et al. 2021, section 2.2). With fewer micro
/// batches than stages the flow line Σ t_i + (m − 1)·max t_i.
[[nodiscard]] Seconds one_f_one_b_span(const std::vector<StageTime>& stages, std::int64_t micro_batches);

/// Fill and drain pass one chunk of v instead of the stage (ibid.):  m·max t_i + (Σ t_i − max t_i)/v;
/// bubble over ideal time (p − 1)/(v·m).
[[nodiscard]] Seconds interleaved_span(const std::vector<StageTime>& stages, std::int64_t micro_batches,
                                       std::int64_t chunks);

/// Zero-bubble schedules (Qi et al. 2023, Table 1):  m·max t_i + Σ_{i ≠ slowest} max(0, t_i − d·w_i), with
/// t = T_F + T_B + T_W, w = T_W. H1 delays d = 2 weight gradients per stage into the bubble: (p − 1)(T_F + T_B − T_W);
/// H2 delays 3: (p − 1)(T_F + T_B − 2·T_W). With equal times 1p is as H1, (p − 1)/(3m), and 2p as H2, 0.
/// Only m weight gradients can move into the others' bubbles, so that no schedule ends sooner for more work:
/// d = min(d, 1 + m/(p − 1)).
[[nodiscard]] Seconds zero_bubble_span(const std::vector<StageTime>& stages, std::int64_t micro_batches,
                                       double delayed_weight_gradients);

/// From the first forward to the last backward, by the schedule of `parallelism`.
[[nodiscard]] Seconds pipeline_span(const model::Parallelism& parallelism, const std::vector<StageTime>& stages,
                                    std::int64_t micro_batches);

/// How much earlier than the last one (the first stage) a stage ends: the drain, one chunk's backward on every stage
/// before it, which take `backward_before` for all their chunks. Zero-bubble schedules fill the drain with weight
/// gradients: 0.
[[nodiscard]] Seconds drain_lead(const model::Parallelism& parallelism, Seconds backward_before);

}  // namespace shardsim::schedule

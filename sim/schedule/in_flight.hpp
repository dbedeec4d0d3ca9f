// How many forward passes a pipeline stage holds at once: what its activations are multiplied by.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/model/parallelism.hpp"

namespace shardsim::schedule {

/// True where a stage holds several chunks of the model and visits them in turn, backwards between forwards.
[[nodiscard]] bool is_interleaved(const model::Parallelism& parallelism);

/// True where every forward pass of a stage comes before its first backward pass (GPipe, breadth-first).
[[nodiscard]] bool runs_all_forwards_first(model::Schedule schedule);

/// Micro batches that visit a chunk before the next chunk's turn: all where forwards come first, else as given, else p.
[[nodiscard]] std::int64_t group_size(const model::Parallelism& parallelism, std::int64_t micro_batches);

/// Most (micro batch, chunk) pairs of `stage` (from 0) whose backward has not run; without interleaving a chunk is the
/// whole stage, so the unit is micro batches. p stages, m micro batches, v chunks a stage, micro-batch group g:
///   GPipe, breadth-first    m·v
///   1F1B                    min(m, p − i)                            (Narayanan et al. 2021, section 2.2.1)
///   interleaved 1F1B        min(m·v, 2(p − i − 1) + (v − 1)·g + 1)   (Megatron-LM's warm-up plus the running one)
///   ZB-H1, ZB-1p            min(m, p)                                (Qi et al. 2023, sections 2 and 3)
///   ZB-2p                   min(m, 2p − 1)                           (ibid.)
/// Zero-bubble schedules hold a micro batch until its weight gradient has run.
[[nodiscard]] std::int64_t chunks_in_flight(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                            std::int64_t stage);

/// How many of them, at a stage's peak, have run their input gradients and wait for their weight gradients only. ZB-1p:
/// the stages before filled those up to the limit of p: i, as ZB-H1's (p − i)·M_B + i·M_W (Qi et al. 2023, Table 1).
[[nodiscard]] std::int64_t weight_gradients_pending(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                                    std::int64_t stage);

/// Most bytes that `stage` holds at once where each pair of chunk c in flight holds chunk_bytes[c]. Chunks that differ
/// (the embedding's, the head's) peak at different moments, which a walk through the schedule finds.
[[nodiscard]] Bytes most_held(const model::Parallelism& parallelism, std::int64_t micro_batches, std::int64_t stage,
                              const std::vector<Bytes>& chunk_bytes);

}  // namespace shardsim::schedule

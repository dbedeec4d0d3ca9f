// How many forward passes a pipeline stage holds at once: what its activations are multiplied by.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/parallelism.hpp"

namespace shardsim::schedule {

/// True where a stage holds several chunks of the model and visits them in turn.
[[nodiscard]] bool is_interleaved(const model::Parallelism& parallelism);

/// Most (micro batch, chunk) pairs of `stage` (from 0) whose backward has not run; without interleaving a chunk is the
/// whole stage, so the unit is micro batches. p stages, m micro batches, v chunks a stage, micro-batch group g:
///   GPipe                   m·v
///   1F1B, ZB-H1             min(m, p − i)                            (Narayanan et al. 2021, section 2.2.1)
///   interleaved 1F1B        min(m·v, 2(p − i − 1) + (v − 1)·g + 1)   (Megatron-LM's warm-up plus the running one)
///   ZB-1p, ZB-2p            min(m, p), min(m, 2p − 1)                (Qi et al. 2023, sections 2 and 3)
[[nodiscard]] std::int64_t chunks_in_flight(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                            std::int64_t stage);

/// How many of them, at a stage's peak, have run their input gradients and wait for their weight gradients only. ZB-1p:
/// the stages before filled those up to the limit of p: i, as ZB-H1's (p − i)·M_B + i·M_W (Qi et al. 2023, Table 1).
[[nodiscard]] std::int64_t weight_gradients_pending(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                                    std::int64_t stage);

/// The same by chunk: the first chunks_in_flight() forward passes of the stage visit chunk 0 for a group of micro
/// batches, then chunk 1 for the same group, and so on.
[[nodiscard]] std::vector<std::int64_t> in_flight_by_chunk(const model::Parallelism& parallelism,
                                                           std::int64_t micro_batches, std::int64_t stage);

}  // namespace shardsim::schedule

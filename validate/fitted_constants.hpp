// How many constants of the profiles are not given by a data sheet, source code or a paper but were chosen so that
// predictions meet measurements.
#pragma once

#include <cstddef>

#include "sim/input/scenario_file.hpp"

namespace shardsim::validate {

/// Stacks meet measured training runs; devices and clusters meet measured kernels and collectives.
struct FittedConstants {
  std::size_t stacks = 0;
  std::size_t devices = 0;
  std::size_t clusters = 0;
  [[nodiscard]] std::size_t total() const { return stacks + devices + clusters; }
};

/// Counts, from above (guesses count as fitted),
///  in stacks: memory_bound_slowdown, alibi_attention_slowdown, host.*, saved.*, logit_bytes.*,
///    allocator.fragmentation, allocator.ring_attention_blocks;
///  in devices: kernel_latency, sustained_slowdown, gemm.* but peaks and tiles, attention.*, memory_bound.*;
///  in clusters: collective_slowdown, efficiencies and latencies of links, latencies and bandwidths of
///  measured_collectives.
/// A slowdown of 1 and an addition of 0 are none; an equal value of the same key (in whatever matrix format) is counted
/// once. Widths of intervals (error) are left out: they move no prediction.
[[nodiscard]] FittedConstants fitted_constants(const std::vector<input::Preset>& presets = input::presets());

}  // namespace shardsim::validate

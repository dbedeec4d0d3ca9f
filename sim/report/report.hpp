// A prediction for people (table), for programs (JSON) and for spreadsheets (CSV).
#pragma once

#include <iosfwd>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"
#include "sim/plan/changes_that_fit.hpp"

namespace shardsim::report {

/// One screen holds the whole table.
inline constexpr std::size_t kTableLines = 50;
inline constexpr std::size_t kTableColumns = 100;

/// For people: the verdict first, then time, memory by component, layout, what was assumed and what to change.
/// At most kTableLines lines of at most kTableColumns characters; what does not fit there is counted, not dropped
/// silently.
void write_table(std::ostream& out, const model::Scenario& scenario, const engine::Prediction& prediction,
                 const std::vector<plan::Change>& changes);

/// One JSON object. SI units, numbers unrounded, a number that is not finite is null. Keys in this order:
///   name
///   iteration_s, iteration_s_p10, iteration_s_p90     80 % interval
///   tokens_per_s
///   model_tflops_per_gpu, hardware_tflops_per_gpu     full attention; hardware adds recomputation
///   mfu, hfu, mfu_causal, peak_tflops, peak_format    on the peak of the matrix format used; mfu_causal counts only
///                                                     the unmasked half of causal attention
///   time{term: seconds}                               disjoint, sums to iteration_s
///   communication{group: {total_s, exposed_s, bytes}} of the slowest stage
///   memory{peak_allocated_bytes, peak_reserved_bytes, device_used_bytes, device_total_bytes, fits, margin_bytes,
///     out_of_memory_probability, worst_stage,
///     stages[{stage, parameters, gradients, optimizer, activations, temporaries, logits, workspace,
///       peak_allocated_bytes, peak_reserved_bytes, device_used_bytes, peak_moment}]}
///                                                     the components are bytes and sum to peak_allocated_bytes
///   utilisation[{stage, first_rank, ranks, compute_busy_s, compute_idle_s, host_busy_s, tensor_busy_s, context_busy_s,
///     pipeline_busy_s, data_busy_s}]                  of the event engine: ranks that do the same, by stage
///   memory_in_time[{stage, peak_start_s, peak_end_s, peak_action, micro_batch, chunk, peak_allocated_bytes,
///     peak_reserved_bytes, fragmentation}]            of the event engine: the action during which a stage's tensors
///                                                     peak; reserved as a model of PyTorch's allocator places them,
///                                                     where memory.peak_reserved_bytes is the stack's fitted value
///   resolved{name, gpus, parameters, bytes_per_parameter, data_parallel_size, micro_batches_per_iteration,
///     layers_per_stage[[layers of each virtual stage]], padded_vocab_size, zero_stage, stack, cluster, device,
///     peak_format, model{}, parallelism{}, training{}}
///                                                     bytes_per_parameter: parameters, gradients and optimizer state
///                                                     of the worst stage over the parameters that it computes with
///   assumed[{key, value, reason}], warnings[]
/// and where the job does not fit
///   biggest_terms[{component, bytes}]                 of the worst stage, largest first
///   changes_that_fit[{change, flags[], peak_allocated_bytes, device_used_bytes, iteration_s, gpus, time_cost}]
///                                                     time_cost: GPU time of an iteration over the unchanged one's,
///                                                     minus one
void write_json(std::ostream& out, const model::Scenario& scenario, const engine::Prediction& prediction,
                const std::vector<plan::Change>& changes);

/// A header line and one line of the scalar values of the JSON object, under the same names.
void write_csv(std::ostream& out, const model::Scenario& scenario, const engine::Prediction& prediction,
               const std::vector<plan::Change>& changes);

}  // namespace shardsim::report

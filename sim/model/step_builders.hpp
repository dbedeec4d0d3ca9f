// Makers of the operators that a stage runs once per iteration: elements in, bytes filled in.
#pragma once

#include <cstdint>

#include "sim/model/operators.hpp"

namespace shardsim::model {

/// all_reduce or reduce_scatter of `elements` gradients over the data-parallel group.
[[nodiscard]] Operator gradient_reduction(const Scenario& scenario, OperatorKind kind, std::int64_t elements);

/// Gradients of parameters whose tensor-parallel copies see different tokens (sequence parallelism).
[[nodiscard]] Operator sequence_parallel_gradients(const Scenario& scenario, std::int64_t elements);

/// Gradients of the tied word embedding between first and last stage.
[[nodiscard]] Operator embedding_gradients(const Scenario& scenario, std::int64_t elements);

/// Norm of `own` gradients, and their clipping where the optimizer's kernel does not do it.
[[nodiscard]] Operator gradient_clipping(const Scenario& scenario, std::int64_t own);

/// One fp32 number over the model replica (and the shards of its optimizer).
[[nodiscard]] Operator gradient_norm();

[[nodiscard]] Operator optimizer_update(const Scenario& scenario, std::int64_t own);

/// Updated parameters from their shards.
[[nodiscard]] Operator parameter_gather(const Scenario& scenario, std::int64_t elements);

[[nodiscard]] Operator zero_gradients(const Scenario& scenario, std::int64_t elements);

}  // namespace shardsim::model

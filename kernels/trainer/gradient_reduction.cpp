#include "kernels/trainer/gradient_reduction.hpp"

#include <algorithm>

#include "sim/model/step_builders.hpp"

namespace shardsim::kernels {

using model::OperatorKind;

GradientReduction::GradientReduction(const model::Scenario& scenario, ParameterBuffers& buffers,
                                     const FlatLayout& layout, const Groups& groups, Operations& operations,
                                     Memory& memory)
    : scenario_{scenario},
      buffers_{buffers},
      layout_{layout},
      groups_{groups},
      operations_{operations},
      memory_{memory},
      replicas_{scenario, buffers, layout, *groups.data} {}

void GradientReduction::reduce() {
  if (groups_.data->size() > 1) {
    const OperatorKind kind = sharded() ? OperatorKind::reduce_scatter : OperatorKind::all_reduce;
    operations_.run(model::gradient_reduction(scenario_, kind, layout_.elements),
                    [&](Backend&) { replicas_.finish_reduction(); });
  }
  if (groups_.tensor->size() > 1) sum_over_tensor_group();
  if (groups_.embedding != nullptr) sum_shared_embedding();
}

void GradientReduction::sum_over_tensor_group() {
  std::vector<Matrix> partial;
  std::int64_t elements = 0;
  for (const Parameter& parameter : buffers_.parameters) {
    if (!parameter.sum_gradient_over_tensor_group) continue;
    const std::int64_t count = parameter.gradient.elements();
    partial.push_back(parameter.gradient.reshaped(1, count));
    elements += count;
  }
  if (partial.empty()) return;
  const Tensor message{memory_, Component::temporaries, partial.front().dtype, 1, elements};
  Backend& backend = operations_.backend();
  const auto each = [&](auto&& move) {
    std::int64_t first = 0;
    for (const Matrix& gradient : partial) {
      move(gradient, part_of(message, {first, gradient.columns}));
      first += gradient.columns;
    }
  };
  each([&](const Matrix& gradient, const Matrix& place) { backend.copy(gradient, place); });
  operations_.run(model::sequence_parallel_gradients(scenario_, elements),
                  [&](Backend&) { groups_.tensor->all_reduce(message, Reduction::sum); });
  each([&](const Matrix& gradient, const Matrix& place) { backend.copy(place, gradient); });
}

void GradientReduction::sum_shared_embedding() {
  for (const Parameter& parameter : buffers_.parameters) {
    if (!parameter.shared_embedding) continue;
    operations_.run(model::embedding_gradients(scenario_, parameter.gradient.elements()),
                    [&](Backend&) { groups_.embedding->all_reduce(parameter.gradient, Reduction::sum); });
  }
}

void GradientReduction::gather_parameters() {
  if (!sharded() || groups_.data->size() == 1) return;
  operations_.run(model::parameter_gather(scenario_, layout_.elements),
                  [&](Backend&) { replicas_.gather_parameters(); });
}

}  // namespace shardsim::kernels

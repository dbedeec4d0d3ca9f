#include "kernels/trainer/adam.hpp"

#include "sim/model/step_builders.hpp"

namespace shardsim::kernels {

Adam::Adam(const AdamOptions& options, const model::Scenario& scenario, ParameterBuffers& buffers,
           const FlatLayout& layout, const std::vector<Range>& ranges, Memory& memory, Operations& operations)
    : options_{options},
      scenario_{scenario},
      buffers_{buffers},
      operations_{operations},
      ranges_{ranges},
      pieces_{pieces_of(buffers.parameters, layout, ranges)} {
  const auto state = [&] { return Tensor{memory, Component::optimizer, DType::fp32, 1, own_elements()}; };
  Backend& backend = operations.backend();
  first_moment_ = state();
  second_moment_ = state();
  backend.fill(first_moment_, 0.0);
  backend.fill(second_moment_, 0.0);
  if (!needs_master_weights(scenario.training.precision)) return;
  master_ = state();
  masters_from_values();
}

void Adam::masters_from_values() {
  if (master_.empty()) return;
  for (const Piece& piece : pieces_) {
    operations_.backend().copy(part_of(buffers_.values, piece.flat), part_of(master_, {piece.state, piece.flat.count}));
  }
}

std::int64_t Adam::own_elements() const {
  std::int64_t elements = 0;
  for (const Range& range : ranges_) elements += range.count;
  return elements;
}

double Adam::sum_of_squares() {
  double sum = 0.0;
  operations_.run(model::gradient_clipping(scenario_, own_elements()), [&](Backend& backend) {
    for (const Piece& piece : pieces_) {
      if (piece.counts_in_norm) sum += backend.sum_of_squares(part_of(buffers_.gradients, piece.flat));
    }
  });
  return sum;
}

void Adam::update(const UpdateScale& scale) {
  AdamStep step;
  step.learning_rate = scale.learning_rate;
  step.beta1 = options_.beta1;
  step.beta2 = options_.beta2;
  step.epsilon = options_.epsilon;
  step.step = ++steps;
  step.gradient_scale = scale.gradient;
  operations_.run(model::optimizer_update(scenario_, own_elements()), [&](Backend& backend) {
    for (const Piece& piece : pieces_) {
      const Range state{piece.state, piece.flat.count};
      const Matrix stored = part_of(buffers_.values, piece.flat);
      step.weight_decay = piece.weight_decay ? options_.weight_decay : 0.0;
      backend.adam(part_of(buffers_.gradients, piece.flat), step, master_.empty() ? stored : part_of(master_, state),
                   part_of(first_moment_, state), part_of(second_moment_, state), stored);
    }
  });
}

}  // namespace shardsim::kernels

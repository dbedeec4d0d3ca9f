// Adam over this rank's share of the flat buffers, with fp32 master weights where the stored ones are shorter.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/operations.hpp"
#include "kernels/trainer/flat_buffers.hpp"
#include "kernels/trainer/train_options.hpp"

namespace shardsim::kernels {

/// What one step multiplies and by how much.
struct UpdateScale {
  double learning_rate = 0.0;
  /// Of the gradient: clipping over loss scale.
  double gradient = 1.0;
};

class Adam {
 public:
  /// `ranges`: of the buffers, this rank's share. State is zero, masters are the stored values.
  Adam(const AdamOptions& options, const model::Scenario& scenario, ParameterBuffers& buffers, const FlatLayout& layout,
       const std::vector<Range>& ranges, Memory& memory, Operations& operations);

  /// Σ g² of this rank's share, each parameter counted on one rank of the model.
  [[nodiscard]] double sum_of_squares();
  /// Kingma & Ba 2015 with decoupled weight decay (Loshchilov & Hutter 2019); counts a step.
  void update(const UpdateScale& scale);

  /// After the stored values were loaded from elsewhere.
  void masters_from_values();

  /// Steps done; a checkpoint sets it.
  std::int64_t steps = 0;

  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  /// State of the ranges, one after another; master() is empty where the stored values are fp32.
  [[nodiscard]] const Tensor& master() const { return master_; }
  [[nodiscard]] const Tensor& first_moment() const { return first_moment_; }
  [[nodiscard]] const Tensor& second_moment() const { return second_moment_; }

 private:
  [[nodiscard]] std::int64_t own_elements() const;

  AdamOptions options_;
  const model::Scenario& scenario_;
  ParameterBuffers& buffers_;
  Operations& operations_;
  std::vector<Range> ranges_;
  std::vector<Piece> pieces_;
  Tensor master_;
  Tensor first_moment_;
  Tensor second_moment_;
};

}  // namespace shardsim::kernels

// Every operator of the backend on awkward shapes, to be run on two backends and compared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/gpu/check/arena.hpp"

namespace shardsim::kernels::gpu {

struct OperatorCase {
  std::string name;
  /// Allowed |difference| over the largest |value| of a result.
  double tolerance = 0.0;
  /// Runs the operator; gives everything that it wrote.
  std::function<std::vector<std::vector<float>>(Arena&)> run;
};

[[nodiscard]] std::vector<OperatorCase> operator_cases(DType dtype);

/// Largest |a − b| / max |b| over the results of a case, on the device against the reference.
[[nodiscard]] double largest_difference(const OperatorCase& operator_case, Backend& device, Backend& reference);

}  // namespace shardsim::kernels::gpu

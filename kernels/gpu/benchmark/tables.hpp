// The measured tables, in the columns that `shardsim calibrate fit` reads.
#pragma once

#include <string>

#include "kernels/operators/backend.hpp"

namespace shardsim::kernels::gpu {

/// What the rows say of their origin.
struct Provenance {
  std::string gpu;
  std::string software;
  std::string source;
};

/// Products of GPT-2 345M and 1.2B layers in the three layouts, and squares; bf16 and fp32.
[[nodiscard]] std::string measure_products(Backend& backend, const Provenance& provenance);
/// Norms, activations, softmax, dropout, loss and optimizer by bytes.
[[nodiscard]] std::string measure_memory_bound(Backend& backend, const Provenance& provenance);
/// Training iterations of GPT-2 345M and 1.2B on one GPU.
[[nodiscard]] std::string measure_steps(Backend& backend, const Provenance& provenance);

}  // namespace shardsim::kernels::gpu

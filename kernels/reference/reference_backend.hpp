// The reference operators as a backend: any format of storage, every sum in double precision. Slow; for tests.
#pragma once

#include <memory>

#include "kernels/operators/backend.hpp"

namespace shardsim::kernels {

/// Its memory is the host's; every call is complete on return.
[[nodiscard]] std::unique_ptr<Backend> make_reference_backend();

}  // namespace shardsim::kernels

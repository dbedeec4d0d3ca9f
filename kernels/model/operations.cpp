#include "kernels/model/operations.hpp"

#include <chrono>

namespace shardsim::kernels {

double Operations::now() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace shardsim::kernels

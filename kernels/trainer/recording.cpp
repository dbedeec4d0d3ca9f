#include "kernels/trainer/recording.hpp"

namespace shardsim::kernels {

void Recording::restart() {
  operators_.clear();
  memory_.clear();
  start_ = Operations::now();
}

}  // namespace shardsim::kernels

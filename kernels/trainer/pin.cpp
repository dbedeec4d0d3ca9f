#include "kernels/trainer/pin.hpp"

#include <sched.h>

#include <cstdlib>

namespace shardsim::kernels {
namespace {

std::int64_t told_by(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

}  // namespace

void pin_to_core(std::int64_t rank, std::int64_t ranks) {
  const std::int64_t here = told_by("OMPI_COMM_WORLD_LOCAL_SIZE", ranks);
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < here) return;
  std::int64_t before = told_by("OMPI_COMM_WORLD_LOCAL_RANK", rank);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &usable) || before-- > 0) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    sched_setaffinity(0, sizeof own, &own);
    return;
  }
}

}  // namespace shardsim::kernels

#include "kernels/cpu/cpu_backend.hpp"

#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {

INSTANTIATE_TEST_SUITE_P(Cpu, BackendTest, testing::Values(Subject{"fp32", make_cpu_backend}));

}  // namespace shardsim::kernels::test

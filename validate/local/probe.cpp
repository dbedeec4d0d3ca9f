#include "validate/local/probe.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/trainer/pin.hpp"
#include "sim/model/operator_builders.hpp"
#include "validate/local/operator_times.hpp"
#include "validate/statistics.hpp"

namespace shardsim::validate::local {
namespace {

constexpr std::int64_t kSize = 480;
constexpr int kWarmUp = 1;
constexpr int kRepeats = 9;

double seconds_on(std::int64_t core, std::int64_t cores) {
  kernels::pin_to_core(core, cores);
  kernels::CpuBackend backend;
  std::vector<float> a(kSize * kSize, 1.0F);
  std::vector<float> b(kSize * kSize, 1.0F);
  std::vector<float> c(kSize * kSize);
  const auto matrix = [](std::vector<float>& values) {
    return kernels::Matrix{values.data(), kernels::DType::fp32, kSize, kSize, kSize};
  };
  std::vector<double> seconds;
  for (int i = 0; i < kWarmUp + kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    backend.gemm({matrix(a)}, {matrix(b), true}, matrix(c), false);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i >= kWarmUp) seconds.push_back(taken.count());
  }
  return quantile(seconds, kUndisturbed);
}

}  // namespace

model::Operator probe_operator() {
  return model::matrix_product("probe", model::Pass::forward, model::DType::fp32, {kSize, kSize, kSize, 1}, 4, 4);
}

double probe_seconds(std::int64_t cores) {
  std::vector<double> seconds(static_cast<std::size_t>(cores));
  std::vector<std::thread> threads;
  for (std::int64_t core = 0; core < cores; ++core) {
    threads.emplace_back(
        [&seconds, core, cores] { seconds[static_cast<std::size_t>(core)] = seconds_on(core, cores); });
  }
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace shardsim::validate::local

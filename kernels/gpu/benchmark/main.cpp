// Measures one GPU and writes the tables into a folder: what kernels/gpu_check.sh runs after the tests.
#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>

#include "kernels/gpu/benchmark/tables.hpp"
#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/errors.hpp"

namespace shardsim::kernels::gpu {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
  return text.data();
}

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

Provenance describe(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return {properties.name, "cuBLAS of CUDA " + version(runtime) + " driver " + version(driver),
          "shardsim gpu_check " + today()};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (!file) throw DeviceError("cannot write " + path);
  std::printf("wrote %s\n", path.c_str());
}

int measure(const std::string& folder) {
  const auto backend = make_cuda_backend(0);
  const Provenance provenance = describe(0);
  std::printf("%s, %s\n", provenance.gpu.c_str(), provenance.software.c_str());
  write(folder + "/gemm.csv", measure_products(*backend, provenance));
  write(folder + "/memory_bandwidth.csv", measure_memory_bound(*backend, provenance));
  write(folder + "/steps.csv", measure_steps(*backend, provenance));
  return 0;
}

}  // namespace
}  // namespace shardsim::kernels::gpu

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER   (writes gemm.csv, memory_bandwidth.csv and steps.csv into it)\n", argv[0]);
    return 2;
  }
  try {
    return shardsim::kernels::gpu::measure(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}

// Errors of the CUDA runtime and cuBLAS as exceptions that name the call.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace shardsim::kernels::gpu {

/// A failed call of the device's libraries.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
}
inline void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(std::string(what) + ": " + cublasGetStatusString(status));
}

}  // namespace shardsim::kernels::gpu

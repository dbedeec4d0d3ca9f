// NCCL's and CUDA's handles as owned objects, and their errors as exceptions.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>

#include "kernels/communicator/communicator.hpp"

namespace shardsim::kernels::nccl {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw CommunicatorError(std::string(what) + ": " + cudaGetErrorString(status));
}
inline void check(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  throw CommunicatorError(std::string(what) + ": " + ncclGetErrorString(status) + ": " + ncclGetLastError(nullptr));
}

/// A communicator of NCCL; aborted when an exception is on its way, since peers may never answer.
class Handle {
 public:
  explicit Handle(ncclComm_t handle) : handle_{handle} {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();
  [[nodiscard]] ncclComm_t get() const { return handle_; }

 private:
  ncclComm_t handle_;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A moment of a stream that others can wait for.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// One double on the device, for values that the host asks for.
class DeviceValue {
 public:
  DeviceValue() { check(cudaMalloc(&data_, sizeof(double)), "cudaMalloc"); }
  DeviceValue(const DeviceValue&) = delete;
  DeviceValue& operator=(const DeviceValue&) = delete;
  ~DeviceValue() { cudaFree(data_); }
  [[nodiscard]] void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

}  // namespace shardsim::kernels::nccl

#include "kernels/gpu/cuda_backend.hpp"

#include "kernels/gpu/errors.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels::gpu {
namespace {

/// NVIDIA recommends 32 MiB for Hopper (cuBLAS, "cublasSetWorkspace"); fixed, so that memory is predictable.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

class DeviceMemory final : public RawMemory {
 public:
  explicit DeviceMemory(cudaStream_t stream) : stream_{stream} {}
  /// Stream-ordered: the driver's pool keeps what is released, and no call waits for the device.
  void* allocate(Bytes size) override {
    void* data = nullptr;
    check(cudaMallocAsync(&data, static_cast<std::size_t>(size.value()), stream_), "cudaMallocAsync");
    return data;
  }
  void release(void* data) noexcept override { cudaFreeAsync(data, stream_); }

 private:
  cudaStream_t stream_;
};

/// Keeps the pool's memory between allocations instead of returning it at each synchronisation.
void keep_pool(int device) {
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  std::uint64_t threshold = ~std::uint64_t{0};
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "cudaMemPoolSetAttribute");
}

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return CUDA_R_32F;
    case DType::bf16:
      return CUDA_R_16BF;
    case DType::fp16:
      return CUDA_R_16F;
    case DType::fp8:
      break;
  }
  SHARDSIM_CHECK(false, "no fp8 matrix products here");
}

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

int narrow(std::int64_t value) {
  SHARDSIM_CHECK(value <= 2147483647, "cuBLAS takes 32-bit sizes");
  return static_cast<int>(value);
}

/// Inner dimension of a product: columns of a (rows where it is transposed).
std::int64_t inner(const Matrix& a, bool transposed) { return transposed ? a.rows : a.columns; }

cublasComputeType_t compute_type(DType dtype) {
  return dtype == DType::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

}  // namespace

int device_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice) {
    throw DeviceError("this machine has no usable NVIDIA driver or GPU: " + std::string(cudaGetErrorString(status)));
  }
  check(status, "cudaGetDeviceCount");
  return count;
}

Bytes memory_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return Bytes{static_cast<std::int64_t>(properties.totalGlobalMem)};
}

CudaBackend::CudaBackend(int device) : device_{device} {
  const int devices = device_count();
  if (device < 0 || device >= devices) {
    throw DeviceError("GPU " + std::to_string(device) + " was asked for; this machine has " + std::to_string(devices));
  }
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  keep_pool(device);
  check(cublasCreate(&cublas_), "cublasCreate");
  check(cublasSetStream(cublas_, stream_), "cublasSetStream");
  check(cudaMalloc(&workspace_, kWorkspaceBytes), "cudaMalloc of the cuBLAS workspace");
  check(cublasSetWorkspace(cublas_, workspace_, kWorkspaceBytes), "cublasSetWorkspace");
}

CudaBackend::~CudaBackend() {
  cudaStreamSynchronize(stream_);
  cublasDestroy(cublas_);
  cudaFree(scratch_);
  cudaFree(workspace_);
  cudaStreamDestroy(stream_);
}

std::unique_ptr<RawMemory> CudaBackend::memory() { return std::make_unique<DeviceMemory>(stream_); }

void CudaBackend::synchronise() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

void CudaBackend::upload(const void* host, void* device, Bytes bytes) {
  const auto size = static_cast<std::size_t>(bytes.value());
  check(cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  synchronise();
}

void CudaBackend::download(const void* device, void* host, Bytes bytes) {
  const auto size = static_cast<std::size_t>(bytes.value());
  check(cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  synchronise();
}

void* CudaBackend::scratch(std::int64_t bytes) {
  if (bytes > scratch_bytes_) {
    synchronise();
    check(cudaFree(scratch_), "cudaFree");
    scratch_ = nullptr;
    check(cudaMalloc(&scratch_, static_cast<std::size_t>(bytes)), "cudaMalloc of scratch memory");
    scratch_bytes_ = bytes;
  }
  return scratch_;
}

// cuBLAS is column-major: a row-major c = a·b is the column-major cᵀ = bᵀ·aᵀ over the same memory, so that b comes
// first and every matrix keeps its transposition.
void CudaBackend::gemm(const Operand& a, const Operand& b, const Matrix& c, bool accumulate) {
  const float alpha = 1.0F;
  const float beta = accumulate ? 1.0F : 0.0F;
  check(cublasGemmEx(cublas_, operation(b.transposed), operation(a.transposed), narrow(c.columns), narrow(c.rows),
                     narrow(inner(a.matrix, a.transposed)), &alpha, b.matrix.data, data_type(b.matrix.dtype),
                     narrow(b.matrix.stride), a.matrix.data, data_type(a.matrix.dtype), narrow(a.matrix.stride), &beta,
                     c.data, data_type(c.dtype), narrow(c.stride), compute_type(a.matrix.dtype), CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

void CudaBackend::batched_gemm(const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c, double scale) {
  const auto alpha = static_cast<float>(scale);
  const float beta = 0.0F;
  const Matrix& first_a = a.batch.first;
  const Matrix& first_b = b.batch.first;
  check(cublasGemmStridedBatchedEx(cublas_, operation(b.transposed), operation(a.transposed), narrow(c.first.columns),
                                   narrow(c.first.rows), narrow(inner(first_a, a.transposed)), &alpha, first_b.data,
                                   data_type(first_b.dtype), narrow(first_b.stride), b.batch.step, first_a.data,
                                   data_type(first_a.dtype), narrow(first_a.stride), a.batch.step, &beta, c.first.data,
                                   data_type(c.first.dtype), narrow(c.first.stride), c.step, narrow(c.count),
                                   compute_type(first_a.dtype), CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

std::unique_ptr<Backend> make_cuda_backend(int device) { return std::make_unique<CudaBackend>(device); }

}  // namespace shardsim::kernels::gpu

// Functions that run on the CPU and on the GPU alike.
#pragma once

#if defined(__CUDACC__)
#define SHARDSIM_HOST_DEVICE __host__ __device__
#else
#define SHARDSIM_HOST_DEVICE
#endif

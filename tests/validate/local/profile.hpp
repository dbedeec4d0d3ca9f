// A profile of an imaginary machine of eight cores, as `shardsim calibrate` writes one.
#pragma once

namespace shardsim::validate::local {

inline constexpr const char* kProfile = R"([cluster]
title = "eight cores"
gpus_per_node = 8
nics_per_node = 1
[cluster.intra_node]
bandwidth = "5 GB/s"
efficiency = 1.0
base_latency = "5 us"
step_latency = "1 us"
[device]
title = "one core"
memory_capacity = "10 GiB"
memory_bandwidth = "12 GB/s"
kernel_latency = "2 us"
[device.gemm.fp32]
peak = "0.08 TFLOP/s"
efficiency = 0.9
[device.attention]
forward_efficiency = 0.3
backward_efficiency = 0.25
[device.memory_bound]
elementwise_efficiency = 0.9
normalization_efficiency = 0.9
softmax_efficiency = 0.3
optimizer_efficiency = 0.9
[stack.host]
per_launch = "0 us"
per_iteration = "1 ms"
[stack.allocator]
context = "18 MiB"
first_communicator = "1 MiB"
further_communicator = "0 B"
)";

}  // namespace shardsim::validate::local

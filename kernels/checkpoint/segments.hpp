// Between a file and scattered elements in memory, in few large accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/checkpoint/file.hpp"
#include "kernels/tensor/tensor.hpp"

namespace shardsim::kernels {

/// `count` elements that follow one another in the file from byte `offset`, and lie `step` elements apart in memory
/// from element `position`.
struct Segment {
  std::int64_t offset = 0;
  std::int64_t count = 0;
  std::int64_t position = 0;
  std::int64_t step = 1;
};

/// Elements in host memory; positions count from `data`.
struct HostElements {
  void* data = nullptr;
  DType dtype = DType::fp32;
};

/// Formats are converted through fp32, rounding to nearest even; the same format moves bit by bit.
void read_segments(const File& file, DType stored, std::vector<Segment> segments, const HostElements& to);
void write_segments(File& file, DType stored, std::vector<Segment> segments, const HostElements& from);

}  // namespace shardsim::kernels

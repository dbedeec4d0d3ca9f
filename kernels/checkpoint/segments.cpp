#include "kernels/checkpoint/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/communicator/half_float.hpp"

namespace shardsim::kernels {
namespace {

constexpr std::int64_t kLargestAccess = 4 << 20;  // bytes

template <class Bits>
Bits load(const std::byte* from) {
  Bits bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

float value_of(const std::byte* from, DType dtype) {
  if (model::storage_size(dtype) == Bytes{4}) return load<float>(from);
  const auto bits = load<std::uint16_t>(from);
  return dtype == DType::fp16 ? Float16::value(bits) : BFloat16::value(bits);
}

void store(float value, std::byte* to, DType dtype) {
  if (model::storage_size(dtype) == Bytes{4}) {
    std::memcpy(to, &value, sizeof value);
    return;
  }
  const std::uint16_t bits = dtype == DType::fp16 ? Float16::bits(value) : BFloat16::bits(value);
  std::memcpy(to, &bits, sizeof bits);
}

/// `count` elements from one row of equally spaced places to another.
struct Row {
  std::byte* data;
  DType dtype;
  std::int64_t step;
};

bool same_format(DType a, DType b) {
  const bool both_wide = model::storage_size(a) == Bytes{4} && model::storage_size(b) == Bytes{4};
  return both_wide || (model::storage_size(a) == model::storage_size(b) && (a == DType::fp16) == (b == DType::fp16));
}

void copy(const Row& from, const Row& to, std::int64_t count) {
  const std::int64_t from_size = model::storage_size(from.dtype).value();
  const std::int64_t to_size = model::storage_size(to.dtype).value();
  const bool same = same_format(from.dtype, to.dtype);
  if (same && from.step == 1 && to.step == 1) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(count * to_size));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte* source = from.data + i * from.step * from_size;
    std::byte* place = to.data + i * to.step * to_size;
    if (same) {
      std::memcpy(place, source, static_cast<std::size_t>(to_size));
    } else {
      store(value_of(source, from.dtype), place, to.dtype);
    }
  }
}

/// Calls `work(first, last, bytes)` for runs of segments that follow one another in the file.
template <class Work>
void for_runs(std::vector<Segment>& segments, std::int64_t element_size, Work&& work) {
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.offset < b.offset; });
  for (auto first = segments.begin(); first != segments.end();) {
    std::int64_t bytes = 0;
    auto last = first;
    while (last != segments.end() && last->offset == first->offset + bytes &&
           (bytes == 0 || bytes + last->count * element_size <= kLargestAccess)) {
      bytes += last->count * element_size;
      ++last;
    }
    work(first, last, bytes);
    first = last;
  }
}

}  // namespace

void read_segments(const File& file, DType stored, std::vector<Segment> segments, const HostElements& to) {
  const std::int64_t size = model::storage_size(stored).value();
  const std::int64_t memory_size = model::storage_size(to.dtype).value();
  std::vector<std::byte> buffer;
  for_runs(segments, size, [&](auto first, auto last, std::int64_t bytes) {
    buffer.resize(static_cast<std::size_t>(bytes));
    file.read(first->offset, buffer.data(), bytes);
    for (auto segment = first; segment != last; ++segment) {
      copy({buffer.data() + (segment->offset - first->offset), stored, 1},
           {static_cast<std::byte*>(to.data) + segment->position * memory_size, to.dtype, segment->step},
           segment->count);
    }
  });
}

void write_segments(File& file, DType stored, std::vector<Segment> segments, const HostElements& from) {
  const std::int64_t size = model::storage_size(stored).value();
  const std::int64_t memory_size = model::storage_size(from.dtype).value();
  std::vector<std::byte> buffer;
  for_runs(segments, size, [&](auto first, auto last, std::int64_t bytes) {
    buffer.resize(static_cast<std::size_t>(bytes));
    for (auto segment = first; segment != last; ++segment) {
      copy({static_cast<std::byte*>(from.data) + segment->position * memory_size, from.dtype, segment->step},
           {buffer.data() + (segment->offset - first->offset), stored, 1}, segment->count);
    }
    file.write(first->offset, buffer.data(), bytes);
  });
}

}  // namespace shardsim::kernels

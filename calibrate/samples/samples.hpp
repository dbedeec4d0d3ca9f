// Measured kernels and collectives, as the published tables hold them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/base/units.hpp"

namespace shardsim::calibrate {

/// One product m×k · k×n.
struct GemmSample {
  Origin origin;
  std::string gpu;
  std::string dtype;
  /// TN is the forward product of a linear layer, NN its input gradient, NT+acc_fp32 its weight gradient.
  std::string layout;
  std::string software;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Seconds time{0.0};
  /// Repository or page, without what was read there.
  std::string source;
};

enum class AttentionPass { forward, backward, both };

/// One fused kernel: `batch` products of m queries with n keys of size k.
struct AttentionSample {
  Origin origin;
  std::string gpu;
  std::string software;
  AttentionPass pass = AttentionPass::forward;
  bool causal = false;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 0;
  Seconds time{0.0};
  std::string source;

  /// 4·m·n·k·batch forward, 2.5 times that backward (Dao 2023, section 3.1), half of it under a causal mask.
  [[nodiscard]] Flops work() const;
};

/// One memory-bound kernel.
struct MemorySample {
  Origin origin;
  std::string gpu;
  std::string kernel;
  BytesPerSecond bandwidth{0.0};
  /// 0 where the table has bandwidths only.
  Seconds time{0.0};
  std::string source;

  [[nodiscard]] Bytes bytes() const { return rounded_bytes(bandwidth.value() * time.value()); }
};

struct CollectiveSample {
  Origin origin;
  std::string gpu;
  std::string node;
  std::string network;
  std::string collective;
  /// All that the table says of it: tools, options, versions.
  std::string description;
  std::int64_t nodes = 1;
  std::int64_t ranks = 1;
  Bytes bytes{0};
  Seconds time{0.0};
  std::string source;
};

struct Samples {
  std::vector<GemmSample> gemm;
  std::vector<AttentionSample> attention;
  std::vector<MemorySample> memory;
  std::vector<CollectiveSample> collectives;
};

/// gemm, attention, memory_bandwidth and collectives, each .csv or .csv.gz, in `folder`. Rows that state neither a time
/// nor what it follows from are left out; malformed numbers and impossible values are problems with file and line.
[[nodiscard]] Samples read_samples(const std::string& folder, Problems& problems);

/// One table each, from its text.
[[nodiscard]] std::vector<GemmSample> parse_gemm(const std::string& text, const std::string& file, Problems& problems);
[[nodiscard]] std::vector<AttentionSample> parse_attention(const std::string& text, const std::string& file,
                                                           Problems& problems);
[[nodiscard]] std::vector<MemorySample> parse_memory(const std::string& text, const std::string& file,
                                                     Problems& problems);
[[nodiscard]] std::vector<CollectiveSample> parse_collectives(const std::string& text, const std::string& file,
                                                              Problems& problems);

}  // namespace shardsim::calibrate

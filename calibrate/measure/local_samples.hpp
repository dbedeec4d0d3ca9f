// What this machine's measurements are kept as: a table that grows line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measure/timing.hpp"
#include "sim/base/problems.hpp"
#include "sim/base/units.hpp"

namespace shardsim::calibrate {

/// product, batched_product: a layout; kernel: a memory-bound kernel; collective: its kind; host: bookkeeping of one
/// operator. lone_…: by one rank of a node while the others sleep.
enum class Family { product, batched_product, kernel, collective, host, lone_product, lone_kernel };

/// What is measured, before it is.
struct Subject {
  Family family = Family::product;
  std::string name;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;
  Bytes bytes{0};
  Flops flops{0.0};

  friend bool operator==(const Subject& a, const Subject& b) {
    return a.family == b.family && a.name == b.name && a.m == b.m && a.n == b.n && a.k == b.k && a.batch == b.batch &&
           a.ranks == b.ranks && a.nodes == b.nodes && a.bytes == b.bytes;
  }
};

/// What a lone measurement is compared with.
[[nodiscard]] Subject together(Subject lone);

struct LocalSample {
  Subject subject;
  Timing timing;
  Origin origin;
};

/// The machine on which samples were taken: samples of another one are not mixed in.
struct Machine {
  std::string host;
  std::string processor;
  std::int64_t ranks = 1;
  std::int64_t ranks_per_node = 1;
  /// Of one node.
  Bytes memory{0};
  /// A rank's own beside its tensors.
  Bytes resident{0};
  std::string date;
  std::string versions;
};

struct LocalSamples {
  Machine machine;
  std::vector<LocalSample> samples;

  [[nodiscard]] const LocalSample* find(const Subject& subject) const;
  [[nodiscard]] std::int64_t count(const Subject& subject) const;
};

/// One sample a subject: its fastest pass, by the median, which is the time undisturbed. Other programs, and other
/// machines on the same processor, only ever add to a time. Throws InputError where the second fastest pass of a
/// product takes more than four times as long.
[[nodiscard]] LocalSamples undisturbed(const LocalSamples& samples);

/// "TN 640 x 2560 x 160", "gelu 512 x 2048", "all_reduce 2 ranks, 1 node, 4.00 MB".
[[nodiscard]] std::string to_string(const Subject& subject);

/// The head of a new table, with the machine in it, and one line of it.
[[nodiscard]] std::string table_head(const Machine& machine);
[[nodiscard]] std::string table_line(const LocalSample& sample);

/// Reads such a table. An unfinished last line is passed over (the run was ended while it was written); everything else
/// that is no such table or impossible is a problem.
[[nodiscard]] LocalSamples parse_local_samples(std::string_view text, const std::string& file, Problems& problems);

}  // namespace shardsim::calibrate

// Collectives: two lines for groups that were measured, and the constants of the algorithms for all others.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/quality.hpp"
#include "calibrate/samples/samples.hpp"
#include "sim/hardware/cluster.hpp"

namespace shardsim::calibrate {

struct LinesFit {
  hardware::TwoLines lines;
  /// Predicted over measured − 1 of the samples held out.
  std::vector<double> errors;
};

/// One collective in one group. Throws InputError for too few samples.
[[nodiscard]] LinesFit fit_lines(const std::vector<CollectiveSample>& samples, const std::string& what);

/// Share of `bandwidth` (of one rank's links, or of a node's NICs) that messages of at least 128 MB reach as bus
/// bandwidth: the median. Throws InputError where there are none.
[[nodiscard]] double bandwidth_share(const std::vector<CollectiveSample>& samples, BytesPerSecond bandwidth,
                                     const std::string& what);

struct Latencies {
  Seconds base{0.0};
  Seconds step{0.0};
};

/// Least squares of base + 2(n − 1)·step over all-reduces of at most 16 kB inside a node, n ranks.
[[nodiscard]] Latencies fit_latencies(const std::vector<CollectiveSample>& samples, const std::string& what);

/// The network step at which the double tree (sim/cost/collective.hpp) meets the median all-reduce of at most 16 kB.
[[nodiscard]] Seconds fit_network_step(const std::vector<CollectiveSample>& samples, const Latencies& inside,
                                       const std::string& what);

/// nccl-tests' name -> kind; false for those that training does not use.
[[nodiscard]] bool kind_of(const std::string& collective, hardware::Collective& kind);

}  // namespace shardsim::calibrate

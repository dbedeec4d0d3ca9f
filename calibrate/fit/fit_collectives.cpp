#include "calibrate/fit/fit_collectives.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit/minimise.hpp"
#include "sim/cost/collective.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Collective;
using hardware::TwoLines;

constexpr Bytes kLarge{128'000'000};
constexpr Bytes kSmall{16'384};
constexpr double kScale = 0.1;
constexpr std::size_t kFewestSamples = 8;

[[noreturn]] void refuse(const std::string& what, const std::string& message) {
  throw InputError({Problem{{}, what, "", message}});
}

/// No collective takes less.
constexpr Seconds kLeastLatency{1e-6};

/// Logarithms of two latencies and two bandwidths.
TwoLines lines_of(const std::vector<double>& x) {
  const auto latency = [](double logarithm) { return std::max(Seconds{std::exp(logarithm)}, kLeastLatency); };
  return {latency(x[0]), BytesPerSecond{std::exp(x[1])}, latency(x[2]), BytesPerSecond{std::exp(x[3])}};
}

TwoLines fitted(const std::vector<CollectiveSample>& samples) {
  const auto by_bytes = [](const CollectiveSample& a, const CollectiveSample& b) { return a.bytes < b.bytes; };
  const auto [small, large] = std::minmax_element(samples.begin(), samples.end(), by_bytes);
  const double bandwidth = std::log(large->bytes.as_double() / large->time.value());
  const double latency = std::log(small->time.value());
  const Residuals residuals = [&samples](const std::vector<double>& x, std::vector<double>& r) {
    const TwoLines lines = lines_of(x);
    r.resize(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      r[i] = std::log(cost::measured_time(lines, samples[i].bytes) / samples[i].time);
    }
  };
  // Where the protocols change is not known: the best of several starts.
  Minimum best;
  for (const double slower : {0.7, 1.4, 2.1}) {
    Minimum minimum = minimise(residuals, {latency, bandwidth - slower, latency + slower, bandwidth}, kScale);
    if (best.parameters.empty() || minimum.cost < best.cost) best = std::move(minimum);
  }
  TwoLines lines = lines_of(best.parameters);
  if (lines.small_bandwidth > lines.large_bandwidth) {
    std::swap(lines.small_latency, lines.large_latency);
    std::swap(lines.small_bandwidth, lines.large_bandwidth);
  }
  return {Seconds{rounded(lines.small_latency.value())}, BytesPerSecond{rounded(lines.small_bandwidth.value())},
          Seconds{rounded(lines.large_latency.value())}, BytesPerSecond{rounded(lines.large_bandwidth.value())}};
}

/// Bytes over the links of one rank for each byte of the tensor (nccl-tests, PERFORMANCE.md).
double bus_factor(const CollectiveSample& sample) {
  const auto n = static_cast<double>(sample.ranks);
  return (sample.collective == "all_reduce" ? 2.0 : 1.0) * (n - 1.0) / n;
}

std::vector<CollectiveSample> small_all_reduces(const std::vector<CollectiveSample>& samples) {
  std::vector<CollectiveSample> small;
  for (const CollectiveSample& sample : samples) {
    if (sample.collective == "all_reduce" && sample.bytes <= kSmall) small.push_back(sample);
  }
  return small;
}

}  // namespace

bool kind_of(const std::string& collective, Collective& kind) {
  constexpr std::array<const char*, 4> kNames = {"all_reduce", "all_gather", "reduce_scatter",
                                                                      "alltoall"};
  const auto* found = std::find(kNames.begin(), kNames.end(), collective);
  if (found == kNames.end()) return false;
  kind = static_cast<Collective>(found - kNames.begin());
  return true;
}

LinesFit fit_lines(const std::vector<CollectiveSample>& samples, const std::string& what) {
  if (samples.size() < kFewestSamples) {
    refuse(what, std::to_string(samples.size()) + " samples, but two lines need " + std::to_string(kFewestSamples));
  }
  const auto parts = split(samples);
  const TwoLines judged = fitted(parts.fitted);
  std::vector<double> errors;
  for (const CollectiveSample& sample : parts.held_out) {
    errors.push_back(cost::measured_time(judged, sample.bytes) / sample.time - 1.0);
  }
  return {fitted(samples), std::move(errors)};
}

double bandwidth_share(const std::vector<CollectiveSample>& samples, BytesPerSecond bandwidth,
                       const std::string& what) {
  std::vector<double> shares;
  Collective kind{};
  for (const CollectiveSample& sample : samples) {
    if (sample.bytes < kLarge || !kind_of(sample.collective, kind) || kind == Collective::all_to_all) continue;
    shares.push_back(bus_factor(sample) * (sample.bytes / sample.time / bandwidth));
  }
  if (shares.empty()) refuse(what, "no sample of at least 128 MB");
  return rounded(std::min(quantile(shares, 0.5), 1.0));
}

Latencies fit_latencies(const std::vector<CollectiveSample>& samples, const std::string& what) {
  double count = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const CollectiveSample& sample : small_all_reduces(samples)) {
    const double steps = 2.0 * static_cast<double>(sample.ranks - 1);
    count += 1.0;
    x += steps;
    y += sample.time.value();
    xx += steps * steps;
    xy += steps * sample.time.value();
  }
  const double spread = count * xx - x * x;
  if (spread <= 0.0) refuse(what, "no all-reduces of at most 16 kB in groups of two sizes");
  const double step = (count * xy - x * y) / spread;
  return {Seconds{rounded((y - step * x) / count)}, Seconds{rounded(step)}};
}

Seconds fit_network_step(const std::vector<CollectiveSample>& samples, const Latencies& inside,
                         const std::string& what) {
  std::vector<double> steps;
  for (const CollectiveSample& sample : small_all_reduces(samples)) {
    const std::int64_t ranks_per_node = sample.ranks / sample.nodes;
    const auto chain = static_cast<double>(ranks_per_node - 1);
    const Seconds network = sample.time - inside.base - 2.0 * chain * inside.step;
    steps.push_back(network.value() / (2.0 * std::log2(static_cast<double>(sample.nodes))));
  }
  if (steps.empty()) refuse(what, "no all-reduces of at most 16 kB between nodes");
  return Seconds{rounded(std::max(quantile(steps, 0.5), inside.step.value()))};
}

}  // namespace shardsim::calibrate

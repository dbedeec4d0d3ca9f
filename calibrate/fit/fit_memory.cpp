#include "calibrate/fit/fit_memory.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit/quality.hpp"

namespace shardsim::calibrate {
namespace {

constexpr Bytes kBeyondCaches{64'000'000};
constexpr Bytes kSmall{4'000'000};
constexpr double kAbovePeak = 1.1;
constexpr std::size_t kFewestLaunches = 8;

bool streams(const MemorySample& sample) { return sample.time.value() == 0.0 || sample.bytes() >= kBeyondCaches; }

[[noreturn]] void refuse(const std::string& what, const std::string& message) {
  throw InputError({Problem{{}, what, "", message}});
}

}  // namespace

double bandwidth_share(const std::vector<MemorySample>& samples, BytesPerSecond peak, const std::string& what) {
  Problems problems;
  std::vector<double> shares;
  for (const MemorySample& sample : samples) {
    if (!streams(sample)) continue;
    shares.push_back(sample.bandwidth / peak);
    if (shares.back() > kAbovePeak) {
      problems.add({sample.origin, "GBps", std::to_string(sample.bandwidth.value() / 1e9),
                    "impossible: the peak is " + std::to_string(std::lround(peak.value() / 1e9)) + " GB/s"});
    }
  }
  problems.throw_if_any();
  if (shares.empty()) refuse(what, "no sample of at least 64 MB");
  return rounded(std::min(quantile(shares, 0.5), 1.0));
}

Seconds kernel_latency(const std::vector<MemorySample>& samples, const std::string& what) {
  double count = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const MemorySample& sample : samples) {
    if (sample.time.value() == 0.0 || sample.bytes() >= kSmall) continue;
    const double bytes = sample.bytes().as_double();
    count += 1.0;
    x += bytes;
    y += sample.time.value();
    xx += bytes * bytes;
    xy += bytes * sample.time.value();
  }
  if (count < static_cast<double>(kFewestLaunches)) {
    refuse(what, std::to_string(std::lround(count)) + " launches below 4 MB, but a latency needs " +
                     std::to_string(kFewestLaunches));
  }
  const double slope = (count * xy - x * y) / (count * xx - x * x);
  return Seconds{rounded(std::max(0.0, (y - slope * x) / count))};
}

}  // namespace shardsim::calibrate

#include "calibrate/measure/timing.hpp"

#include <chrono>
#include <cmath>
#include <numeric>

#include "calibrate/fit/quality.hpp"

namespace shardsim::calibrate {
namespace {

std::vector<double> take_samples(const TimingPolicy& policy, const Timed& timed, const Agreement& agreement,
                                 const Clock& clock, bool together) {
  std::vector<double> seconds;
  for (int run = 0; run < policy.warm_up || agreement.maximum(wants_more(policy, seconds) ? 1.0 : 0.0) > 0.0; ++run) {
    if (timed.prepare) timed.prepare();
    agreement.maximum(0.0);
    const double start = clock();
    timed.run();
    const double own = clock() - start;
    const double time = together ? agreement.maximum(own) : own;
    if (run >= policy.warm_up) seconds.push_back(time);
  }
  return seconds;
}

}  // namespace

Timing summarise(const std::vector<double>& seconds) {
  return {Seconds{quantile(seconds, 0.5)}, Seconds{quantile(seconds, 0.1)}, Seconds{quantile(seconds, 0.9)},
          static_cast<int>(seconds.size())};
}

TimingPolicy TimingPolicy::fixed(int samples) {
  TimingPolicy policy;
  policy.fewest = samples;
  policy.most = samples;
  return policy;
}

double relative_noise(const Timing& timing) {
  return (timing.p90 - timing.p10).value() / (2.0 * timing.median.value() * std::sqrt(timing.samples));
}

bool wants_more(const TimingPolicy& policy, const std::vector<double>& seconds) {
  const auto count = static_cast<int>(seconds.size());
  if (count < policy.fewest) return true;
  if (count >= policy.most) return false;
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (total >= policy.longest.value()) return false;
  return total < policy.shortest.value() || relative_noise(summarise(seconds)) > policy.noise;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Timing measure(const TimingPolicy& policy, const Timed& timed, const Agreement& agreement, const Clock& clock) {
  Timing timing = summarise(take_samples(policy, timed, agreement, clock, false));
  for (Seconds* value : {&timing.median, &timing.p10, &timing.p90}) {
    *value = Seconds{agreement.maximum(value->value())};
  }
  return timing;
}

Timing measure_together(const TimingPolicy& policy, const Timed& timed, const Agreement& agreement,
                        const Clock& clock) {
  return summarise(take_samples(policy, timed, agreement, clock, true));
}

}  // namespace shardsim::calibrate

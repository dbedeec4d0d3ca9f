// How long work takes on the device: warm-up, repeated batches of calls, median.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "kernels/operators/backend.hpp"

namespace shardsim::kernels::gpu {

/// When to stop: after `budget` seconds or `most` samples; each sample is long enough for the clock.
struct TimingPolicy {
  double budget = 0.25;
  double shortest_sample = 1e-3;
  std::size_t most = 40;
};

namespace detail {

template <class Work>
double seconds_of(Backend& backend, std::size_t calls, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) work();
  backend.synchronise();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace detail

/// Median seconds of one call.
template <class Work>
[[nodiscard]] double median_seconds(Backend& backend, const Work& work, const TimingPolicy& policy = {}) {
  detail::seconds_of(backend, 3, work);  // clocks rise, libraries load
  const double once = detail::seconds_of(backend, 1, work);
  const auto calls = static_cast<std::size_t>(std::max(1.0, policy.shortest_sample / once));
  std::vector<double> samples;
  double spent = 0.0;
  while (samples.size() < 5 || (spent < policy.budget && samples.size() < policy.most)) {
    const double sample = detail::seconds_of(backend, calls, work);
    spent += sample;
    samples.push_back(sample / static_cast<double>(calls));
  }
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

}  // namespace shardsim::kernels::gpu

#include "calibrate/fit/fit_attention.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit/fit_gemm.hpp"
#include "calibrate/fit/minimise.hpp"
#include "sim/cost/attention.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::AttentionProfile;
using hardware::Device;

constexpr double kScale = 0.1;
constexpr double kAbovePeak = 1.1;
constexpr std::int64_t kQueriesPerBlock = 128;
constexpr std::int64_t kBlocksPerMultiprocessor = 4;
constexpr std::int64_t kFewestKeys = 512;
constexpr std::int64_t kLargestHead = 128;
constexpr Seconds kShortest{100e-6};

/// Format of attention that every device has.
constexpr model::DType kFormat = model::DType::fp16;

model::Shape shape_of(const AttentionSample& sample) { return {sample.m, sample.n, sample.k, sample.batch}; }

Seconds time_of(const Device& device, model::Pass pass, const AttentionSample& sample, Flops work) {
  // Tiles stay on chip: large kernels are bound by the products, so the bytes do not matter.
  return cost::attention_time(device, kFormat, pass, shape_of(sample), work, Bytes{0});
}

Seconds predicted(const Device& device, const AttentionSample& sample) {
  using model::Pass;
  switch (sample.pass) {
    case AttentionPass::forward:
      return time_of(device, Pass::forward, sample, sample.work());
    case AttentionPass::backward:
      return time_of(device, Pass::backward, sample, sample.work());
    default:
      return time_of(device, Pass::forward, sample, 1.0 / 3.5 * sample.work()) +
             time_of(device, Pass::backward, sample, 2.5 / 3.5 * sample.work());
  }
}

double half_size(double logarithm) {
  const double half = std::exp(std::clamp(logarithm, -1.0, 9.0));
  return half > 1.0 ? half : 0.0;
}

double share(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// Forward and backward efficiency and the half sizes; without the last: samples of one head size tell nothing of
/// others.
void set_parameters(AttentionProfile& profile, const std::vector<double>& x) {
  profile.forward_efficiency = share(x[0]);
  profile.backward_efficiency = share(x[1]);
  profile.sequence_half = half_size(x[2]);
  profile.head_half = x.size() > 3 ? half_size(x[3]) : 0.0;
}

std::vector<double> start_for(const std::vector<AttentionSample>& samples) {
  const bool one_head = std::all_of(samples.begin(), samples.end(), [&samples](const AttentionSample& sample) {
    return sample.k == samples.front().k;
  });
  return one_head ? std::vector<double>{0.5, 0.5, 5.0} : std::vector<double>{0.5, 0.5, 5.0, 3.0};
}

/// All samples, the fewer backward ones as often as gives them the weight of the forward ones.
std::vector<AttentionSample> balanced(const AttentionSamples& samples) {
  std::vector<AttentionSample> all = samples.forward;
  const std::size_t backward = samples.backward.size();
  const std::size_t times = backward == 0 ? 0 : std::max<std::size_t>(1, samples.forward.size() / backward);
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), samples.backward.begin(), samples.backward.end());
  return all;
}

Device fitted(Device device, const std::vector<AttentionSample>& samples) {
  const Residuals residuals = [&](const std::vector<double>& x, std::vector<double>& r) {
    set_parameters(device.attention, x);
    r.resize(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) r[i] = std::log(predicted(device, samples[i]) / samples[i].time);
  };
  set_parameters(device.attention, minimise(residuals, start_for(samples), kScale).parameters);
  return device;
}

void check(const Device& device, const std::vector<AttentionSample>& samples, Problems& problems) {
  const double peak = device.gemm[static_cast<std::size_t>(kFormat)].peak.value();
  for (const AttentionSample& sample : samples) {
    const double rate = sample.work().value() / sample.time.value();
    if (rate <= kAbovePeak * peak) continue;
    problems.add({sample.origin, "time_us", std::to_string(sample.time.value() * 1e6),
                  "impossible: " + std::to_string(std::lround(rate / 1e12)) + " TFLOP/s, the peak is " +
                      std::to_string(std::lround(peak / 1e12))});
  }
}

Quality held_out_quality(const Device& device, const AttentionSamples& samples) {
  const auto forward = split(samples.forward);
  const auto backward = split(samples.backward);
  const Device fit = fitted(device, balanced({forward.fitted, backward.fitted, 0.0}));
  std::vector<double> errors;
  for (const auto* part : {&forward.held_out, &backward.held_out}) {
    for (const AttentionSample& sample : *part) errors.push_back(predicted(fit, sample) / sample.time - 1.0);
  }
  return judge(samples.forward.size() + samples.backward.size(), errors);
}

}  // namespace

bool is_training_like(const AttentionSample& sample, std::int64_t multiprocessors) {
  const std::int64_t blocks = (sample.m + kQueriesPerBlock - 1) / kQueriesPerBlock * sample.batch;
  return sample.causal && sample.n >= kFewestKeys && sample.k <= kLargestHead && sample.time >= kShortest &&
         blocks >= kBlocksPerMultiprocessor * multiprocessors;
}

AttentionFit fit_attention(const Device& device, const AttentionSamples& samples, const std::string& what) {
  Problems problems;
  if (samples.forward.size() < kFewestSamples) {
    problems.add({{},
                  what,
                  "",
                  std::to_string(samples.forward.size()) + " forward samples of training's sizes, but a fit needs " +
                      std::to_string(kFewestSamples)});
  }
  for (const auto* part : {&samples.forward, &samples.backward}) check(device, *part, problems);
  problems.throw_if_any();

  const std::vector<AttentionSample> all = balanced(samples);
  AttentionFit fit;
  fit.constants = static_cast<int>(start_for(all).size());
  fit.quality = held_out_quality(device, samples);
  AttentionProfile profile = fitted(device, all).attention;
  if (samples.backward.empty()) {
    profile.backward_efficiency = samples.backward_over_forward * profile.forward_efficiency;
  }
  for (double* value :
       {&profile.forward_efficiency, &profile.backward_efficiency, &profile.sequence_half, &profile.head_half}) {
    *value = rounded(*value);
  }
  fit.profile = profile;
  return fit;
}

}  // namespace shardsim::calibrate

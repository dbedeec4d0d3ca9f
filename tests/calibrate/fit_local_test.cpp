#include "calibrate/measure/fit_local.hpp"

#include <gtest/gtest.h>

#include "calibrate/measure/figure.hpp"
#include "sim/cost/operator_time.hpp"
#include "sim/input/scenario_file.hpp"

namespace shardsim::calibrate {
namespace {

LocalSample sample_of(const Subject& subject, double seconds) {
  return {subject, {Seconds{seconds}, Seconds{0.99 * seconds}, Seconds{1.01 * seconds}, 5}, {}};
}

/// A machine of two cores: products at 50 GFLOP/s that saturate with k (half of it at 64), NT 1.25 times slower;
/// batched products at 25 GFLOP/s; kernels at 10 GB/s; alone everything 1.2 (products) and 1.5 times (kernels) as fast.
LocalSamples synthetic() {
  LocalSamples samples;
  samples.machine.host = "testbed";
  samples.machine.processor = "Test CPU";
  samples.machine.ranks = samples.machine.ranks_per_node = 2;
  samples.machine.memory = Bytes{8'000'000'000};
  const auto product = [&](Family family, const char* layout, std::int64_t m, std::int64_t n, std::int64_t k,
                           double rate) {
    Subject subject{family, layout, m, n, k, 1, 1, 1, Bytes{4 * (m * k + k * n + m * n)}, {}};
    subject.flops = Flops{2.0 * double(m) * double(n) * double(k)};
    samples.samples.push_back(sample_of(subject, subject.flops.value() / rate));
  };
  const auto rate = [](std::int64_t k) { return 50e9 * double(k) / double(k + 64); };
  for (const std::int64_t m : {128, 512, 2048}) {
    for (const std::int64_t n : {128, 512, 2048}) {
      for (const std::int64_t k : {128, 512, 2048}) {
        product(Family::product, "TN", m, n, k, rate(k));
        product(Family::product, "NN", m, n, k, rate(k));
        product(Family::product, "NT", m, n, k, rate(k) / 1.25);
      }
    }
  }
  product(Family::lone_product, "TN", 512, 512, 512, 1.2 * rate(512));
  for (const std::int64_t s : {64, 128, 256, 512}) {
    for (const char* name : {"scores", "context", "scores_gradient", "values_gradient"}) {
      for (const std::int64_t d : {32, 64}) product(Family::batched_product, name, s, s, d, 25e9);
    }
  }
  for (const std::string_view name : hardware::kKernelNames) {
    for (const std::int64_t bytes : {100'000, 10'000'000}) {
      const Subject subject{Family::kernel, std::string(name), bytes / 4, 1, 0, 1, 1, 1, Bytes{bytes}, {}};
      samples.samples.push_back(sample_of(subject, double(bytes) / 10e9));
    }
  }
  Subject lone = samples.samples.back().subject;
  lone.family = Family::lone_kernel;
  samples.samples.push_back(sample_of(lone, lone.bytes.as_double() / 15e9));
  for (const char* kind : {"all_reduce", "send_recv", "broadcast", "started_all_reduce"}) {
    for (const std::int64_t bytes : {1000, 10'000, 1'000'000, 100'000'000}) {
      samples.samples.push_back(
          sample_of({Family::collective, kind, 0, 0, 0, 1, 2, 1, Bytes{bytes}, {}}, 10e-6 + double(bytes) / 1e9));
    }
  }
  samples.samples.push_back(sample_of({Family::host, "operator", 0, 0, 0, 1, 1, 1, Bytes{0}, {}}, 1e-6));
  return samples;
}

std::string refusal(const LocalSamples& samples) {
  try {
    (void)fit_local(samples, "mine");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(FitLocal, FindsTheTruth) {
  const LocalProfile profile = fit_local(synthetic(), "mine");
  const hardware::Device& device = profile.cluster.device;
  const hardware::GemmProfile& gemm = device.gemm[static_cast<std::size_t>(model::DType::fp32)];
  EXPECT_NEAR(gemm.weight_gradient_slowdown, 1.25, 0.01);
  EXPECT_NEAR(gemm.input_gradient_slowdown, 1.0, 0.01);
  EXPECT_NEAR(gemm.efficiency * gemm.peak.value(), 50e9, 1e9);
  EXPECT_NEAR(gemm.k_half, 64.0, 5.0);
  EXPECT_NEAR(device.batched_gemm.efficiency * device.batched_gemm.peak.value(), 25e9, 1e9);
  EXPECT_NEAR(device.matrix_full_node_slowdown, 1.2, 0.01);
  EXPECT_NEAR(device.memory_full_node_slowdown, 1.5, 0.01);
  EXPECT_EQ(device.memory_bandwidth.value(), 10e9);
  EXPECT_EQ(device.memory_capacity.value(), 4'000'000'000);
  EXPECT_EQ(device.kernel_latency.value(), 1e-6);
  EXPECT_EQ(profile.cluster.gpus_per_node, 2);
  // Four sizes of three kinds: training broadcasts nothing.
  EXPECT_EQ(profile.cluster.collective_points.size(), 12U);
  EXPECT_LT(profile.fits.front().quality.p90, 0.02);
}

TEST(FitLocal, TheFileReadsBackAsTheSameCluster) {
  const LocalProfile profile = fit_local(synthetic(), "mine");
  Problems problems;
  const input::Settings settings = input::read_scenario(profile_text(profile), "mine.toml", problems);
  EXPECT_TRUE(problems.empty());
  const auto* points = settings.find("cluster.collective_points");
  ASSERT_NE(points, nullptr);
  EXPECT_EQ(points->value.substr(0, points->value.find(' ')), "all_reduce:2:1:1kB:11us");
  EXPECT_NE(settings.find("device.measured_kernels"), nullptr);
  EXPECT_NE(settings.find("device.batched_gemm.peak"), nullptr);
  const std::string svg = figure(synthetic(), profile);
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  EXPECT_NE(svg.find("started_all_reduce"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// A neighbour slows one pass by half: the other is what counts.
TEST(FitLocal, TheUndisturbedPassCounts) {
  const LocalSamples quiet = synthetic();
  LocalSamples disturbed = quiet;
  for (std::size_t i = 0; i < quiet.samples.size(); ++i) {
    LocalSample slow = quiet.samples[i];
    for (Seconds* time : {&slow.timing.median, &slow.timing.p10, &slow.timing.p90}) *time = 1.5 * *time;
    disturbed.samples.push_back(slow);
    if (i % 2 == 0) std::swap(disturbed.samples[i], disturbed.samples.back());
  }
  EXPECT_EQ(undisturbed(disturbed).samples.size(), quiet.samples.size());
  EXPECT_EQ(fit_local(disturbed, "mine").cluster.device.gemm[static_cast<std::size_t>(model::DType::fp32)].efficiency,
            fit_local(quiet, "mine").cluster.device.gemm[static_cast<std::size_t>(model::DType::fp32)].efficiency);
}

TEST(FitLocal, TooFewSamplesAreRefused) {
  LocalSamples few = synthetic();
  few.samples.resize(20);
  const std::string what = refusal(few);
  EXPECT_NE(what.find("matrix products: 20 samples, but a profile needs at least 36"), std::string::npos) << what;
  EXPECT_NE(what.find("collectives"), std::string::npos);
}

TEST(FitLocal, ContradictionsAreRefused) {
  LocalSamples samples = synthetic();
  // 2·2048³ FLOP at about 50 GFLOP/s: a third of a second.
  const auto large = [](const LocalSample& sample) { return sample.subject.flops.value() > 1e10; };
  const LocalSample once = *std::find_if(samples.samples.begin(), samples.samples.end(), large);
  LocalSample again = once;
  again.timing.median = 5.0 * again.timing.median;
  samples.samples.push_back(again);
  EXPECT_NE(refusal(samples).find("contradict one another"), std::string::npos);
  // A third pass that confirms one of them settles it.
  samples.samples.push_back(again);
  samples.samples.push_back(once);
  EXPECT_EQ(refusal(samples), "");
}

}  // namespace
}  // namespace shardsim::calibrate

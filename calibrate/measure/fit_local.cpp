#include "calibrate/measure/fit_local.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

#include "calibrate/fit/fit_gemm.hpp"
#include "calibrate/profile/write.hpp"
#include "sim/cost/gemm.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Device;
using hardware::Kernel;

constexpr model::DType kFormat = model::DType::fp32;

using Wanted = std::function<bool(const Subject&)>;

std::vector<LocalSample> select(const LocalSamples& samples, const Wanted& wanted) {
  std::vector<LocalSample> selected;
  std::copy_if(samples.samples.begin(), samples.samples.end(), std::back_inserter(selected),
               [&](const LocalSample& sample) { return wanted(sample.subject); });
  return selected;
}

/// Products as fit_gemm() takes them; of a batch, one of its members.
std::vector<GemmSample> products(const std::vector<LocalSample>& samples) {
  std::vector<GemmSample> result;
  for (const LocalSample& sample : samples) {
    GemmSample one;
    one.origin = sample.origin;
    one.layout = sample.subject.name;
    one.m = sample.subject.m;
    one.n = sample.subject.n;
    one.k = sample.subject.k;
    one.time = sample.timing.median / static_cast<double>(sample.subject.batch);
    result.push_back(std::move(one));
  }
  return result;
}

double rate(const LocalSample& sample) { return sample.subject.flops / sample.timing.median / FlopsPerSecond{1.0}; }

BytesPerSecond bandwidth(const LocalSample& sample) { return sample.subject.bytes / sample.timing.median; }

/// The fastest product ever seen: no processor tells its peak.
FlopsPerSecond peak_of(const LocalSamples& samples) {
  double peak = 0.0;
  for (const LocalSample& sample : samples.samples) {
    if (sample.subject.flops.value() > 0.0) peak = std::max(peak, rate(sample));
  }
  return FlopsPerSecond{rounded(peak)};
}

/// Median over the lone samples of the family of time beside busy neighbours over time alone; 1 where nothing was
/// measured alone.
double full_node_slowdown(const LocalSamples& samples, Family lone) {
  std::vector<double> ratios;
  for (const LocalSample& sample : samples.samples) {
    if (sample.subject.family != lone) continue;
    if (const LocalSample* beside = samples.find(together(sample.subject)))
      ratios.push_back(beside->timing.median / sample.timing.median);
  }
  return ratios.empty() ? 1.0 : rounded(quantile(ratios, 0.5));
}

struct Layouts {
  std::vector<GemmSample> forward;
  std::vector<GemmSample> input_gradient;
  std::vector<GemmSample> weight_gradient;
};

/// Fits the forward products and the slowdowns of the others in `device.gemm[kFormat]`; one report of all.
FitReport fit_products(Device& device, const Layouts& layouts, const std::string& what) {
  hardware::GemmProfile& profile = device.gemm[static_cast<std::size_t>(kFormat)];
  const GemmFit fit = fit_gemm(device, kFormat, layouts.forward, what);
  profile = fit.profile;
  FitReport report{what, fit.quality, fit.constants};
  if (!layouts.input_gradient.empty()) {
    profile.input_gradient_slowdown = layout_factor(device, kFormat, layouts.input_gradient);
    ++report.constants;
  }
  if (!layouts.weight_gradient.empty()) {
    profile.weight_gradient_slowdown = layout_factor(device, kFormat, layouts.weight_gradient);
    ++report.constants;
  }
  std::vector<double> errors;
  const auto add = [&](const std::vector<GemmSample>& samples, model::Pass pass) {
    for (const GemmSample& sample : samples) {
      errors.push_back(predicted(device, kFormat, pass, sample) / sample.time - 1.0);
    }
  };
  add(layouts.forward, model::Pass::forward);
  add(layouts.input_gradient, model::Pass::input_gradient);
  add(layouts.weight_gradient, model::Pass::weight_gradient);
  report.quality = judge(errors.size(), errors);
  report.quality.held_out = fit.quality.held_out;
  return report;
}

Layouts linear_layouts(const LocalSamples& samples) {
  const auto of = [&](const char* layout) {
    return products(select(samples, [&](const Subject& s) { return s.family == Family::product && s.name == layout; }));
  };
  return {of("TN"), of("NN"), of("NT")};
}

Layouts attention_layouts(const LocalSamples& samples) {
  const auto is_forward = [](const Subject& s) { return s.name == "scores" || s.name == "context"; };
  const auto of = [&](bool forward) {
    return products(select(
        samples, [&](const Subject& s) { return s.family == Family::batched_product && is_forward(s) == forward; }));
  };
  return {of(true), of(false), {}};
}

void set_kernels(Device& device, const LocalSamples& samples) {
  for (std::size_t i = 0; i < hardware::kKernels; ++i) {
    const auto kernel = static_cast<Kernel>(i);
    std::vector<LocalSample> points = select(
        samples, [&](const Subject& s) { return s.family == Family::kernel && s.name == hardware::name_of(kernel); });
    std::sort(points.begin(), points.end(),
              [](const LocalSample& a, const LocalSample& b) { return a.subject.bytes < b.subject.bytes; });
    for (const LocalSample& point : points) {
      if (!device.measured_kernels.empty() && device.measured_kernels.back().kernel == kernel &&
          device.measured_kernels.back().bytes == point.subject.bytes) {
        continue;
      }
      device.measured_kernels.push_back(
          {kernel, point.subject.bytes, BytesPerSecond{rounded(bandwidth(point).value())}});
    }
  }
}

/// Bandwidth of a kernel at its largest size, or nothing.
std::optional<BytesPerSecond> largest(const Device& device, Kernel kernel) {
  std::optional<BytesPerSecond> found;
  for (const hardware::MeasuredKernel& point : device.measured_kernels) {
    if (point.kernel == kernel) found = point.bandwidth;
  }
  return found;
}

/// What kernels without a curve of their own take: shares of the fastest stream.
void set_memory_bound(Device& device) {
  double fastest = 0.0;
  for (std::size_t i = 0; i < hardware::kKernels; ++i) {
    if (const auto rate = largest(device, static_cast<Kernel>(i))) fastest = std::max(fastest, rate->value());
  }
  device.memory_bandwidth = BytesPerSecond{rounded(fastest)};
  const auto share = [&](std::initializer_list<Kernel> kernels) {
    std::vector<double> shares;
    for (const Kernel kernel : kernels) {
      if (const auto rate = largest(device, kernel)) shares.push_back(*rate / device.memory_bandwidth);
    }
    return rounded(std::min(1.0, quantile(shares, 0.5)));
  };
  device.memory_bound.elementwise_efficiency = share({Kernel::gelu, Kernel::add, Kernel::dropout_add});
  device.memory_bound.normalization_efficiency = share({Kernel::layer_norm, Kernel::layer_norm_backward});
  device.memory_bound.softmax_efficiency = share({Kernel::softmax, Kernel::softmax_backward});
  device.memory_bound.optimizer_efficiency = share({Kernel::adam});
}

std::optional<hardware::Collective> collective_of(const std::string& name) {
  const auto found = std::find(hardware::kCollectiveNames.begin(), hardware::kCollectiveNames.end(), name);
  if (found == hardware::kCollectiveNames.end()) return {};
  return static_cast<hardware::Collective>(found - hardware::kCollectiveNames.begin());
}

void set_collectives(hardware::Cluster& cluster, const LocalSamples& samples) {
  for (const LocalSample& sample : samples.samples) {
    if (sample.subject.family != Family::collective) continue;
    const auto kind = collective_of(sample.subject.name);
    if (!kind) continue;  // broadcast: training has none
    cluster.collective_points.push_back({*kind, sample.subject.ranks, sample.subject.nodes, sample.subject.bytes,
                                         Seconds{rounded(sample.timing.median.value())}});
  }
  const auto place = [](const hardware::CollectivePoint& p) { return std::tuple{p.kind, p.ranks, p.nodes, p.bytes}; };
  auto& points = cluster.collective_points;
  std::sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  points.erase(
      std::unique(points.begin(), points.end(), [&](const auto& a, const auto& b) { return place(a) == place(b); }),
      points.end());
}

/// For groups that were not measured: bus bandwidth of the largest all-reduce and time of the smallest.
hardware::Network network_of(const hardware::Cluster& cluster, bool between_nodes) {
  hardware::Network network;
  for (const hardware::CollectivePoint& point : cluster.collective_points) {
    if (point.kind != hardware::Collective::all_reduce || (point.nodes > 1) != between_nodes) continue;
    const auto n = static_cast<double>(point.ranks);
    if (network.efficiency == 0.0) network.base_latency = point.time;
    network.efficiency = 1.0;
    network.bandwidth = BytesPerSecond{rounded(2.0 * (n - 1.0) / n * (point.bytes / point.time).value())};
  }
  return network;
}

FitReport collective_report(const LocalSamples& samples) {
  std::vector<double> spread;
  for (const LocalSample& sample : samples.samples) {
    if (sample.subject.family != Family::collective) continue;
    spread.push_back(0.5 * (sample.timing.p90 - sample.timing.p10).value() / sample.timing.median.value());
  }
  return {"collectives (spread)", judge(spread.size(), spread), static_cast<int>(spread.size())};
}

FitReport kernel_report(const LocalSamples& samples) {
  std::vector<double> spread;
  for (const LocalSample& sample : samples.samples) {
    if (sample.subject.family != Family::kernel) continue;
    spread.push_back(0.5 * (sample.timing.p90 - sample.timing.p10).value() / sample.timing.median.value());
  }
  return {"memory-bound (spread)", judge(spread.size(), spread), static_cast<int>(spread.size())};
}

void require_samples(const LocalSamples& samples) {
  Problems problems;
  const auto require = [&](Family family, std::size_t least, const char* what) {
    const std::size_t found = select(samples, [&](const Subject& s) { return s.family == family; }).size();
    if (found >= least) return;
    problems.add(
        {{}, what, "", std::to_string(found) + " samples, but a profile needs at least " + std::to_string(least)});
  };
  require(Family::product, 3 * kFewestSamples, "matrix products");
  require(Family::batched_product, kFewestSamples, "attention products");
  require(Family::kernel, hardware::kKernels, "memory-bound kernels");
  if (samples.machine.ranks > 1) require(Family::collective, 12, "collectives");
  problems.throw_if_any();
}

std::string provenance(const LocalSamples& samples) {
  const Machine& machine = samples.machine;
  std::size_t runs = 0;
  for (const LocalSample& sample : samples.samples) runs += static_cast<std::size_t>(sample.timing.samples);
  return "Measured by `shardsim calibrate` on " + machine.host + " (" + machine.processor + "), " +
         std::to_string(machine.ranks) + " ranks, " + machine.date + ", " + machine.versions + "; " +
         std::to_string(samples.samples.size()) + " points of " + std::to_string(runs) + " timed runs.";
}

}  // namespace

LocalProfile fit_local(const LocalSamples& passes, const std::string& name) {
  const LocalSamples samples = undisturbed(passes);
  require_samples(samples);
  LocalProfile result;
  hardware::Cluster& cluster = result.cluster;
  const Machine& machine = samples.machine;
  cluster.name = name;
  cluster.title = machine.host + ": " + std::to_string(machine.ranks) + " cores of " + machine.processor;
  cluster.gpus_per_node = machine.ranks_per_node;
  Device& device = cluster.device;
  device.name = name;
  device.title = "one core of " + machine.processor;
  device.memory_capacity = machine.memory / machine.ranks_per_node;
  for (const LocalSample& sample : samples.samples) {
    if (sample.subject.family == Family::host) device.kernel_latency = Seconds{rounded(sample.timing.median.value())};
  }
  set_kernels(device, samples);
  set_memory_bound(device);
  device.matrix_full_node_slowdown = full_node_slowdown(samples, Family::lone_product);
  device.memory_full_node_slowdown = full_node_slowdown(samples, Family::lone_kernel);

  hardware::GemmProfile& gemm = device.gemm[static_cast<std::size_t>(kFormat)];
  gemm.peak = peak_of(samples);
  Device batched = device;
  result.fits.push_back(fit_products(device, linear_layouts(samples), "fp32 products"));
  result.fits.push_back(fit_products(batched, attention_layouts(samples), "attention products"));
  device.batched_gemm = batched.gemm[static_cast<std::size_t>(kFormat)];
  device.attention.forward_efficiency = device.batched_gemm.efficiency;
  device.attention.backward_efficiency = device.batched_gemm.efficiency;
  result.fits.push_back(kernel_report(samples));
  set_collectives(cluster, samples);
  if (machine.ranks > 1) result.fits.push_back(collective_report(samples));
  cluster.intra_node = network_of(cluster, false);
  cluster.inter_node = network_of(cluster, true);
  device.error = rounded(std::max(0.01, result.fits.front().quality.p90 / 1.645));
  cluster.error = rounded(std::max(0.01, result.fits.back().quality.p90 / 1.645));

  result.context = machine.resident;
  cluster.provenance = provenance(samples);
  device.provenance = cluster.provenance;
  for (const FitReport& fit : result.fits) device.provenance += " " + fit.what + ": " + to_string(fit.quality) + ".";
  return result;
}

std::string profile_text(const LocalProfile& profile) {
  std::string text = "# Written by `shardsim calibrate`; predict, train and validate take this file as --cluster.\n" +
                     cluster_sections(profile.cluster, {}) + "\n" + device_sections(profile.cluster.device);
  if (profile.context > Bytes{0}) {
    text +=
        "\n# On this machine a process runs its operators itself: nothing is launched, no library holds buffers.\n"
        "[stack.host]\nper_launch = \"0 us\"\n\n[stack.allocator]\ncontext = " +
        input::in_quotes(input::to_text(profile.context)) +
        "\nfirst_communicator = \"0 B\"\nfurther_communicator = \"0 B\"\n";
  }
  return text;
}

}  // namespace shardsim::calibrate

#include "calibrate/measure/import_profile.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "calibrate/fit/fit_gemm.hpp"
#include "calibrate/samples/nccl_log.hpp"
#include "sim/input/enum_text.hpp"
#include "sim/input/resolve.hpp"
#include "sim/input/text_file.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Collective;

hardware::Cluster cluster_like(const std::string& name) {
  input::Settings settings;
  const Origin origin{"command line", 0, "--like"};
  for (const auto& [key, value] : {std::pair<const char*, std::string>{"cluster.preset", name},
                                   {"model.preset", "gpt2-tiny"},
                                   {"cluster.gpus", "1"},
                                   {"training.micro_batch_size", "1"},
                                   {"training.global_batch_size", "1"}}) {
    settings.set({key, value, origin, {}});
  }
  return input::resolve(settings).cluster;
}

std::optional<Collective> collective_of(const std::string& nccl_name) {
  static const std::map<std::string, Collective> kinds{{"all_reduce", Collective::all_reduce},
                                                       {"all_gather", Collective::all_gather},
                                                       {"reduce_scatter", Collective::reduce_scatter},
                                                       {"alltoall", Collective::all_to_all},
                                                       {"sendrecv", Collective::send_recv}};
  const auto found = kinds.find(nccl_name);
  if (found == kinds.end()) return {};
  return found->second;
}

auto curve_of(const hardware::CollectivePoint& point) { return std::tuple{point.kind, point.ranks, point.nodes}; }

/// Sorted; sizes that were measured twice must agree within this factor, and count with the faster time.
constexpr double kContradiction = 3.0;

void join(std::vector<hardware::CollectivePoint>& points, Problems& problems) {
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return std::tuple{curve_of(a), a.bytes, a.time} < std::tuple{curve_of(b), b.bytes, b.time};
  });
  std::vector<hardware::CollectivePoint> joined;
  for (const hardware::CollectivePoint& point : points) {
    const bool again =
        !joined.empty() && curve_of(joined.back()) == curve_of(point) && joined.back().bytes == point.bytes;
    if (!again) {
      joined.push_back(point);
    } else if (point.time / joined.back().time > kContradiction) {
      problems.add({{},
                    std::string(hardware::kCollectiveNames[static_cast<std::size_t>(point.kind)]),
                    std::to_string(point.bytes.value()) + " B",
                    "two logs contradict each other by more than " + std::to_string(int(kContradiction)) + " times"});
    }
  }
  points = std::move(joined);
}

FitReport fit_format(hardware::Device& device, model::DType format, const std::vector<GemmSample>& samples,
                     const std::string& what) {
  const auto of = [&](const char* layout) {
    std::vector<GemmSample> selected;
    for (const GemmSample& sample : samples) {
      const bool large = std::min({sample.m, sample.n, sample.k}) >= kSmallestSize;
      if (large && sample.layout.substr(0, 2) == layout) selected.push_back(sample);
    }
    return selected;
  };
  hardware::GemmProfile& profile = device.gemm[static_cast<std::size_t>(format)];
  if (profile.peak.value() <= 0.0) throw InputError({Problem{{}, what, "", device.name + " has no such products"}});
  const double misaligned = profile.misaligned_slowdown;
  const GemmFit fit = fit_gemm(device, format, of("TN"), what);
  profile = fit.profile;
  profile.misaligned_slowdown = misaligned;
  for (const auto& [layout, slowdown] :
       {std::pair{"NN", &profile.input_gradient_slowdown}, {"NT", &profile.weight_gradient_slowdown}}) {
    if (const auto others = of(layout); !others.empty()) *slowdown = layout_factor(device, format, others);
  }
  return {what, fit.quality, fit.constants};
}

}  // namespace

void add_logs(hardware::Cluster& cluster, const std::vector<std::string>& files, Problems& problems) {
  std::vector<hardware::CollectivePoint> points;
  for (const std::string& file : files) {
    const std::string text = input::read_text_file(file, problems);
    if (text.empty()) continue;
    for (const CollectiveSample& sample : parse_nccl_log(text, file, problems)) {
      const auto kind = collective_of(sample.collective);
      if (!kind) {
        problems.add({sample.origin, "", sample.collective, "training runs no such collective"});
        break;
      }
      const bool pair = *kind == Collective::send_recv;
      points.push_back({*kind, pair ? 2 : sample.ranks, pair ? std::min<std::int64_t>(sample.nodes, 2) : sample.nodes,
                        sample.bytes, sample.time});
    }
  }
  const auto is_replaced = [&](const hardware::CollectivePoint& old) {
    return std::any_of(points.begin(), points.end(),
                       [&](const auto& point) { return curve_of(point) == curve_of(old); });
  };
  for (const hardware::CollectivePoint& old : cluster.collective_points) {
    if (!is_replaced(old)) points.push_back(old);
  }
  join(points, problems);
  cluster.collective_points = std::move(points);
}

LocalProfile import_profile(const ImportOptions& options, const std::string& name) {
  LocalProfile profile;
  hardware::Cluster& cluster = profile.cluster;
  cluster = cluster_like(options.like);
  Problems problems;
  add_logs(cluster, options.nccl_logs, problems);
  std::string sources;
  for (const std::string& file : options.nccl_logs) sources += (sources.empty() ? "" : ", ") + file;
  if (!options.gemm_csv.empty()) {
    const std::string text = input::read_text_file(options.gemm_csv, problems);
    std::map<std::string, std::vector<GemmSample>> formats;
    if (!text.empty()) {
      for (GemmSample& sample : parse_gemm_csv(text, options.gemm_csv, problems)) {
        formats[sample.dtype].push_back(std::move(sample));
      }
    }
    problems.throw_if_any();
    for (const auto& [format, samples] : formats) {
      const auto* choice = std::find_if(input::kChoices<model::DType>.begin(), input::kChoices<model::DType>.end(),
                                        [&](const auto& one) { return one.text == format; });
      if (choice == input::kChoices<model::DType>.end()) {
        problems.add({samples.front().origin, "dtype", format, "is no format that training uses"});
        continue;
      }
      profile.fits.push_back(fit_format(cluster.device, choice->value, samples, format + " products"));
    }
    sources += (sources.empty() ? "" : ", ") + options.gemm_csv;
  }
  problems.throw_if_any();
  cluster.name = name;
  cluster.title = "like " + options.like + ", with measurements of its own";
  cluster.provenance =
      "From " + sources + " by `shardsim calibrate`; everything else is " + options.like + "'s. " + cluster.provenance;
  return profile;
}

}  // namespace shardsim::calibrate

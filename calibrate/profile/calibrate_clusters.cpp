#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/fit/fit_collectives.hpp"
#include "calibrate/profile/calibrate.hpp"
#include "calibrate/profile/select.hpp"
#include "sim/input/text.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Cluster;
using hardware::Collective;
using hardware::MeasuredCollective;

constexpr double kP90OverDeviation = 1.645;
constexpr std::size_t kFewestSamples = 8;

[[noreturn]] void refuse(const std::string& what, const std::string& value, const std::string& message) {
  throw InputError({Problem{{}, what, value, message}});
}

using Group = std::pair<Collective, std::int64_t>;

std::map<Group, std::vector<CollectiveSample>> by_group(const std::vector<CollectiveSample>& samples,
                                                        std::int64_t largest) {
  std::map<Group, std::vector<CollectiveSample>> groups;
  Collective kind{};
  for (const CollectiveSample& sample : samples) {
    if (sample.nodes == 1 && sample.ranks > 1 && sample.ranks <= largest && kind_of(sample.collective, kind)) {
      groups[{kind, sample.ranks}].push_back(sample);
    }
  }
  return groups;
}

/// A ring's gather or scatter is half of its all-reduce: one pass instead of two.
void derive_passes(Cluster& cluster) {
  std::vector<MeasuredCollective> derived;
  const auto half = [](Seconds latency) { return Seconds{rounded(0.5 * latency.value())}; };
  for (const MeasuredCollective& entry : cluster.measured_collectives) {
    if (entry.kind != Collective::all_reduce) continue;
    for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter}) {
      const bool measured = std::any_of(
          cluster.measured_collectives.begin(), cluster.measured_collectives.end(),
          [&](const MeasuredCollective& other) { return other.kind == kind && other.ranks == entry.ranks; });
      if (measured) continue;
      const hardware::TwoLines& lines = entry.lines;
      derived.push_back({kind,
                         entry.ranks,
                         entry.nodes,
                         {half(lines.small_latency), 2.0 * lines.small_bandwidth, half(lines.large_latency),
                          2.0 * lines.large_bandwidth}});
    }
  }
  cluster.measured_collectives.insert(cluster.measured_collectives.end(), derived.begin(), derived.end());
}

/// (n + 1)/n · D/T of the largest measured all-reduce over the ring's bandwidth, see switch_all_reduce().
double switch_efficiency(const Cluster& cluster) {
  double efficiency = 0.0;
  std::int64_t ranks = 0;
  for (const MeasuredCollective& entry : cluster.measured_collectives) {
    if (entry.kind != Collective::all_reduce || entry.ranks < ranks) continue;
    ranks = entry.ranks;
    const auto n = static_cast<double>(ranks);
    efficiency =
        (n + 1.0) / n * (entry.lines.large_bandwidth / (cluster.intra_node.efficiency * cluster.intra_node.bandwidth));
  }
  return rounded(std::min(efficiency, 1.0));
}

ClusterProfile fit(const ClusterSpecification& specification, const Samples& samples) {
  ClusterProfile profile{specification.facts, specification.device, {}};
  Cluster& cluster = profile.cluster;
  cluster.name = specification.name;
  std::set<std::string> sources;
  const auto chosen = [&samples](const Selector& selector) {
    return selector.given() ? select(samples.collectives, selector) : std::vector<CollectiveSample>{};
  };
  const auto intra = chosen(specification.intra);
  const auto inter = chosen(specification.inter);
  const auto latency = specification.latency.given() ? chosen(specification.latency) : intra;
  note_sources(intra, sources);
  note_sources(latency, sources);
  note_sources(inter, sources);

  std::size_t used = 0;
  std::vector<double> errors;
  for (const auto& [group, members] : by_group(intra, cluster.gpus_per_node)) {
    if (members.size() < kFewestSamples) continue;
    const LinesFit lines = fit_lines(members, specification.name + ".intra");
    cluster.measured_collectives.push_back({group.first, group.second, 1, lines.lines});
    used += members.size();
    errors.insert(errors.end(), lines.errors.begin(), lines.errors.end());
  }
  const Quality quality = judge(used, errors);
  if (used > 0) {
    profile.fits.push_back(
        {"collectives in a node", quality, 4 * static_cast<int>(cluster.measured_collectives.size())});
  }
  const std::string what = specification.name + ".intra";
  if (cluster.intra_node.efficiency == 0.0) {
    std::vector<CollectiveSample> largest;
    std::int64_t ranks = 0;
    for (const CollectiveSample& sample : intra) {
      if (sample.nodes == 1) ranks = std::max(ranks, sample.ranks);
    }
    const bool sharp = cluster.nvlink_sharp;
    for (const CollectiveSample& sample : intra) {
      // Where the switch reduces, gathers alone show the links' ring.
      if (sample.ranks == ranks && (!sharp || sample.collective != "all_reduce")) largest.push_back(sample);
    }
    cluster.intra_node.efficiency = bandwidth_share(largest, cluster.intra_node.bandwidth, what);
    profile.fits.push_back({"bandwidth inside a node", judge(largest.size(), {}), 1});
  }
  const Latencies inside = fit_latencies(latency, specification.name + ".latency");
  cluster.intra_node.base_latency = inside.base;
  cluster.intra_node.step_latency = inside.step;
  cluster.inter_node.base_latency = inside.base;
  profile.fits.push_back({"latencies", judge(latency.size(), {}), 2});
  derive_passes(cluster);
  if (cluster.nvlink_sharp) cluster.nvlink_sharp_efficiency = switch_efficiency(cluster);

  const std::string between = specification.name + ".inter";
  if (!inter.empty()) {
    const BytesPerSecond node = static_cast<double>(cluster.nics_per_node) * cluster.inter_node.bandwidth;
    profile.fits.push_back({"network between nodes", judge(inter.size(), {}), 2});
    if (cluster.inter_node.efficiency == 0.0) cluster.inter_node.efficiency = bandwidth_share(inter, node, between);
    if (cluster.inter_node.step_latency.value() == 0.0) {
      cluster.inter_node.step_latency = fit_network_step(inter, inside, between);
    }
  }
  if (cluster.inter_node.efficiency == 0.0 || cluster.inter_node.step_latency.value() == 0.0) {
    refuse(between, "", "no samples, and no given efficiency and step_latency");
  }

  std::string text = specification.notes;
  for (const FitReport& report : profile.fits) {
    text += " " + report.what + ": ";
    text +=
        report.quality.held_out > 0 ? to_string(report.quality) : std::to_string(report.quality.samples) + " samples";
    text += ".";
  }
  std::string names;
  for (const std::string& source : sources) input::add_word(names, source, "; ");
  cluster.provenance = text + " Samples: " + names + ".";
  cluster.error = rounded(std::hypot(quality.p90 / kP90OverDeviation, specification.further_error));
  return profile;
}

}  // namespace

std::vector<ClusterProfile> calibrate_clusters(const Specifications& specifications, const Samples& samples) {
  std::vector<ClusterProfile> profiles;
  for (const ClusterSpecification& each : specifications.clusters) profiles.push_back(fit(each, samples));
  return profiles;
}

}  // namespace shardsim::calibrate

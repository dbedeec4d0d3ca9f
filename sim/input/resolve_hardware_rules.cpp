// Whether the cluster and its device are described completely, and can run this training.
#include <array>
#include <string>

#include "sim/input/enum_text.hpp"
#include "sim/input/resolve_steps.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

struct Positive {
  std::string key;
  double value;
};

void must_be_positive(Draft& draft, const Positive& quantity) {
  if (quantity.value > 0.0 || !draft.sound({quantity.key})) return;
  draft.reject(quantity.key, draft.given(quantity.key) ? "must be more than 0" : "is required and missing");
}

void check_precision(Draft& draft) {
  constexpr std::string_view kKey = "training.precision";
  const auto& device = draft.scenario.cluster.device;
  const auto precision = draft.scenario.training.precision;
  if (!draft.sound({kKey})) return;
  const std::string format(choice_text(precision));
  const auto& profile = device.gemm[static_cast<std::size_t>(precision)];
  if (profile.peak.value() > 0.0) {
    const std::string prefix = "device.gemm." + format;
    return must_be_positive(draft, {prefix + ".efficiency", profile.efficiency});
  }
  std::string known;
  for (const auto& choice : kChoices<model::DType>) {
    const bool has = device.gemm[static_cast<std::size_t>(choice.value)].peak.value() > 0.0;
    if (has) add_word(known, choice.text);
  }
  draft.reject(kKey, "the device " + device.name + " has no " + format + " matrix products; it has " +
                         (known.empty() ? "none (device.gemm.*.peak)" : known));
}

void check_device(Draft& draft) {
  const auto& device = draft.scenario.cluster.device;
  const std::array quantities{
      Positive{"device.memory_capacity", device.memory_capacity.as_double()},
      Positive{"device.memory_bandwidth", device.memory_bandwidth.value()},
      Positive{"device.attention.forward_efficiency", device.attention.forward_efficiency},
      Positive{"device.attention.backward_efficiency", device.attention.backward_efficiency},
      Positive{"device.memory_bound.elementwise_efficiency", device.memory_bound.elementwise_efficiency},
      Positive{"device.memory_bound.normalization_efficiency", device.memory_bound.normalization_efficiency},
      Positive{"device.memory_bound.softmax_efficiency", device.memory_bound.softmax_efficiency},
      Positive{"device.memory_bound.optimizer_efficiency", device.memory_bound.optimizer_efficiency}};
  for (const Positive& quantity : quantities) must_be_positive(draft, quantity);
}

void check_network(Draft& draft, const std::string& prefix, const hardware::Network& network) {
  must_be_positive(draft, {prefix + ".bandwidth", network.bandwidth.value()});
  must_be_positive(draft, {prefix + ".efficiency", network.efficiency});
}

void check_cluster(Draft& draft) {
  const auto& cluster = draft.scenario.cluster;
  const std::int64_t gpus = draft.scenario.gpus;
  const bool leafless = cluster.fabric_oversubscription > 1.0 && cluster.nodes_per_leaf == 0;
  if (leafless && draft.sound({"cluster.nodes_per_leaf"})) {
    draft.reject("cluster.nodes_per_leaf", "is required with fabric_oversubscription: the nodes of one leaf switch");
  }
  if (!draft.sound({"cluster.gpus", "cluster.gpus_per_node"})) return;
  if (gpus > 1 && cluster.gpus_per_node > 1) check_network(draft, "cluster.intra_node", cluster.intra_node);
  if (gpus > cluster.gpus_per_node) check_network(draft, "cluster.inter_node", cluster.inter_node);
  if (gpus > cluster.gpus_per_node && gpus % cluster.gpus_per_node != 0) {
    draft.warn(to_text(gpus) + " GPUs do not fill whole nodes of " + to_text(cluster.gpus_per_node) +
               "; the last node is taken as partly used");
  }
}

}  // namespace

void check_hardware(Draft& draft) {
  if (!draft.sound({"cluster.preset", "device.preset"})) return;
  check_device(draft);
  check_precision(draft);
  check_cluster(draft);
}

}  // namespace shardsim::input

// The common language of every input: a flat list of "section.key" = text, each with its origin.
// Megatron flags, scenario files, presets, HF configs, DeepSpeed JSON and --set all become Settings;
// one function resolves and checks them (resolve.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/problems.hpp"

namespace shardsim::input {

/// Keys are "section.field", named as the fields of sim/model and sim/hardware: "model.hidden_size",
/// "parallelism.tensor_model_parallel_size", "training.recompute.granularity", "stack.host.per_launch",
/// "cluster.gpus", "cluster.inter_node.bandwidth", "device.gemm.bf16.efficiency".
/// Values are text as a user would write it: "8", "true", "80 GiB", "selective".
struct Setting {
  std::string key;
  std::string value;
  Origin origin;
  /// Not given by the user but chosen by a reader, with the reason; listed in the output as assumed.
  std::string assumed_because;
};

class Settings {
 public:
  /// A later value of the same key replaces an earlier one; an assumed value never replaces a given one.
  void set(Setting setting);
  /// The same for a key that is known to be new: no search.
  void append(Setting setting) { settings_.push_back(std::move(setting)); }
  /// Takes over all of `other`; its values win.
  void merge(const Settings& other);
  /// nullptr when the key was not given.
  [[nodiscard]] const Setting* find(std::string_view key) const;
  [[nodiscard]] const std::vector<Setting>& all() const { return settings_; }

  void warn(std::string warning) { warnings_.push_back(std::move(warning)); }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<Setting> settings_;
  std::vector<std::string> warnings_;
};

}  // namespace shardsim::input

// How much of the machine others use while a program runs.
#pragma once

#include <string>

namespace shardsim::validate::local {

/// Busy seconds of all cores together since the start, of every program and of the hypervisor's other guests, from the
/// text of /proc/stat; 0 where it is none.
[[nodiscard]] double busy_seconds(const std::string& proc_stat);

/// As the system calls it; "unknown processors" where it does not say.
[[nodiscard]] std::string processor_name();

/// The clock of busy seconds, from its making on.
class MachineLoad {
 public:
  MachineLoad();
  /// Busy seconds that were not `own`, over the wall seconds `wall`: 1 = one core. Never negative.
  [[nodiscard]] double others(double own, double wall) const;

 private:
  double start_;
};

}  // namespace shardsim::validate::local

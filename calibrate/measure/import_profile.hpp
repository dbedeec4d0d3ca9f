// What people already have, instead of measurements: logs of nccl-tests and tables of products.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measure/fit_local.hpp"

namespace shardsim::calibrate {

struct ImportOptions {
  /// Cluster preset whose other values stay.
  std::string like;
  std::vector<std::string> nccl_logs;
  std::string gemm_csv;
};

/// Throws InputError for an unknown cluster and for files that tell nothing or contradict themselves.
[[nodiscard]] LocalProfile import_profile(const ImportOptions& options, const std::string& name);

/// The logs' points in place of the cluster's own of the same collectives and groups.
void add_logs(hardware::Cluster& cluster, const std::vector<std::string>& files, Problems& problems);

}  // namespace shardsim::calibrate

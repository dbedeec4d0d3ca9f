// Logs of nccl-tests, as people have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/samples/samples.hpp"

namespace shardsim::calibrate {

/// The out-of-place rows of one log, also with mpirun's prefixes ("[1,0]<stdout>:"). Ranks and nodes are those that the
/// log lists; the collective is the one that it names, or that its bus bandwidths imply. Bytes are the full tensor.
/// A log of another program, one cut off before its first row, rows with wrong results and impossible ones are
/// problems.
[[nodiscard]] std::vector<CollectiveSample> parse_nccl_log(std::string_view text, const std::string& file,
                                                           Problems& problems);

/// A table of products with at least the columns m, n, k and time_us; dtype (else bf16) and layout (else TN) if it has
/// them.
[[nodiscard]] std::vector<GemmSample> parse_gemm_csv(std::string_view text, const std::string& file,
                                                     Problems& problems);

}  // namespace shardsim::calibrate

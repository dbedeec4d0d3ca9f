// Readers of single rows, one per file of the record.
#pragma once

#include <string>
#include <vector>

#include "sim/base/problems.hpp"
#include "validate/record.hpp"
#include "validate/row.hpp"

namespace shardsim::validate {

/// A row of published_runs.jsonl or published_runs_oom.jsonl.
[[nodiscard]] Record read_published_row(const Json& row, const std::string& file, int line);

/// A row of megatron_flag_runs.jsonl: exact command-line flags, peak allocated bytes of the last rank.
[[nodiscard]] Record read_flag_row(const Json& row, const std::string& line_text, const std::string& file, int line);

/// gpt2_h100_runs.csv, header line included.
[[nodiscard]] std::vector<Record> read_gpt2_runs(std::string_view text, const std::string& file, Problems& problems);

}  // namespace shardsim::validate

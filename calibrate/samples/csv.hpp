// Tables of comma-separated values (RFC 4180), plain or compressed by gzip.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"

namespace shardsim::calibrate {

/// One line of a table.
struct CsvRow {
  int line = 0;
  std::vector<std::string> fields;
};

struct CsvTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  /// Where a row stands, for messages.
  [[nodiscard]] Origin origin(const CsvRow& row) const { return {file, row.line, ""}; }
};

/// Text with a header line; fields in quotation marks may hold commas, line ends and doubled quotation marks. Rows with
/// another number of fields than the header are problems.
[[nodiscard]] CsvTable parse_csv(std::string_view text, const std::string& file, Problems& problems);

/// Whole text of a plain or gzip file; what cannot be read is a problem.
[[nodiscard]] std::string read_maybe_compressed(const std::string& path, Problems& problems);

[[nodiscard]] CsvTable read_csv(const std::string& path, Problems& problems);

/// Index of each wanted column, in the order of `names`; a missing one is a problem and gives an empty list.
[[nodiscard]] std::vector<std::size_t> find_columns(const CsvTable& table, const std::vector<std::string>& names,
                                                    Problems& problems);

}  // namespace shardsim::calibrate

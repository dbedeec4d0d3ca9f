// Predictions as rows of a spreadsheet, for reports that hold several.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::report {

/// Names and values of one row.
using Columns = std::vector<std::pair<std::string_view, std::string>>;

[[nodiscard]] Columns csv_columns(const model::Scenario& scenario, const engine::Prediction& prediction);

/// As many digits as tell the number from every other; empty when it is not finite.
[[nodiscard]] std::string csv_number(double value);

/// The names of the first row, then all rows.
void write_csv_rows(std::ostream& out, const std::vector<Columns>& rows);

}  // namespace shardsim::report

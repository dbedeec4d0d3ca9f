// The accuracy tables of the README.
#pragma once

#include <string>

#include "validate/accuracy_record.hpp"

namespace shardsim::validate {

/// Markdown, errors in per cent: quality-A rows by source, the largest mean error of time first; outcomes; then the
/// other qualities and suspect rows.
[[nodiscard]] std::string accuracy_table(const AccuracyRecord& record);

/// `readme` with the table between the lines "<!-- accuracy table … -->" and "<!-- end of accuracy table -->". Throws
/// InputError where they are missing.
[[nodiscard]] std::string with_accuracy_table(const std::string& readme, const std::string& file,
                                              const AccuracyRecord& record);

}  // namespace shardsim::validate

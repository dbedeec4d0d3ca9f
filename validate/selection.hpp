// From files of measured runs to the records that the options choose.
#pragma once

#include <vector>

#include "validate/options.hpp"
#include "validate/record.hpp"

namespace shardsim::validate {

/// All rows of all files. Throws InputError with every file that cannot be read and every malformed line.
[[nodiscard]] std::vector<Record> read_files(const std::vector<std::string>& files);

/// Keeps the rows of the options' qualities and sources, with their overrides.
[[nodiscard]] std::vector<Record> select(std::vector<Record> records, const Options& options);

}  // namespace shardsim::validate

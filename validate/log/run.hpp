// `shardsim validate --log`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace shardsim::validate::log {

/// Compares the logs, fits where asked to, and writes the report: whole or not at all. Throws InputError with the
/// problems of all logs.
void run(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace shardsim::validate::log

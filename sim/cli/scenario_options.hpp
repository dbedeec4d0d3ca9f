// The options that say what is predicted, for every command that predicts.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <string_view>

#include "sim/cli/predict_options.hpp"

namespace shardsim::cli {

inline constexpr unsigned kLineLength = 120;

void describe_scenario(boost::program_options::options_description& described, ScenarioOptions& options);

/// One positional argument at most, the scenario. Throws InputError for unknown and malformed options, in the name of
/// options.command.
boost::program_options::variables_map parse(const Arguments& arguments,
                                            const boost::program_options::options_description& shown,
                                            ScenarioOptions& options);

/// Throws InputError.
[[nodiscard]] Format parse_format(const std::string& name, std::string_view command);

}  // namespace shardsim::cli

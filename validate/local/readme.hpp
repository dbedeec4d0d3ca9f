// The recorded comparison of the repository, and its part of the README.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/local/report.hpp"

namespace shardsim::validate::local {

inline constexpr const char* kRecordFile = "validate/local/recorded_runs.json";
inline constexpr const char* kFigureFile = "validate/local/recorded_runs.svg";
inline constexpr const char* kReadmeFile = "README.md";

/// Markdown, from what to_json(Comparison) gives: the errors, then one line per job.
[[nodiscard]] std::string readme_table(const nlohmann::ordered_json& comparison);

/// `readme` with that table between its markers. Throws InputError where they are missing.
[[nodiscard]] std::string with_local_runs(const std::string& readme, const std::string& file,
                                          const nlohmann::ordered_json& comparison);

/// Writes the three files in the repository's folder; their names. Throws InputError, before anything is written where
/// the README is not one.
std::vector<std::string> record(const std::string& folder, const Comparison& comparison);

}  // namespace shardsim::validate::local

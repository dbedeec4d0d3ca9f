// Recorded accuracy, README table and figure: written together, from all of validate/published.
#pragma once

#include <string>
#include <vector>

#include "validate/evaluate.hpp"

namespace shardsim::validate {

inline constexpr const char* kRecordFile = "validate/recorded_accuracy.json";
inline constexpr const char* kFigureFile = "validate/accuracy.svg";
inline constexpr const char* kReadmeFile = "README.md";

/// Every .jsonl and .csv file of validate/published under `folder`, predicted.
[[nodiscard]] std::vector<Result> evaluate_published(const std::string& folder);

struct AccuracyChange {
  bool written = false;
  std::vector<std::string> files;
  /// What is worse than recorded before, by more than the table shows (0.05 points).
  std::vector<std::string> worse;
};

/// Nothing is written where something became worse, unless `accept_worse`. Throws InputError where `folder` is not the
/// repository.
[[nodiscard]] AccuracyChange record_accuracy(const std::string& folder, bool accept_worse);

}  // namespace shardsim::validate

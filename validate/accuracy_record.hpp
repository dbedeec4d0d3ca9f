// The accuracy that the repository records of itself: a committed file that is meant only to get better.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validate/statistics.hpp"

namespace shardsim::validate {

struct AccuracyGroup {
  Summary all;
  std::map<std::string, Summary> by_source;
};

struct AccuracyRecord {
  /// Rows of quality A, and rows of files without a quality.
  AccuracyGroup quality_a;
  AccuracyGroup other_qualities;
  /// Rows of any quality that are scored apart.
  AccuracyGroup suspect;
  std::vector<ScalingPoint> weak_scaling;
  FittedConstants fitted_constants;
};

/// A difference of 0.003 (0.3 points) is what a change may cost a source.
inline constexpr double kAccuracyTolerance = 0.003;

[[nodiscard]] AccuracyRecord accuracy_of(const std::vector<Result>& results);

/// Fractions to four decimals (0.01 points).
[[nodiscard]] std::string to_text(const AccuracyRecord& record);

/// Throws InputError for what is no such record.
[[nodiscard]] AccuracyRecord read_accuracy_record(std::string_view text, const std::string& file);

/// The committed file, as it was when the program was built.
[[nodiscard]] AccuracyRecord recorded_accuracy();

/// One line for each source that has vanished, scores fewer rows, or whose median or mean error of time or memory or
/// whose share of wrong outcomes is larger than recorded by more than `tolerance`.
[[nodiscard]] std::vector<std::string> worse_than_recorded(const AccuracyRecord& recorded, const AccuracyRecord& now,
                                                           double tolerance = kAccuracyTolerance);

}  // namespace shardsim::validate

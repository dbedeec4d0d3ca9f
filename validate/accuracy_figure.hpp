// Predicted against measured iteration time, as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace shardsim::validate {

struct FigurePoint {
  double measured = 0.0;
  double predicted = 0.0;
};

struct FigureSource {
  std::string name;
  std::vector<FigurePoint> points;
};

/// Logarithmic axes in seconds, one colour and legend entry a source, the diagonal and lines at ±20 %. Sources with
/// many points are drawn first, so that they cover no others.
[[nodiscard]] std::string accuracy_figure(std::vector<FigureSource> sources);

}  // namespace shardsim::validate

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

struct FigureText {
  std::string title = "Predicted against measured: quality-A runs";
  /// Lines on both sides of the diagonal: 0.2 for ±20 %.
  double band = 0.2;
};

/// Logarithmic axes in seconds, one colour and legend entry a source, the diagonal and lines beside it. Sources with
/// many points are drawn first, so that they cover no others.
[[nodiscard]] std::string accuracy_figure(std::vector<FigureSource> sources, const FigureText& text = {});

}  // namespace shardsim::validate

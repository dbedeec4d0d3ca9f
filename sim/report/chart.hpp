// Lines over an axis, with plain characters or as SVG.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace shardsim::report {

struct Series {
  std::string name;
  /// One for each place on the x axis; nothing where there is no value.
  std::vector<std::optional<double>> values;
};

struct Chart {
  std::string x_name;
  /// Evenly spaced, in this order.
  std::vector<std::string> x_labels;
  /// With its unit, like "iteration, s".
  std::string y_name;
  std::vector<Series> series;
};

/// At most `columns` wide and `rows` high without axes and legend; series are told apart by their marks. From 0 up.
/// Says so where there is nothing to draw.
void write_text_chart(std::ostream& out, const Chart& chart, std::size_t columns = 60, std::size_t rows = 12);

/// 800 x 480.
void write_svg_chart(std::ostream& out, const Chart& chart);

}  // namespace shardsim::report

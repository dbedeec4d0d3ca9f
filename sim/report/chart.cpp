#include "sim/report/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string_view>

#include "sim/report/format.hpp"

namespace shardsim::report {
namespace {

constexpr std::string_view kMarks = "*o+x#@%&";
constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#000000", "#999999"};

double largest_value(const Chart& chart) {
  double largest = 0.0;
  for (const Series& series : chart.series) {
    for (const auto& value : series.values) largest = std::max(largest, value.value_or(0.0));
  }
  return largest;
}

/// The next of 1, 2, 2.5, 5, 10 … from `value` on.
double rounded_up(double value) {
  const double magnitude = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 2.5, 5.0}) {
    if (step * magnitude >= value * (1.0 - 1e-12)) return step * magnitude;
  }
  return 10.0 * magnitude;
}

std::string axis_number(double value) {
  if (value == 0.0) return "0";
  const double magnitude = std::abs(value);
  if (magnitude >= 1e5) return grouped(std::llround(value));
  std::string text = fixed(value, magnitude >= 100.0 ? 0 : magnitude >= 1.0 ? 2 : 4);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Place of the i-th of n along `length`: both ends are used.
std::size_t place(std::size_t i, std::size_t n, std::size_t length) {
  return n < 2 ? length / 2 : i * (length - 1) / (n - 1);
}

/// Labels below their places, as many as do not touch.
std::string label_line(const std::vector<std::string>& labels, std::size_t columns) {
  std::string line(columns, ' ');
  std::size_t free = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string label = one_line(labels[i], 20);
    const std::size_t middle = place(i, labels.size(), columns);
    const std::size_t at = middle > label.size() / 2 ? middle - label.size() / 2 : 0;
    if (at < free) continue;
    if (line.size() < at + label.size()) line.resize(at + label.size(), ' ');
    line.replace(at, label.size(), label);
    free = at + label.size() + 1;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

/// A text element at x, y.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         escaped(text) + "</text>\n";
}

}  // namespace

void write_text_chart(std::ostream& out, const Chart& chart, std::size_t columns, std::size_t rows) {
  const double largest = largest_value(chart);
  if (!(largest > 0.0)) {
    out << "no value to draw of " << chart.y_name << '\n';
    return;
  }
  const double top = rounded_up(largest);
  std::vector<std::string> lines(rows, std::string(columns, ' '));
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const auto& values = chart.series[s].values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      const auto height = static_cast<std::size_t>(std::lround(*values[i] / top * static_cast<double>(rows - 1)));
      lines[rows - 1 - std::min(height, rows - 1)][place(i, values.size(), columns)] = kMarks[s % kMarks.size()];
    }
  }
  out << chart.y_name << '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    const bool labelled = row == 0 || row == rows - 1 || row == (rows - 1) / 2;
    const double value = top * static_cast<double>(rows - 1 - row) / static_cast<double>(rows - 1);
    std::string line = right(labelled ? axis_number(value) : "", 11) + (labelled ? " +" : " |") + lines[row];
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
  out << std::string(12, ' ') << '+' << std::string(columns, '-') << '\n';
  out << std::string(13, ' ') << label_line(chart.x_labels, columns) << "\n" << std::string(13, ' ') << chart.x_name;
  if (chart.series.size() > 1) {
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      out << (s == 0 ? "; " : ", ") << kMarks[s % kMarks.size()] << ' ' << chart.series[s].name;
    }
  }
  out << '\n';
}

void write_svg_chart(std::ostream& out, const Chart& chart) {
  constexpr double kLeft = 90.0;
  constexpr double kTop = 40.0;
  constexpr double kWidth = 560.0;
  constexpr double kHeight = 360.0;
  const double largest = largest_value(chart);
  const double top = largest > 0.0 ? rounded_up(largest) : 1.0;
  const auto x = [&](std::size_t i) {
    const std::size_t n = chart.x_labels.size();
    return kLeft + kWidth * (n < 2 ? 0.5 : static_cast<double>(i) / static_cast<double>(n - 1));
  };
  const auto y = [&](double value) { return kTop + kHeight * (1.0 - value / top); };
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"480\" viewBox=\"0 0 800 480\" "
         "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"800\" height=\"480\" fill=\"white\"/>\n";
  for (int tick = 0; tick <= 4; ++tick) {
    const double value = top * tick / 4.0;
    out << "<line x1=\"" << kLeft << "\" x2=\"" << kLeft + kWidth << "\" y1=\"" << fixed(y(value), 1) << "\" y2=\""
        << fixed(y(value), 1) << "\" stroke=\"#dddddd\"/>\n"
        << svg_text(kLeft - 8.0, y(value) + 4.0, "end", axis_number(value));
  }
  const std::size_t every = chart.x_labels.size() / 12 + 1;
  for (std::size_t i = 0; i < chart.x_labels.size(); i += every) {
    out << svg_text(x(i), kTop + kHeight + 18.0, "middle", one_line(chart.x_labels[i], 20));
  }
  out << svg_text(kLeft + kWidth / 2.0, kTop + kHeight + 42.0, "middle", chart.x_name)
      << svg_text(kLeft, kTop - 14.0, "start", chart.y_name);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const std::string_view colour = kColours[s % kColours.size()];
    std::string points;
    for (std::size_t i = 0; i < chart.series[s].values.size(); ++i) {
      if (const auto& value = chart.series[s].values[i]) {
        points += fixed(x(i), 1) + "," + fixed(y(*value), 1) + " ";
        out << "<circle cx=\"" << fixed(x(i), 1) << "\" cy=\"" << fixed(y(*value), 1) << "\" r=\"4\" fill=\"" << colour
            << "\"/>\n";
      }
    }
    out << "<polyline points=\"" << points << "\" fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"2\"/>\n";
    if (chart.series.size() > 1) {
      const double at = kTop + 18.0 * static_cast<double>(s + 1);
      out << "<rect x=\"665\" y=\"" << fixed(at - 9.0, 1) << "\" width=\"10\" height=\"10\" fill=\"" << colour
          << "\"/>\n"
          << svg_text(680.0, at, "start", one_line(chart.series[s].name, 18));
    }
  }
  out << "</svg>\n";
}

}  // namespace shardsim::report

#include "validate/accuracy_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "validate/report.hpp"

namespace shardsim::validate {
namespace {

constexpr double kLeft = 70.0;
constexpr double kTop = 40.0;
constexpr double kSide = 620.0;
constexpr double kLegendWidth = 420.0;
constexpr double kLegendLine = 21.0;

/// Told apart by people with the common colour-vision deficiencies as far as so many can be.
constexpr std::array<const char*, 18> kColours{"#1f77b4", "#e6550d", "#2ca02c", "#d62728", "#9467bd", "#8c564b",
                                               "#e377c2", "#525252", "#bcbd22", "#17becf", "#0b3c7d", "#b8860b",
                                               "#006d2c", "#800026", "#6a51a3", "#ff9896", "#4d9078", "#a0a0a0"};

/// From 10^lowest to 10^highest on kSide pixels.
struct Axis {
  double lowest = 0.0;
  double highest = 1.0;
  [[nodiscard]] double place(double value) const { return kSide * (std::log10(value) - lowest) / (highest - lowest); }
  [[nodiscard]] bool holds(double value) const {
    return std::log10(value) > lowest - 1e-9 && std::log10(value) < highest + 1e-9;
  }
  [[nodiscard]] double x(double value) const { return kLeft + place(value); }
  [[nodiscard]] double y(double value) const { return kTop + kSide - place(value); }
};

/// The values' range, widened to half decades.
Axis axis_of(const std::vector<FigureSource>& sources) {
  double least = 1.0;
  double most = 1.0;
  for (const FigureSource& source : sources) {
    for (const FigurePoint& point : source.points) {
      least = std::min({least, point.measured, point.predicted});
      most = std::max({most, point.measured, point.predicted});
    }
  }
  return {std::floor(2.0 * std::log10(least) - 0.01) / 2.0, std::ceil(2.0 * std::log10(most) + 0.01) / 2.0};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// "10 ms", "1 s", "1000 s".
std::string seconds_text(int decade) {
  std::ostringstream text;
  if (decade < 0 && decade >= -3) {
    text << std::pow(10.0, decade + 3) << " ms";
  } else {
    text << std::pow(10.0, decade) << " s";
  }
  return text.str();
}

void write_grid_line(std::ostream& out, const Axis& axis, double value, const char* colour) {
  if (!axis.holds(value)) return;
  out << "<path d='M" << axis.x(value) << ',' << kTop << 'v' << kSide << 'M' << kLeft << ',' << axis.y(value) << 'h'
      << kSide << "' stroke='" << colour << "'/>\n";
}

void write_tick(std::ostream& out, const Axis& axis, int decade) {
  const double value = std::pow(10.0, decade);
  if (!axis.holds(value)) return;
  out << "<text x='" << axis.x(value) << "' y='" << kTop + kSide + 18 << "' text-anchor='middle'>"
      << seconds_text(decade) << "</text>\n<text x='" << kLeft - 8 << "' y='" << axis.y(value) + 4
      << "' text-anchor='end'>" << seconds_text(decade) << "</text>\n";
}

void write_axes(std::ostream& out, const Axis& axis) {
  const int first = static_cast<int>(std::floor(axis.lowest));
  const int last = static_cast<int>(std::ceil(axis.highest));
  for (int decade = first; decade <= last; ++decade) {
    for (int digit = 2; digit <= 9; ++digit) write_grid_line(out, axis, digit * std::pow(10.0, decade), "#efefef");
    write_grid_line(out, axis, std::pow(10.0, decade), "#c8c8c8");
    write_tick(out, axis, decade);
  }
  out << "<rect x='" << kLeft << "' y='" << kTop << "' width='" << kSide << "' height='" << kSide
      << "' fill='none' stroke='#888'/>\n<text x='" << kLeft + kSide / 2 << "' y='" << kTop + kSide + 42
      << "' text-anchor='middle'>measured iteration time</text>\n"
      << "<text transform='translate(16," << kTop + kSide / 2
      << ") rotate(-90)' text-anchor='middle'>predicted iteration time</text>\n";
}

/// predicted = factor · measured, across the picture.
void write_ratio_line(std::ostream& out, const Axis& axis, double factor, const char* style) {
  const double least = std::pow(10.0, axis.lowest);
  const double most = std::pow(10.0, axis.highest);
  const double from = std::max(least, least / factor);
  const double to = std::min(most, most / factor);
  out << "<path d='M" << axis.x(from) << ',' << axis.y(factor * from) << 'L' << axis.x(to) << ',' << axis.y(factor * to)
      << "' stroke='#000' " << style << "/>\n";
}

/// Each point is a line of no length with round ends.
void write_points(std::ostream& out, const Axis& axis, const FigureSource& source, const char* colour) {
  out << "<path stroke='" << colour << "' stroke-width='6' stroke-linecap='round' stroke-opacity='0.6' d='";
  for (const FigurePoint& point : source.points) {
    out << 'M' << axis.x(point.measured) << ',' << axis.y(point.predicted) << "h0";
  }
  out << "'/>\n";
}

void write_legend_entry(std::ostream& out, double y, const FigureSource& source, const char* colour) {
  const double x = kLeft + kSide + 24;
  out << "<circle cx='" << x << "' cy='" << y - 4 << "' r='5' fill='" << colour << "'/><text x='" << x + 14 << "' y='"
      << y << "'>" << escaped(shortened(source.name, 46)) << " (" << source.points.size() << ")</text>\n";
}

}  // namespace

std::string accuracy_figure(std::vector<FigureSource> sources, const FigureText& text) {
  std::stable_sort(sources.begin(), sources.end(),
                   [](const FigureSource& a, const FigureSource& b) { return a.points.size() > b.points.size(); });
  const Axis axis = axis_of(sources);
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 "
      << kLeft + kSide + kLegendWidth << ' ' << kTop + kSide + 60 << "' font-family='sans-serif' font-size='13'>\n"
      << "<rect width='100%' height='100%' fill='#fff'/>\n<text x='" << kLeft << "' y='24' font-size='16'>"
      << escaped(text.title) << ", lines at 0 and ±" << std::lround(100.0 * text.band) << " %</text>\n";
  write_axes(out, axis);
  write_ratio_line(out, axis, 1.0, "stroke-width='1.2'");
  write_ratio_line(out, axis, 1.0 + text.band, "stroke-dasharray='5 4'");
  write_ratio_line(out, axis, 1.0 - text.band, "stroke-dasharray='5 4'");
  double y = kTop + 14;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const char* colour = kColours.at(i % kColours.size());
    write_points(out, axis, sources[i], colour);
    write_legend_entry(out, y, sources[i], colour);
    y += kLegendLine;
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace shardsim::validate

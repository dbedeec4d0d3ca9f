#include "calibrate/measure/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <vector>

#include "calibrate/fit/fit_gemm.hpp"
#include "sim/cost/collective.hpp"
#include "sim/cost/measured_kernel.hpp"

namespace shardsim::calibrate {
namespace {

constexpr double kSide = 360.0;
constexpr double kLeft = 70.0;
constexpr double kTop = 40.0;
constexpr double kPanel = kSide + 110.0;
constexpr std::array kColours = {"#1f77b4", "#e6550d", "#2ca02c", "#d62728", "#9467bd",
                                 "#8c564b", "#e377c2", "#525252", "#bcbd22", "#17becf"};

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// Dots as measured, a line as fitted.
struct Curve {
  std::string name;
  std::vector<Point> measured;
  std::vector<Point> fitted;
};

/// Both axes logarithmic.
struct Panel {
  std::string title;
  std::string x;
  std::string y;
  std::vector<Curve> curves;
};

struct Axis {
  double lowest = 0.0;
  double highest = 1.0;
  [[nodiscard]] double place(double value) const { return kSide * (std::log10(value) - lowest) / (highest - lowest); }
};

Axis axis_over(const Panel& panel, double Point::*coordinate) {
  Axis axis{1e9, -1e9};
  for (const Curve& curve : panel.curves) {
    for (const auto* points : {&curve.measured, &curve.fitted}) {
      for (const Point& point : *points) {
        axis.lowest = std::min(axis.lowest, std::floor(std::log10(point.*coordinate)));
        axis.highest = std::max(axis.highest, std::ceil(std::log10(point.*coordinate)));
      }
    }
  }
  return axis.lowest < axis.highest ? axis : Axis{};
}

std::string power_text(int power) { return "1e" + std::to_string(power); }

void draw(std::ostream& out, const Panel& panel, double left) {
  const Axis x = axis_over(panel, &Point::x);
  const Axis y = axis_over(panel, &Point::y);
  const auto at_x = [&](double value) { return left + x.place(value); };
  const auto at_y = [&](double value) { return kTop + kSide - y.place(value); };
  out << "<text x=\"" << left << "\" y=\"20\" font-weight=\"bold\">" << panel.title << "</text>\n<rect x=\"" << left
      << "\" y=\"" << kTop << "\" width=\"" << kSide << "\" height=\"" << kSide
      << "\" fill=\"none\" stroke=\"#888\"/>\n<text x=\"" << left + kSide / 2 << "\" y=\"" << kTop + kSide + 36
      << "\" text-anchor=\"middle\">" << panel.x << "</text>\n<text x=\"" << left << "\" y=\"" << kTop - 6 << "\">"
      << panel.y << "</text>\n";
  for (int power = static_cast<int>(x.lowest); power <= static_cast<int>(x.highest); ++power) {
    out << "<text x=\"" << at_x(std::pow(10.0, power)) << "\" y=\"" << kTop + kSide + 16 << "\" text-anchor=\"middle\">"
        << power_text(power) << "</text>\n";
  }
  for (int power = static_cast<int>(y.lowest); power <= static_cast<int>(y.highest); ++power) {
    out << "<text x=\"" << left - 6 << "\" y=\"" << at_y(std::pow(10.0, power)) + 4 << "\" text-anchor=\"end\">"
        << power_text(power) << "</text>\n";
  }
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    const char* colour = kColours[i % kColours.size()];
    for (const Point& point : curve.measured) {
      out << "<circle cx=\"" << at_x(point.x) << "\" cy=\"" << at_y(point.y) << "\" r=\"2.5\" fill=\"" << colour
          << "\"/>\n";
    }
    out << "<polyline fill=\"none\" stroke=\"" << colour << "\" points=\"";
    for (const Point& point : curve.fitted) out << at_x(point.x) << ',' << at_y(point.y) << ' ';
    out << "\"/>\n<text x=\"" << left + 8 + 175.0 * static_cast<double>(i / 13) << "\" y=\""
        << kTop + kSide + 58 + 15.0 * static_cast<double>(i % 13) << "\" fill=\"" << colour << "\">" << curve.name
        << "</text>\n";
  }
}

/// Sizes in even steps of their logarithm.
std::vector<double> steps(double from, double to) {
  constexpr int kSteps = 24;
  std::vector<double> values;
  for (int i = 0; i <= kSteps; ++i) values.push_back(from * std::pow(to / from, double(i) / kSteps));
  return values;
}

constexpr double kGiga = 1e9;

/// The curve is that of cubes.
Panel product_panel(const LocalSamples& samples, const hardware::Device& device) {
  Panel panel{"Matrix products", "FLOP", "GFLOP/s (line: cubes)", {}};
  for (const auto& [layout, pass] : {std::pair{"TN", model::Pass::forward},
                                     {"NN", model::Pass::input_gradient},
                                     {"NT", model::Pass::weight_gradient}}) {
    Curve curve{layout, {}, {}};
    for (const LocalSample& sample : samples.samples) {
      if (sample.subject.family != Family::product || sample.subject.name != layout) continue;
      const double flops = sample.subject.flops.value();
      curve.measured.push_back({flops, flops / sample.timing.median.value() / kGiga});
    }
    for (const double side : steps(80.0, 3000.0)) {
      GemmSample cube;
      cube.m = cube.n = cube.k = std::lround(side);
      const double flops = 2.0 * std::pow(static_cast<double>(cube.m), 3);
      curve.fitted.push_back({flops, flops / predicted(device, model::DType::fp32, pass, cube).value() / kGiga});
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

Panel kernel_panel(const LocalSamples& samples, const hardware::Device& device) {
  Panel panel{"Memory-bound kernels", "bytes", "GB/s", {}};
  for (std::size_t i = 0; i < hardware::kKernels; ++i) {
    const auto kernel = static_cast<hardware::Kernel>(i);
    Curve curve{std::string(hardware::name_of(kernel)), {}, {}};
    for (const LocalSample& sample : samples.samples) {
      if (sample.subject.family != Family::kernel || sample.subject.name != curve.name) continue;
      const double bytes = sample.subject.bytes.as_double();
      curve.measured.push_back({bytes, bytes / sample.timing.median.value() / kGiga});
    }
    for (const double bytes : steps(1e5, 1e8)) {
      const double rate = cost::measured_bandwidth(device.measured_kernels, kernel, rounded_bytes(bytes)).value();
      if (rate > 0.0) curve.fitted.push_back({bytes, rate / kGiga});
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

Panel collective_panel(const LocalSamples& samples, const hardware::Cluster& cluster) {
  Panel panel{"Collectives", "bytes", "seconds", {}};
  for (const LocalSample& sample : samples.samples) {
    const Subject& subject = sample.subject;
    if (subject.family != Family::collective) continue;
    const std::string name = to_string(subject);
    auto curve = std::find_if(panel.curves.begin(), panel.curves.end(), [&](const Curve& c) { return c.name == name; });
    if (curve == panel.curves.end()) {
      std::vector<hardware::CollectivePoint> points;
      for (const hardware::CollectivePoint& point : cluster.collective_points) {
        const bool same = hardware::kCollectiveNames[static_cast<std::size_t>(point.kind)] == subject.name;
        if (same && point.ranks == subject.ranks && point.nodes == subject.nodes) points.push_back(point);
      }
      panel.curves.push_back({name, {}, {}});
      curve = panel.curves.end() - 1;
      for (const double bytes : points.empty() ? std::vector<double>{} : steps(64.0, 1e8)) {
        curve->fitted.push_back({bytes, cost::interpolated_time(points, rounded_bytes(bytes)).value()});
      }
    }
    curve->measured.push_back({subject.bytes.as_double(), sample.timing.median.value()});
  }
  return panel;
}

}  // namespace

std::string figure(const LocalSamples& samples, const LocalProfile& profile) {
  std::vector<Panel> panels{product_panel(samples, profile.cluster.device),
                            kernel_panel(samples, profile.cluster.device)};
  if (!profile.cluster.collective_points.empty()) panels.push_back(collective_panel(samples, profile.cluster));
  std::ostringstream out;
  out << std::fixed << std::setprecision(1);
  const double width = kLeft + kPanel * static_cast<double>(panels.size());
  const double height = kTop + kSide + 270.0;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (std::size_t i = 0; i < panels.size(); ++i) draw(out, panels[i], kLeft + kPanel * static_cast<double>(i));
  out << "</svg>\n";
  return out.str();
}

}  // namespace shardsim::calibrate

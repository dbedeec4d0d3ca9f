#include "sim/report/timeline_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>

namespace shardsim::report {
namespace {

using model::Lane;
using model::Picoseconds;
using model::Span;

// Pixels.
constexpr double kWidth = 1600.0;
constexpr double kLeft = 250.0;
constexpr double kRight = 20.0;
constexpr double kTop = 34.0;
constexpr double kAxis = 30.0;
constexpr double kRankGap = 5.0;
constexpr double kDigit = 6.5;
/// Boxes nearer than this are drawn as one.
constexpr double kTouching = 0.1;

/// Even and odd micro batches.
struct Shades {
  std::string_view even;
  std::string_view odd;
};
/// By model::Pass.
constexpr std::array<Shades, kPassNames.size()> kShades = {{{"#3f8fd9", "#8cc0ee"},
                                                            {"#8e63b8", "#bfa3da"},
                                                            {"#3f9e5f", "#8bcb9f"},
                                                            {"#2f9c9c", "#84c9c9"},
                                                            {"#d98c2b", "#f0bd7d"},
                                                            {"#7d7d7d", "#a8a8a8"}}};

constexpr double height_of(Lane lane) { return lane == Lane::compute ? 18.0 : 8.0; }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string pixels(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

struct Box {
  double left = 0.0;
  double right = 0.0;
  std::string_view colour;
  std::int32_t micro_batch = -1;
};

class Picture {
 public:
  Picture(std::ostream& out, const model::Timeline& timeline, const std::vector<NamedRank>& ranks)
      : out_(out), ranks_(ranks), rows_(timeline, ranks), end_(std::max<Picoseconds>(1, timeline.end)) {
    for (const Span& span : timeline.spans) {
      if (rows_.find(span.rank) >= 0) end_ = std::max(end_, span.end);
    }
  }

  void write() {
    double height = kTop + kAxis;
    for (std::size_t place = 0; place < ranks_.size(); ++place) {
      height += kRankGap;
      for (const Lane lane : lanes(place)) height += height_of(lane);
    }
    out_ << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << kWidth << R"(" height=")" << pixels(height)
         << R"(" font-family="sans-serif" font-size="11">)" << '\n'
         << R"(<rect width="100%" height="100%" fill="white"/>)" << '\n';
    legend();
    double top = kTop;
    for (std::size_t place = 0; place < ranks_.size(); ++place) top = band(place, top) + kRankGap;
    axis(top);
    out_ << "</svg>\n";
  }

 private:
  [[nodiscard]] double x(Picoseconds time) const {
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(time) / static_cast<double>(end_);
  }

  [[nodiscard]] std::vector<Lane> lanes(std::size_t place) const {
    std::vector<Lane> used;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (!rows_.row(static_cast<std::ptrdiff_t>(place), static_cast<Lane>(lane)).empty()) {
        used.push_back(static_cast<Lane>(lane));
      }
    }
    return used;
  }

  void text(double left, double baseline, std::string_view attributes, std::string_view words) {
    out_ << R"(<text x=")" << pixels(left) << R"(" y=")" << pixels(baseline) << R"(" )" << attributes << '>'
         << escaped(words) << "</text>\n";
  }

  void rectangle(double left, double top, double width, double height, std::string_view colour) {
    out_ << R"(<rect x=")" << pixels(left) << R"(" y=")" << pixels(top) << R"(" width=")" << pixels(width)
         << R"(" height=")" << pixels(height) << R"(" fill=")" << colour << "\"/>\n";
  }

  void legend() {
    double left = kLeft;
    for (std::size_t pass = 0; pass < kPassNames.size(); ++pass) {
      rectangle(left, 8.0, 12.0, 12.0, kShades[pass].even);
      text(left + 16.0, 18.0, "", kPassNames[pass]);
      left += 120.0;
    }
  }

  /// Returns its lower edge.
  double band(std::size_t place, double top) {
    text(4.0, top + 13.0, "", ranks_[place].name);
    for (const Lane lane : lanes(place)) {
      const double height = height_of(lane);
      if (lane != Lane::compute) {
        text(kLeft - 4.0, top + 7.0, R"(text-anchor="end" font-size="7" fill="#777")", name_of(lane));
      }
      rectangle(kLeft, top, kWidth - kLeft - kRight, height - 1.0, "#f2f2f2");
      row(rows_.row(static_cast<std::ptrdiff_t>(place), lane), top, height - 1.0);
      top += height;
    }
    return top;
  }

  void row(const TimelineRows::Spans& spans, double top, double height) {
    Box open;
    for (const Span* span : spans) {
      const Shades& shades = kShades[static_cast<std::size_t>(span->pass)];
      const Box next{x(span->start), x(span->end), span->micro_batch % 2 == 0 ? shades.even : shades.odd,
                     span->micro_batch};
      const bool same = next.colour == open.colour && next.micro_batch == open.micro_batch;
      if (same && next.left - open.right < kTouching) {
        open.right = std::max(open.right, next.right);
        continue;
      }
      box(open, top, height);
      open = next;
    }
    box(open, top, height);
  }

  void box(const Box& drawn, double top, double height) {
    if (drawn.colour.empty()) return;
    const double width = drawn.right - drawn.left;
    rectangle(drawn.left, top, std::max(width, kTouching), height, drawn.colour);
    const std::string number = std::to_string(drawn.micro_batch);
    if (drawn.micro_batch < 0 || height < 12.0 || width < kDigit * static_cast<double>(number.size()) + 2.0) return;
    text(drawn.left + width / 2.0, top + 12.0, R"(text-anchor="middle" font-size="10")", number);
  }

  /// Ticks at 1, 2 or 5 times a power of ten, in milliseconds.
  void axis(double top) {
    constexpr double kPicosecondsPerMillisecond = 1e9;
    const double whole = static_cast<double>(end_) / kPicosecondsPerMillisecond;
    const double power = std::pow(10.0, std::floor(std::log10(whole / 5.0)));
    const double rough = whole / 10.0 / power;
    const double step = power * (rough <= 1.0 ? 1.0 : rough <= 2.0 ? 2.0 : 5.0);
    for (int i = 0; i * step <= whole; ++i) {
      const double tick = i * step;
      const double left = x(std::llround(tick * kPicosecondsPerMillisecond));
      rectangle(left, kTop, 0.5, top - kTop, "#bbbbbb");
      std::array<char, 32> label{};
      std::snprintf(label.data(), label.size(), "%.6g ms", tick);
      text(left, top + 14.0, R"(text-anchor="middle")", label.data());
    }
  }

  std::ostream& out_;
  const std::vector<NamedRank>& ranks_;
  TimelineRows rows_;
  Picoseconds end_;
};

}  // namespace

void write_timeline_svg(std::ostream& out, const model::Timeline& timeline, const std::vector<NamedRank>& ranks) {
  Picture(out, timeline, ranks).write();
}

}  // namespace shardsim::report

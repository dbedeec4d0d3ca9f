#include <gtest/gtest.h>

#include "validate/accuracy_figure.hpp"

namespace shardsim::validate {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

TEST(AccuracyFigure, HoldsEveryPointAndALegendEntryASource) {
  const std::string svg = accuracy_figure({{"one & only", {{1.0, 1.0}}}, {"b", {{2.0, 3.0}, {20.0, 30.0}}}});
  EXPECT_EQ(count(svg, "h0"), 3u);
  EXPECT_EQ(count(svg, "<circle"), 2u);
  EXPECT_NE(svg.find("one &amp; only (1)"), std::string::npos);
  EXPECT_NE(svg.find("b (2)"), std::string::npos);
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
}

/// The axes reach from 10^-0.5 to 10^2 on 620 pixels: 1 s lies at 70 + 620/5 = 194 from the left and, seen from the
/// top at 40, at 660 - 124 = 536.
TEST(AccuracyFigure, PlacesPointsOnLogarithmicAxes) {
  const std::string svg = accuracy_figure({{"a", {{1.0, 1.0}, {90.0, 90.0}}}});
  EXPECT_NE(svg.find("M194.0,536.0h0"), std::string::npos) << svg;
}

TEST(AccuracyFigure, OfNothingIsStillAPicture) { EXPECT_NE(accuracy_figure({}).find("</svg>"), std::string::npos); }

}  // namespace
}  // namespace shardsim::validate

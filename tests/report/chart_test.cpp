#include "sim/report/chart.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace shardsim::report {
namespace {

std::string text_of(const Chart& chart, std::size_t columns, std::size_t rows) {
  std::ostringstream out;
  write_text_chart(out, chart, columns, rows);
  return out.str();
}

TEST(TextChart, PutsEveryValueAtItsHeight) {
  // Top 4: three rows are 4, 2 and 0; five columns hold three places at 0, 2 and 4.
  const Chart chart{"gpus", {"1", "2", "4"}, "time, s", {{"", {4.0, 2.0, 0.1}}}};
  EXPECT_EQ(text_of(chart, 5, 3),
            "time, s\n"
            "          4 +*\n"
            "          2 +  *\n"
            "          0 +    *\n"
            "            +-----\n"
            "             1 2 4\n"
            "             gpus\n");
}

TEST(TextChart, LeavesGapsAndNamesItsSeries) {
  const Chart chart{"x", {"a", "b"}, "y", {{"one", {1.0, {}}}, {"two", {{}, 1.0}}}};
  EXPECT_EQ(text_of(chart, 3, 2),
            "y\n"
            "          1 +* o\n"
            "          0 +\n"
            "            +---\n"
            "             a b\n"
            "             x; * one, o two\n");
}

TEST(TextChart, SaysWhereThereIsNothingToDraw) {
  EXPECT_EQ(text_of({"x", {"a"}, "time, s", {{"", {std::nullopt}}}}, 5, 3), "no value to draw of time, s\n");
}

TEST(SvgChart, DrawsAPointAValueAndEscapesNames) {
  std::ostringstream out;
  write_svg_chart(out, {"a < b", {"1", "2", "3"}, "y & z", {{"", {1.0, {}, 2.0}}}});
  const std::string svg = out.str();
  std::size_t circles = 0;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, 2U);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("y &amp; z"), std::string::npos);
  // The value 2 is the top of the axis, 40 from the top of the picture.
  EXPECT_NE(svg.find("cy=\"40.0\""), std::string::npos);
}

}  // namespace
}  // namespace shardsim::report

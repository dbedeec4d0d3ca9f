#include "sim/report/timeline_svg.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/report/example_timeline.hpp"

namespace shardsim::report {
namespace {

using model::Lane;
using model::Pass;
using model::Timeline;

std::string picture(const Timeline& timeline, const std::vector<NamedRank>& ranks) {
  std::ostringstream out;
  write_timeline_svg(out, timeline, ranks);
  return out.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++found;
  return found;
}

// 24 us over 1330 pixels from 250 on: the second stage's forward is at 12/24 and 10/24 wide.
TEST(TimelineSvg, SpansAreBoxesToScale) {
  const std::string svg = picture(tests::example_timeline(), tests::example_ranks());
  EXPECT_EQ(svg.rfind("<svg", 0), 0U);
  EXPECT_NE(svg.find("</svg>\n"), std::string::npos);
  EXPECT_NE(svg.find(R"(x="915.00" y="65.00" width="554.17" height="17.00" fill="#3f8fd9")"), std::string::npos) << svg;
  EXPECT_EQ(count(svg, "rank 0 (stage 0)"), 1U);
  EXPECT_EQ(count(svg, "pipeline parallel"), 2U);
  EXPECT_EQ(count(svg, "0.02 ms"), 1U);
}

// 1000 operators of two micro batches, end to end: two boxes beside the legend's, the background and the row.
TEST(TimelineSvg, OperatorsOfOneMicroBatchAreOneBox) {
  Timeline timeline;
  for (std::int64_t i = 0; i < 1000; ++i) {
    timeline.spans.push_back(
        {"linear", 0, Lane::compute, Pass::forward, i * 10, i * 10 + 10, static_cast<std::int32_t>(i / 500)});
  }
  const std::string svg = picture(timeline, {{0, "a < b & c"}});
  EXPECT_EQ(count(svg, R"(height="17.00" fill="#3f8fd9")"), 1U);
  EXPECT_EQ(count(svg, R"(height="17.00" fill="#8cc0ee")"), 1U);
  EXPECT_EQ(count(svg, ">a &lt; b &amp; c<"), 1U);
}

TEST(TimelineSvg, NothingRan) { EXPECT_NE(picture({}, {}).find("</svg>"), std::string::npos); }

}  // namespace
}  // namespace shardsim::report

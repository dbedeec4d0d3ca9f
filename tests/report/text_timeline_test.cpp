#include "sim/report/text_timeline.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "sim/report/format.hpp"

namespace shardsim::report {
namespace {

using model::Pass;
using model::Picoseconds;
using model::Span;
using model::Timeline;

constexpr Picoseconds kMillisecond = 1'000'000'000;

Span span(std::int64_t rank, std::int32_t micro_batch, Pass pass, std::int64_t start, std::int64_t end,
          std::int32_t chunk = 0) {
  Span span;
  span.rank = rank;
  span.pass = pass;
  span.start = start * kMillisecond;
  span.end = end * kMillisecond;
  span.micro_batch = micro_batch;
  span.chunk = chunk;
  return span;
}

/// 1F1B, two stages, two micro batches, forward 10 ms, backward 20 ms; ends at 90 ms.
Timeline one_f_one_b() {
  Timeline timeline;
  timeline.spans = {span(0, 0, Pass::forward, 0, 10),   span(0, 1, Pass::forward, 10, 20),
                    span(0, 0, Pass::backward, 40, 60), span(0, 1, Pass::backward, 70, 90),
                    span(1, 0, Pass::forward, 10, 20),  span(1, 0, Pass::backward, 20, 40),
                    span(1, 1, Pass::forward, 40, 50),  span(1, 1, Pass::backward, 50, 70)};
  timeline.end = 90 * kMillisecond;
  return timeline;
}

std::string drawn(const Timeline& timeline, const TextTimelineStyle& style) {
  std::ostringstream out;
  write_text_timeline(out, timeline, style);
  return out.str();
}

// 8 characters "rank 0  |" before and 15 "|  idle 100.0 %" after leave 45 columns of 69: 2 ms each. Busy 60 of 90 ms.
TEST(TextTimeline, OneRowARank) {
  EXPECT_EQ(drawn(one_f_one_b(), {69, Colour::none}),
            "-- forward  == backward  .. idle\n"
            "         |0 s                     |50.00 ms\n"
            "rank 0  |0----1----..........0=========.....1=========|  idle 33.3 %\n"
            "rank 1  |.....0----0=========1----1=========..........|  idle 33.3 %\n");
}

// Input and weight gradients apart, a step without a micro batch, a number that fits nowhere (12 in 1 column).
TEST(TextTimeline, KindsOfPassesAreTold) {
  Timeline timeline;
  timeline.spans = {span(3, 12, Pass::forward, 0, 2), span(3, 12, Pass::input_gradient, 2, 22),
                    span(3, 12, Pass::weight_gradient, 22, 42), span(3, -1, Pass::step, 80, 90)};
  timeline.end = 90 * kMillisecond;
  const std::string text = drawn(timeline, {69, Colour::none});
  EXPECT_NE(text.find("-- forward  << input gradient  ~~ weight gradient  ## step  .. idle\n"), std::string::npos);
  EXPECT_NE(text.find("rank 3  |-12<<<<<<<<12~~~~~~~~...................#####|  idle 42.2 %\n"), std::string::npos)
      << text;
}

// Operators of one pass are one slot, gaps between them included; gradients that alternate layer by layer are one
// backward pass.
TEST(TextTimeline, OperatorsOfAPassAreOneSlot) {
  Timeline timeline;
  timeline.spans = {span(0, 0, Pass::forward, 0, 10),         span(0, 0, Pass::forward, 12, 20),
                    span(0, 0, Pass::input_gradient, 20, 30), span(0, 0, Pass::weight_gradient, 30, 40),
                    span(0, 0, Pass::input_gradient, 40, 50), span(0, 0, Pass::weight_gradient, 50, 60),
                    span(0, 1, Pass::recompute, 60, 70),      span(0, 1, Pass::backward, 70, 90)};
  Span other_lane = span(0, 5, Pass::forward, 0, 90);
  other_lane.lane = model::Lane::tensor;
  timeline.spans.push_back(other_lane);
  timeline.end = 90 * kMillisecond;
  EXPECT_NE(
      drawn(timeline, {69, Colour::none}).find("rank 0  |0---------0===================1==============|  idle 0.0 %\n"),
      std::string::npos);
}

TEST(TextTimeline, ChunksAreLetters) {
  Timeline timeline;
  timeline.spans = {span(0, 0, Pass::forward, 0, 45), span(0, 0, Pass::forward, 45, 90, 1)};
  timeline.end = 90 * kMillisecond;
  EXPECT_NE(drawn(timeline, {69, Colour::none}).find("|0a--------------------0b---------------------|"),
            std::string::npos)
      << drawn(timeline, {69, Colour::none});
  // 4 ms are 2 columns: the number, but not its letter.
  timeline.spans.push_back(span(1, 3, Pass::backward, 0, 4, 1));
  EXPECT_NE(drawn(timeline, {69, Colour::none}).find("|3=..."), std::string::npos);
}

TEST(TextTimeline, ColoursOnlyWhenAsked) {
  EXPECT_EQ(drawn(one_f_one_b(), {69, Colour::none}).find('\x1b'), std::string::npos);
  const std::string coloured = drawn(one_f_one_b(), {69, Colour::ansi});
  EXPECT_NE(coloured.find("\x1b[30;46m0----\x1b[0m\x1b[30;46m1----\x1b[0m.........."), std::string::npos);
}

// Lines keep to the width whatever it is, and ranks that are not drawn are counted.
TEST(TextTimeline, KeepsToTheTerminal) {
  for (const std::size_t columns : {50U, 80U, 133U, 200U}) {
    std::istringstream lines{drawn(one_f_one_b(), {columns, Colour::none})};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(characters(line), columns) << line;
  }
  Timeline many;
  for (std::int64_t rank = 0; rank < 1'100; ++rank) many.spans.push_back(span(rank, 0, Pass::forward, 0, 1));
  many.end = kMillisecond;
  EXPECT_NE(drawn(many, {80, Colour::none, 3}).find("\n... and 1,097 more ranks\n"), std::string::npos);
  EXPECT_EQ(drawn({}, {80, Colour::none}), "No rank computes.\n");
}

}  // namespace
}  // namespace shardsim::report

#include "sim/report/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/report/example_timeline.hpp"
#include "tests/report/trace_check.hpp"

namespace shardsim::report {
namespace {

using Json = nlohmann::json;
using model::Lane;
using model::Pass;
using model::Timeline;
using tests::example_ranks;
using tests::example_timeline;
using tests::trace_problems;

std::string trace(const Timeline& timeline, const std::vector<NamedRank>& ranks) {
  std::ostringstream out;
  write_trace(out, timeline, ranks);
  return out.str();
}

/// Events of one phase.
std::vector<Json> events(const std::string& text, const std::string& phase) {
  std::vector<Json> found;
  const Json json = Json::parse(text);
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

TEST(Trace, ExampleMeetsTheFormat) {
  EXPECT_EQ(trace_problems(trace(example_timeline(), example_ranks())), std::vector<std::string>{});
}

TEST(Trace, RanksAndLanesAreNamed) {
  const std::vector<Json> names = events(trace(example_timeline(), example_ranks()), "M");
  ASSERT_EQ(names.size(), 2U * (1 + 2) * 2U);  // two ranks: themselves and two lanes each; name and sort index
  EXPECT_EQ(names[0]["pid"], 1);
  EXPECT_EQ(names[0]["args"]["name"], "rank 0 (stage 0)");
  EXPECT_EQ(names[2]["tid"], 2);
  EXPECT_EQ(names[2]["args"]["name"], "compute");
  EXPECT_EQ(names[4]["args"]["name"], "pipeline parallel");
}

TEST(Trace, SpansKeepTheirPicosecondsAndTellWhatTheyAre) {
  const Timeline timeline{
      {{"linear_qkv", 3, Lane::compute, Pass::backward, 1'234'567'890'123, 1'234'567'890'124, 5, 1, Bytes{4096}},
       {"optimizer", 3, Lane::compute, Pass::step, 2'000'000'000'000, 2'000'001'000'001}},
      {},
      {},
      0};
  const std::string text = trace(timeline, {{3, "rank 3"}});
  EXPECT_NE(text.find(R"("ts":1234567.890123,"dur":0.000001,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("dur":1.000001,)"), std::string::npos) << text;
  const std::vector<Json> spans = events(text, "X");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0]["name"], "linear_qkv");
  EXPECT_EQ(spans[0]["pid"], 4);
  EXPECT_EQ(spans[0]["cat"], "compute");
  EXPECT_EQ(spans[0]["args"], Json({{"pass", "backward"}, {"micro batch", 5}, {"chunk", 1}, {"bytes", 4096}}));
  EXPECT_EQ(spans[1]["args"], Json({{"pass", "step"}}));
}

TEST(Trace, NamesAreEscaped) {
  const std::string text = trace(example_timeline(), {{0, "a \"rank\" of C:\\\n"}, {1, "1"}});
  EXPECT_EQ(trace_problems(text), std::vector<std::string>{});
  EXPECT_EQ(events(text, "M")[0]["args"]["name"], "a \"rank\" of C:\\ ");
}

// 1.5 and 2.25 MiB; where nobody knows what is reserved, it is left out.
TEST(Trace, MemoryIsACounter) {
  const std::vector<Json> counters = events(trace(example_timeline(), example_ranks()), "C");
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters[0]["args"], Json({{"allocated", 1.5}, {"reserved", 2.25}}));
  EXPECT_EQ(counters[1]["args"], Json({{"allocated", 0.5}}));
}

// Sent at the start of the sender's span, received at the end of the receiver's: 2 ns before it.
TEST(Trace, MessagesAreArrowsBetweenSpans) {
  const std::string text = trace(example_timeline(), example_ranks());
  const std::vector<Json> starts = events(text, "s");
  const std::vector<Json> ends = events(text, "f");
  ASSERT_EQ(starts.size(), 1U);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(starts[0]["id"], ends[0]["id"]);
  EXPECT_EQ(starts[0]["pid"], 1);
  EXPECT_EQ(starts[0]["tid"], 5);
  EXPECT_DOUBLE_EQ(starts[0]["ts"], 10.0);
  EXPECT_EQ(ends[0]["pid"], 2);
  EXPECT_DOUBLE_EQ(ends[0]["ts"], 11.998);
}

// Nothing on the pipeline lanes: from the compute before to the compute after.
TEST(Trace, MessagesWithoutSpansOfTheirOwnLinkCompute) {
  const Timeline timeline{{{"forward", 0, Lane::compute, Pass::forward, 0, 10'000'000, 0},
                           {"forward", 1, Lane::compute, Pass::forward, 13'000'000, 20'000'000, 0}},
                          {{0, 1, 10'000'000, 12'000'000}, {1, 0, 20'000'000, 22'000'000}},
                          {},
                          0};
  const std::string text = trace(timeline, example_ranks());
  EXPECT_EQ(trace_problems(text), std::vector<std::string>{});
  ASSERT_EQ(events(text, "s").size(), 1U);  // after the second message rank 0 computes no more
  EXPECT_DOUBLE_EQ(events(text, "s")[0]["ts"], 9.998);
  EXPECT_DOUBLE_EQ(events(text, "f")[0]["ts"], 13.0);
}

TEST(Trace, OnlyTheNamedRanks) {
  const std::string text = trace(example_timeline(), {{1, "rank 1"}});
  EXPECT_EQ(trace_problems(text), std::vector<std::string>{});
  const Json json = Json::parse(text);
  for (const Json& event : json["traceEvents"]) EXPECT_EQ(event["pid"], 2);
  EXPECT_TRUE(events(text, "s").empty());
  EXPECT_EQ(Json::parse(trace(example_timeline(), {}))["traceEvents"], Json::array());
}

// Lengths from one picosecond to milliseconds, messages at any time: always a valid trace.
TEST(Trace, RandomTimelinesMeetTheFormat) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::int64_t end) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    Timeline timeline;
    std::vector<NamedRank> ranks;
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      ranks.push_back({rank, "rank " + std::to_string(rank)});
      for (const Lane lane : {Lane::compute, Lane::pipeline, Lane::data}) {
        model::Picoseconds time = 0;
        for (std::int64_t i = 0; i < 10; ++i) {
          const auto length = [&] { return below(std::int64_t{1} << below(31)); };
          const model::Picoseconds start = time + below(2) * length();
          time = start + length();
          timeline.spans.push_back({"span", rank, lane, static_cast<Pass>(below(6)), start, time, 3, 0, Bytes{1}});
        }
      }
      timeline.memory.push_back({rank, below(1'000'000'000), Bytes{below(1 << 30)}, Bytes{0}});
      for (int i = 0; i < 5; ++i) {
        const model::Picoseconds sent = below(2'000'000'000);
        timeline.messages.push_back({rank, (rank + 1) % 4, sent, sent + below(1'000'000'000)});
      }
    }
    ASSERT_EQ(trace_problems(trace(timeline, ranks)), std::vector<std::string>{}) << "seed " << seed;
  }
}

TEST(TraceCheck, FindsWhatIsWrong) {
  const std::string good = trace(example_timeline(), example_ranks());
  const auto changed = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return trace_problems(text.replace(place, from.size(), to));
  };
  EXPECT_NE(changed(R"("ph":"X")", R"("ph":"Y")"), std::vector<std::string>{});
  EXPECT_NE(changed(R"("dur":10.0)", R"("duration":10.0)"), std::vector<std::string>{});
  EXPECT_NE(changed(R"("ts":12.000000,"dur":10.0)", R"("ts":12.000000,"dur":11.5)"),
            std::vector<std::string>{});                                                    // into the next span
  EXPECT_NE(changed(R"("ts":12.000000)", R"("ts":1.000000)"), std::vector<std::string>{});  // back in time
  EXPECT_NE(changed(R"("id":1)", R"("id":2)"), std::vector<std::string>{});
  EXPECT_NE(changed(R"(11.998)", R"(12.000)"), std::vector<std::string>{});  // behind its span
  EXPECT_NE(changed(R"("name":"thread_name")", R"("name":"thread_sort_index")"), std::vector<std::string>{});
  EXPECT_NE(changed(R"("pid":1)", R"("pid":0)"), std::vector<std::string>{});
  EXPECT_NE(changed("]}", "]"), std::vector<std::string>{});
}

}  // namespace
}  // namespace shardsim::report

#include "sim/schedule/order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sim/base/check.hpp"
#include "sim/base/units.hpp"
#include "tests/schedule/play.hpp"

namespace shardsim::schedule {
namespace {

using model::Parallelism;
using model::Schedule;

Parallelism pipeline(Schedule schedule, std::int64_t stages, std::int64_t chunks = 1, std::int64_t group = 0) {
  Parallelism parallelism;
  parallelism.schedule = schedule;
  parallelism.pipeline_model_parallel_size = stages;
  parallelism.virtual_pipeline_model_parallel_size = chunks;
  parallelism.microbatch_group_size_per_virtual_pipeline_stage = group;
  return parallelism;
}

/// Equal stages, T_F = T_B = T_W = 1 for each chunk.
std::vector<StageTime> equal_times(std::int64_t stages, std::int64_t chunks = 1) {
  const auto v = static_cast<double>(chunks);
  return std::vector<StageTime>(static_cast<std::size_t>(stages), StageTime{Seconds{v}, Seconds{2 * v}, Seconds{v}});
}

Played play_equal(const Parallelism& parallelism, std::int64_t micro_batches) {
  const std::int64_t chunks = parallelism.virtual_pipeline_model_parallel_size;
  const std::vector<StageTime> times = equal_times(parallelism.pipeline_model_parallel_size, chunks);
  return play(orders(parallelism, micro_batches, times), chunks, micro_batches, times);
}

/// "F0 F1 B0": the letter of the pass, the micro batch, and the chunk as a lower-case letter where there are several.
std::string text(const Order& order, bool chunks = false) {
  std::string line;
  for (const Action& action : order) {
    constexpr std::string_view kLetters = "FBIW";
    if (!line.empty()) line += ' ';
    line += kLetters[static_cast<std::size_t>(action.work)] + std::to_string(action.micro_batch);
    if (chunks) line += static_cast<char>('a' + action.chunk);
  }
  return line;
}

TEST(Order, FixedSchedulesByHand) {
  EXPECT_EQ(text(order(pipeline(Schedule::gpipe, 2), 3, 1, {})), "F0 F1 F2 B2 B1 B0");
  EXPECT_EQ(text(order(pipeline(Schedule::breadth_first, 2, 2), 2, 1, {}), true), "F0a F1a F0b F1b B1b B0b B1a B0a");
  EXPECT_EQ(text(order(pipeline(Schedule::one_f_one_b, 3), 4, 0, {})), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(text(order(pipeline(Schedule::one_f_one_b, 3), 4, 2, {})), "F0 B0 F1 B1 F2 B2 F3 B3");
  EXPECT_EQ(text(order(pipeline(Schedule::one_f_one_b, 3), 1, 0, {})), "F0 B0");
  // Stage 1 of 3: one forward ahead, weight gradients one micro batch late.
  EXPECT_EQ(text(order(pipeline(Schedule::zero_bubble_h1, 3), 3, 1, {})), "F0 F1 I0 F2 I1 W0 I2 W1 W2");
}

// Narayanan et al. (2021), figure 4: 4 stages, 2 chunks, 8 micro batches. The last stage runs (v − 1)·g = 4 forwards
// ahead, the one before it two more.
TEST(Order, InterleavedAsInThePaper) {
  const Parallelism parallelism = pipeline(Schedule::interleaved_one_f_one_b, 4, 2);
  EXPECT_EQ(text(order(parallelism, 8, 3, {}), true),
            "F0a F1a F2a F3a F0b B0b F1b B1b F2b B2b F3b B3b F4a B0a F5a B1a F6a B2a F7a B3a "
            "F4b B4b F5b B5b F6b B6b F7b B7b B4a B5a B6a B7a");
  EXPECT_EQ(text(order(parallelism, 8, 2, {}), true).substr(0, 31), "F0a F1a F2a F3a F0b F1b F2b B0b");
}

// Groups of 3, 5 micro batches: the last group holds the 2 that remain.
TEST(Order, InterleavedRemainderGroup) {
  const Parallelism parallelism = pipeline(Schedule::interleaved_one_f_one_b, 2, 2, 3);
  EXPECT_EQ(text(order(parallelism, 5, 1, {}), true),
            "F0a F1a F2a F0b B0b F1b B1b F2b B2b F3a B0a F4a B1a F3b B2a F4b B3b B4b B3a B4a");
}

TEST(Order, StageOutsideThePipelineIsABug) {
  EXPECT_THROW((void)order(pipeline(Schedule::one_f_one_b, 4), 8, 4, {}), Bug);
  EXPECT_THROW((void)order(pipeline(Schedule::zero_bubble_2p, 4), 8, 0, {}), Bug);  // nothing to plan with
}

TEST(Order, EqualStagesTakeTheClosedForms) {
  for (const std::int64_t p : {1, 2, 3, 4, 7, 8, 16}) {
    for (const std::int64_t m : {2 * p, 3 * p, 64 * p}) {
      const double ideal = 3.0 * static_cast<double>(m);
      const auto fill = static_cast<double>(p - 1);
      for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b}) {
        // (p − 1)/m over ideal; idle over makespan (p − 1)/(m + p − 1).
        const double makespan = play_equal(pipeline(schedule, p), m).makespan();
        EXPECT_NEAR(makespan / ideal - 1.0, fill / static_cast<double>(m), 1e-12);
        EXPECT_DOUBLE_EQ((makespan - ideal) / makespan, fill / static_cast<double>(m + p - 1));
      }
      for (const Schedule schedule : {Schedule::zero_bubble_h1, Schedule::zero_bubble_1p}) {
        const Played played = play_equal(pipeline(schedule, p), m);
        EXPECT_DOUBLE_EQ(played.longest_stage(), ideal + fill)
            << static_cast<int>(schedule) << " p " << p << " m " << m;
        EXPECT_DOUBLE_EQ(played.makespan(), ideal + fill) << "p " << p << " m " << m;
      }
      // The last stage starts p − 1 forwards late and ends as late: no stage waits.
      const Played played = play_equal(pipeline(Schedule::zero_bubble_2p, p), m);
      EXPECT_DOUBLE_EQ(played.longest_stage(), ideal) << "p " << p << " m " << m;
    }
  }
}

struct Case {
  Parallelism parallelism;
  std::int64_t micro_batches = 0;
};

/// Any schedule that the rules of the input admit.
Case random_case(std::mt19937& random) {
  const auto up_to = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto schedule = static_cast<Schedule>(up_to(0, static_cast<int>(Schedule::breadth_first)));
  const std::int64_t p = up_to(1, 9);
  if (schedule == Schedule::breadth_first) return {pipeline(schedule, p, up_to(1, 5)), up_to(p, 40)};
  if (schedule != Schedule::interleaved_one_f_one_b) return {pipeline(schedule, p), up_to(1, 40)};
  const std::int64_t stages = std::max<std::int64_t>(p, 2);
  const std::int64_t group = up_to(stages, stages + 4);
  std::int64_t m = up_to(stages, 40);
  if (m % group != 0 && m % group < stages) m += group - m % group;
  return {pipeline(schedule, stages, up_to(2, 5), group), m};
}

std::vector<StageTime> random_times(std::mt19937& random, std::int64_t stages) {
  std::vector<StageTime> times;
  for (std::int64_t i = 0; i < stages; ++i) {
    const auto part = [&] { return Seconds{1.0 + static_cast<double>(random() % 64) / 32.0}; };
    const Seconds weight_gradient = part();
    times.push_back({part(), part() + weight_gradient, weight_gradient});
  }
  return times;
}

std::vector<Bytes> random_bytes(std::mt19937& random, std::int64_t chunks) {
  std::vector<Bytes> bytes(static_cast<std::size_t>(chunks));
  for (Bytes& one : bytes) one = Bytes{static_cast<std::int64_t>(1 + random() % 100)};
  return bytes;
}

Bytes most_held_by(const Order& order, const std::vector<Bytes>& chunk_bytes) {
  Bytes now{0};
  Bytes most{0};
  for (const Action& action : order) {
    const Bytes bytes = chunk_bytes[static_cast<std::size_t>(action.chunk)];
    if (action.work == Work::forward) most = std::max(most, now += bytes);
    if (action.work == Work::backward || action.work == Work::weight_gradient) now -= bytes;
  }
  return most;
}

void expect_every_pass_once(const Order& order, std::int64_t chunks, std::int64_t micro_batches, bool split) {
  std::vector<int> done(static_cast<std::size_t>(chunks * micro_batches), 0);
  for (const Action& action : order) {
    const auto at = static_cast<std::size_t>(action.chunk * micro_batches + action.micro_batch);
    const int before = done.at(at)++;
    const Work due = before == 0   ? Work::forward
                     : !split      ? Work::backward
                     : before == 1 ? Work::input_gradient
                                   : Work::weight_gradient;
    ASSERT_EQ(action.work, due) << text(order, true);
  }
  for (const int passes : done) ASSERT_EQ(passes, split ? 3 : 2);
}

TEST(Order, AnyPipelineRunsEveryPassOnceWithoutDeadlock) {
  std::mt19937 random{20221};
  for (int i = 0; i < 2000; ++i) {
    const auto [parallelism, m] = random_case(random);
    const std::int64_t p = parallelism.pipeline_model_parallel_size;
    const std::int64_t v = parallelism.virtual_pipeline_model_parallel_size;
    const std::vector<StageTime> times = random_times(random, p);
    const bool planned =
        parallelism.schedule == Schedule::zero_bubble_1p || parallelism.schedule == Schedule::zero_bubble_2p;
    const bool split = planned || parallelism.schedule == Schedule::zero_bubble_h1;
    const std::vector<Order> all = orders(parallelism, m, times);
    SCOPED_TRACE(::testing::Message() << "schedule " << static_cast<int>(parallelism.schedule) << " p " << p << " v "
                                      << v << " m " << m << " g " << group_size(parallelism, m));
    ASSERT_EQ(all.size(), static_cast<std::size_t>(p));
    for (std::int64_t stage = 0; stage < p; ++stage) {
      const Order& of_stage = all[static_cast<std::size_t>(stage)];
      ASSERT_EQ(of_stage, order(parallelism, m, stage, times));
      ASSERT_NO_FATAL_FAILURE(expect_every_pass_once(of_stage, v, m, split));
      const std::int64_t held = chunks_in_flight(parallelism, m, stage);
      if (planned) {
        ASSERT_LE(most_in_flight(of_stage), held);
      } else {
        ASSERT_EQ(most_in_flight(of_stage), held) << "stage " << stage;
      }
    }
    for (std::int64_t stage = 0; !planned && stage < p; ++stage) {
      const std::vector<Bytes> bytes = random_bytes(random, v);
      ASSERT_EQ(most_held(parallelism, m, stage, bytes), most_held_by(all[static_cast<std::size_t>(stage)], bytes));
    }
    const Played played = play(all, v, m, times);
    ASSERT_FALSE(played.deadlock);
  }
}

// (p − 1)/(v·m) over ideal, idle over makespan (p − 1)/(v·m + p − 1), whatever the groups.
TEST(Order, BubbleIsDividedByTheChunks) {
  std::mt19937 random{20211};
  for (int i = 0; i < 500; ++i) {
    const auto [parallelism, m] = random_case(random);
    const bool looped = parallelism.schedule == Schedule::breadth_first;
    if (!looped && parallelism.schedule != Schedule::interleaved_one_f_one_b) continue;
    const std::int64_t p = parallelism.pipeline_model_parallel_size;
    const std::int64_t v = parallelism.virtual_pipeline_model_parallel_size;
    // In chunks: 3 units for each of v·m passes.
    const double makespan = play_equal(parallelism, m).makespan();
    const double ideal = 3.0 * static_cast<double>(v * m);
    EXPECT_DOUBLE_EQ(makespan, ideal + 3.0 * static_cast<double>(p - 1))
        << "p " << p << " v " << v << " m " << m << " g " << group_size(parallelism, m);
    EXPECT_DOUBLE_EQ((makespan - ideal) / makespan, static_cast<double>(p - 1) / static_cast<double>(v * m + p - 1));
  }
}

// Qi et al. (2023), table 4: more memory never makes the planned schedule slower, and it is never slower than H1 or
// 1F1B.
TEST(Order, PlannedZeroBubbleIsNoSlowerThanWhatItReplaces) {
  std::mt19937 random{2023};
  for (int i = 0; i < 300; ++i) {
    const std::int64_t p = 2 + static_cast<std::int64_t>(random() % 11);
    const std::int64_t m = p * (2 + static_cast<std::int64_t>(random() % 4));
    const std::vector<StageTime> times(static_cast<std::size_t>(p), random_times(random, 1).front());
    const auto longest = [&](Schedule schedule) {
      return play(orders(pipeline(schedule, p), m, times), 1, m, times).longest_stage();
    };
    const double rounding = 1e-9;
    const double two = longest(Schedule::zero_bubble_2p);
    const double one = longest(Schedule::zero_bubble_1p);
    const double h1 = longest(Schedule::zero_bubble_h1);
    EXPECT_LE(two, one + rounding) << "case " << i;
    EXPECT_LE(one, h1 + rounding) << "case " << i;
    EXPECT_LT(h1, longest(Schedule::one_f_one_b)) << "case " << i;
  }
}

}  // namespace
}  // namespace shardsim::schedule

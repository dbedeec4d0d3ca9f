#include "kernels/checkpoint/state_slice.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/checkpoint/numbered_model.hpp"

namespace shardsim::kernels {
namespace {

// A part of 3 × 4 at row 10, column 20 of the whole; elements 2 … 8 of it.
StateSlice example() {
  StateSlice slice;
  slice.rows = 100;
  slice.columns = 100;
  slice.first_row = 10;
  slice.first_column = 20;
  slice.part_rows = 3;
  slice.part_columns = 4;
  slice.begin = 2;
  slice.data = {nullptr, DType::fp32, 1, 7, 7};
  return slice;
}

TEST(StateSlice, IsRunsOfRows) {
  const std::vector<RowRun> runs = rows_of(example());
  ASSERT_EQ(runs.size(), 3U);
  const auto expect = [](const RowRun& run, std::int64_t row, std::int64_t column, std::int64_t count,
                         std::int64_t position) {
    EXPECT_EQ(run.row, row);
    EXPECT_EQ(run.column, column);
    EXPECT_EQ(run.count, count);
    EXPECT_EQ(run.position, position);
  };
  expect(runs[0], 10, 22, 2, 0);
  expect(runs[1], 11, 20, 4, 2);
  expect(runs[2], 12, 20, 1, 6);
}

TEST(StateSlice, MeetsRunsWhereBothHaveElements) {
  // Row 12 has only column 20; row 10 only 22 and 23; row 11 all of 20 … 23.
  EXPECT_EQ(meeting({12, 0, 100, 0}, example()).count, 1);
  EXPECT_EQ(meeting({12, 0, 100, 0}, example()).position, 6);
  EXPECT_EQ(meeting({10, 0, 100, 0}, example()).column, 22);
  EXPECT_EQ(meeting({10, 23, 100, 0}, example()).position, 1);
  EXPECT_EQ(meeting({11, 21, 2, 0}, example()).count, 2);
  EXPECT_EQ(meeting({11, 21, 2, 0}, example()).position, 3);
  EXPECT_EQ(meeting({10, 20, 2, 0}, example()).count, 0);
  EXPECT_EQ(meeting({9, 20, 2, 0}, example()).count, 0);
  EXPECT_EQ(meeting({13, 20, 2, 0}, example()).count, 0);
  EXPECT_EQ(meeting({11, 24, 2, 0}, example()).count, 0);
}

// A range of the flat buffer that starts and ends inside parameters; gaps between them belong to none.
TEST(StateSlice, CutsFlatRangesAtParameters) {
  test::RankParameters rank{test::small_scenario(model::Family::gpt, 2), 0, 1, 3};
  const auto& parameters = rank.parameters();
  const std::int64_t first = parameters[0].value.elements() - 5;
  const std::int64_t count = 5 + 3 + parameters[1].value.elements() + 3 + 2;
  const Matrix range{rank.flat().as<float>() + first, DType::fp32, 1, count, count};
  const std::vector<StateSlice> slices = state_slices("weight", rank.buffers(), first, range);
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].begin, parameters[0].value.elements() - 5);
  EXPECT_EQ(slices[0].data.elements(), 5);
  EXPECT_EQ(slices[1].parameter, parameters[1].name);
  EXPECT_EQ(slices[1].begin, 0);
  EXPECT_EQ(slices[1].data.data, parameters[1].value.data);
  EXPECT_EQ(slices[2].data.elements(), 2);
  EXPECT_EQ(slices[2].data.data, parameters[2].value.data);
}

}  // namespace
}  // namespace shardsim::kernels

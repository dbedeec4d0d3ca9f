// The groups that real ranks form, for every layout of the ranks at hand.
#include <gtest/gtest.h>

#include "kernels/communicator/groups.hpp"
#include "tests/kernels/communicator/layouts.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::kernels {
namespace {

using model::Group;

void expect_group(const model::Parallelism& layout, Group kind, Communicator* group, int world_rank, int world_size) {
  int members = 0;
  int before = 0;
  int sum_of_ranks = 0;
  const int color = group_color(layout, kind, world_rank);
  for (int other = 0; other < world_size; ++other) {
    if (color < 0 || group_color(layout, kind, other) != color) continue;
    ++members;
    sum_of_ranks += other;
    if (other < world_rank) ++before;
  }
  ASSERT_EQ(group == nullptr, color < 0);
  if (group == nullptr) return;
  EXPECT_EQ(group->size(), members);
  EXPECT_EQ(group->rank(), before);
  EXPECT_EQ(group->all_reduce_value(world_rank, Reduction::sum), sum_of_ranks);
}

TEST(Groups, HoldTheRanksOfTheGrid) {
  const int rank = test::session().rank();
  const int size = test::session().size();
  for (const model::Parallelism& layout : test::layouts(size)) {
    const Groups groups = make_groups(layout, test::session().world());
    expect_group(layout, Group::tensor, groups.tensor.get(), rank, size);
    expect_group(layout, Group::pipeline, groups.pipeline.get(), rank, size);
    expect_group(layout, Group::data, groups.data.get(), rank, size);
    expect_group(layout, Group::embedding, groups.embedding.get(), rank, size);
    expect_group(layout, Group::model, groups.model.get(), rank, size);
    EXPECT_EQ(groups.world->size(), size);
  }
}

}  // namespace
}  // namespace shardsim::kernels

// Every collective against the value that its definition gives, on as many ranks as the binary was started with.
#include "kernels/communicator/communicator.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/communicator/half_float.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::kernels {
namespace {

template <class T>
Matrix row(std::vector<T>& values, DType dtype = DType::fp32) {
  const auto n = static_cast<std::int64_t>(values.size());
  return {values.data(), dtype, 1, n, n};
}

Matrix part_of(const Matrix& whole, int index, std::int64_t count) {
  return {whole.as<float>() + index * count, whole.dtype, 1, count, count};
}

/// Plain, and checked before each collective.
class CommunicatorTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Communicator> world_ = GetParam() ? test::session().checked_world() : test::session().world();
  const int rank_ = world_->rank();
  const int size_ = world_->size();
  /// 1 + 2 + … + size.
  const float sum_ = static_cast<float>(size_ * (size_ + 1) / 2);
};

INSTANTIATE_TEST_SUITE_P(PlainAndChecked, CommunicatorTest, ::testing::Bool());

TEST_P(CommunicatorTest, KnowsItsPlace) {
  EXPECT_EQ(rank_, test::session().rank());
  EXPECT_EQ(size_, test::session().size());
}

TEST_P(CommunicatorTest, BroadcastsFromAnyRoot) {
  for (int root = 0; root < size_; ++root) {
    std::vector<float> values(5, static_cast<float>(rank_));
    world_->broadcast(row(values), root);
    EXPECT_EQ(values, std::vector<float>(5, static_cast<float>(root)));
  }
}

TEST_P(CommunicatorTest, ReducesToSumAndMaximum) {
  std::vector<float> values = {static_cast<float>(rank_ + 1), 2.0F};
  world_->all_reduce(row(values), Reduction::sum);
  EXPECT_EQ(values, (std::vector<float>{sum_, 2.0F * static_cast<float>(size_)}));
  values = {static_cast<float>(rank_), -static_cast<float>(rank_)};
  world_->start_all_reduce(row(values), Reduction::maximum)->wait();
  EXPECT_EQ(values, (std::vector<float>{static_cast<float>(size_ - 1), 0.0F}));
  EXPECT_EQ(world_->all_reduce_value(rank_ + 1, Reduction::sum), sum_);
  EXPECT_EQ(world_->all_reduce_value(rank_, Reduction::maximum), size_ - 1);
}

// Small integers are exact in both formats.
TEST_P(CommunicatorTest, ReducesSixteenBitFloats) {
  std::vector<std::uint16_t> brain = {BFloat16::bits(static_cast<float>(rank_ + 1)), BFloat16::bits(-0.5F)};
  world_->all_reduce(row(brain, DType::bf16), Reduction::sum);
  EXPECT_EQ(BFloat16::value(brain[0]), sum_);
  EXPECT_EQ(BFloat16::value(brain[1]), -0.5F * static_cast<float>(size_));
  std::vector<std::uint16_t> half = {Float16::bits(static_cast<float>(rank_ + 1)), Float16::bits(-1.0F)};
  world_->all_reduce(row(half, DType::fp16), Reduction::maximum);
  EXPECT_EQ(Float16::value(half[0]), static_cast<float>(size_));
  EXPECT_EQ(Float16::value(half[1]), -1.0F);
}

/// Element i of part p is 10·p + i.
std::vector<float> numbered(int parts, std::int64_t count) {
  std::vector<float> values;
  for (int p = 0; p < parts; ++p) {
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(10 * p + i));
  }
  return values;
}

TEST_P(CommunicatorTest, GathersInRankOrder) {
  const std::vector<float> expected = numbered(size_, 3);
  std::vector<float> part(expected.begin() + 3 * rank_, expected.begin() + 3 * rank_ + 3);
  std::vector<float> whole(expected.size(), -1.0F);
  world_->all_gather(row(part), row(whole));
  EXPECT_EQ(whole, expected);
  // In place, and started: every other part is still unknown.
  whole.assign(expected.size(), -1.0F);
  std::copy(part.begin(), part.end(), whole.begin() + 3 * rank_);
  world_->start_all_gather(part_of(row(whole), rank_, 3), row(whole))->wait();
  EXPECT_EQ(whole, expected);
}

TEST_P(CommunicatorTest, ScattersTheSum) {
  std::vector<float> whole = numbered(size_, 3);
  for (float& value : whole) value *= static_cast<float>(rank_ + 1);
  std::vector<float> part(3, -1.0F);
  std::vector<float> expected = {sum_ * static_cast<float>(10 * rank_), sum_ * static_cast<float>(10 * rank_ + 1),
                                 sum_ * static_cast<float>(10 * rank_ + 2)};
  world_->reduce_scatter(row(whole), row(part));
  EXPECT_EQ(part, expected);
  // Into the whole itself.
  std::vector<float> again = whole;
  const Matrix inside = part_of(row(again), rank_, 3);
  world_->reduce_scatter(row(again), inside);
  EXPECT_EQ(std::vector<float>(inside.as<float>(), inside.as<float>() + 3), expected);
  const Matrix started = part_of(row(whole), rank_, 3);
  world_->start_reduce_scatter(row(whole), started)->wait();
  EXPECT_EQ(std::vector<float>(started.as<float>(), started.as<float>() + 3), expected);
}

// 300,000 elements a rank are more than one piece, and no whole number of pieces: rank r's part holds r + 1 of every rank
// q times q + 1, in sum (r + 1) · size · (size + 1) / 2.
TEST_P(CommunicatorTest, ScattersTheSumOfManyPieces) {
  constexpr std::size_t kPart = 300'000;
  std::vector<float> whole;
  for (int part = 0; part < size_; ++part) {
    whole.insert(whole.end(), kPart, static_cast<float>((part + 1) * (rank_ + 1)));
  }
  std::vector<float> part(kPart);
  world_->reduce_scatter(row(whole), row(part));
  EXPECT_EQ(part, std::vector<float>(kPart, static_cast<float>((rank_ + 1) * size_ * (size_ + 1) / 2)));
}

TEST_P(CommunicatorTest, SendsRoundTheRing) {
  if (size_ == 1) return;
  std::vector<float> mine(4, static_cast<float>(rank_));
  std::vector<float> theirs(4, -1.0F);
  const int before = (rank_ + size_ - 1) % size_;
  const auto receive = world_->start_receive(row(theirs), before);
  const auto send = world_->start_send(row(mine), (rank_ + 1) % size_);
  receive->wait();
  send->wait();
  EXPECT_EQ(theirs, std::vector<float>(4, static_cast<float>(before)));
}

// Every rank sees the very same bits, whatever the order in which an algorithm adds.
TEST_P(CommunicatorTest, ReductionsAgreeToTheLastBit) {
  for (const std::size_t count : {std::size_t{7}, std::size_t{1000}, std::size_t{300'000}}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = 1.0F / static_cast<float>(i + 3 * static_cast<std::size_t>(rank_) + 1);
    world_->all_reduce(row(values), Reduction::sum);
    std::vector<float> of_first = values;
    world_->broadcast(row(of_first), 0);
    EXPECT_EQ(values, of_first);
  }
}

TEST_P(CommunicatorTest, SplitsByColorAndKey) {
  // Even and odd ranks, in reverse order.
  const auto half = world_->split(rank_ % 2, -rank_);
  const int members = rank_ % 2 == 0 ? (size_ + 1) / 2 : size_ / 2;
  EXPECT_EQ(half->size(), members);
  EXPECT_EQ(half->rank(), members - 1 - rank_ / 2);
  EXPECT_EQ(world_->split(rank_ == 0 ? 0 : -1, 0) != nullptr, rank_ == 0);
}

}  // namespace
}  // namespace shardsim::kernels

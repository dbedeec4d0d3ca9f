#include "kernels/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "kernels/tensor/host_memory.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

TEST(Tensor, IsTrackedUntilItsOwnerGoes) {
  Memory memory(std::make_unique<HostMemory>());
  {
    Tensor first(memory, Component::activations, DType::bf16, 3, 5);
    EXPECT_EQ(memory.now()[Component::activations], Bytes{30});
    Tensor second = std::move(first);
    EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): a moved-from tensor is empty
    EXPECT_EQ(memory.now()[Component::activations], Bytes{30});
    second = Tensor(memory, Component::logits, DType::fp32, 1, 2);
    EXPECT_EQ(memory.now()[Component::activations], Bytes{0});
    EXPECT_EQ(memory.now()[Component::logits], Bytes{8});
  }
  EXPECT_EQ(memory.now().total(), Bytes{0});
}

TEST(Array, IsTrackedToo) {
  Memory memory(std::make_unique<HostMemory>());
  {
    Array<std::int32_t> ids(memory, Component::temporaries, 7);
    Array<std::int32_t> others;
    others = std::move(ids);
    EXPECT_EQ(others.count(), 7);
    EXPECT_EQ(memory.now()[Component::temporaries], Bytes{28});
  }
  EXPECT_EQ(memory.now().total(), Bytes{0});
}

TEST(Matrix, RangesShareTheElements) {
  float data[24];
  for (int i = 0; i < 24; ++i) data[i] = static_cast<float>(i);
  const Matrix whole{data, DType::fp32, 4, 6, 6};
  const Matrix inner = whole.row_range(1, 2).column_range(2, 3);  // rows 1 and 2, columns 2 to 4
  EXPECT_EQ(inner.as<float>()[0], 8.0F);
  EXPECT_EQ(inner.as<float>()[inner.stride + 2], 16.0F);
  EXPECT_FALSE(inner.contiguous());
  EXPECT_EQ(inner.bytes(), Bytes{24});
  EXPECT_EQ(whole.reshaped(2, 12).as<float>()[12], 12.0F);
  EXPECT_EQ(whole.reshaped(2, 12).stride, 12);
  EXPECT_THROW(static_cast<void>(inner.reshaped(3, 2)), Bug);
  EXPECT_THROW(static_cast<void>(whole.row_range(3, 2)), Bug);
}

}  // namespace
}  // namespace shardsim::kernels

// Every layout has the losses of one rank.
#include <gtest/gtest.h>

#include "kernels/communicator/single_communicator.hpp"
#include "tests/kernels/trainer/layouts.hpp"
#include "tests/kernels/trainer/tiny_training.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::test {
namespace {

constexpr int kIterations = 20;
/// fp32: 2⁻²⁴ an operation, tens of them in a row, and sums in another order.
constexpr double kTolerance = 1e-5;

/// Every rank trains the whole model by itself, then its part of each layout of this many ranks.
void expect_losses_of_one_rank(const std::string& model) {
  TinyTraining alone{model, kernels::make_single_communicator()};
  const auto expected = alone.iterate(kIterations);
  for (const TrainingLayout& layout : training_layouts()) {
    if (layout.ranks != session().size()) continue;
    SCOPED_TRACE(layout.flags);
    TinyTraining training{model + layout.flags, session().world()};
    const auto results = training.iterate(kIterations);
    for (std::size_t i = 0; i < results.size(); ++i) {
      SCOPED_TRACE("iteration " + std::to_string(i + 1));
      EXPECT_NEAR(results[i].lm_loss, expected[i].lm_loss, kTolerance * expected[i].lm_loss);
      EXPECT_NEAR(results[i].sentence_order_loss, expected[i].sentence_order_loss,
                  kTolerance * expected[i].sentence_order_loss);
      EXPECT_NEAR(results[i].gradient_norm, expected[i].gradient_norm, 1e-4 * expected[i].gradient_norm);
      EXPECT_FALSE(results[i].skipped);
    }
  }
}

TEST(LayoutLosses, Gpt) { expect_losses_of_one_rank(tiny_gpt()); }
TEST(LayoutLosses, MegatronBert) { expect_losses_of_one_rank(tiny_bert("pre")); }
TEST(LayoutLosses, OriginalBert) { expect_losses_of_one_rank(tiny_bert("post")); }

}  // namespace
}  // namespace shardsim::test

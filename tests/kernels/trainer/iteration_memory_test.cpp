// What a rank has allocated at the peak of an iteration is what sim/memory predicts for its stage.
#include <gtest/gtest.h>

#include "tests/kernels/trainer/layouts.hpp"
#include "tests/kernels/trainer/tiny_training.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::test {
namespace {

using kernels::Component;

void expect_predicted_memory(const std::string& model) {
  for (const TrainingLayout& layout : training_layouts()) {
    if (layout.ranks != session().size()) continue;
    SCOPED_TRACE(layout.flags);
    TinyTraining training{model + layout.flags, session().world()};
    (void)training.iterate(2);
    const kernels::Usage& peak = training.trainer().memory().peak();
    const auto stage = static_cast<std::size_t>(training.groups().pipeline->rank());
    const memory::StageMemory& predicted = training.job().predicted.stages[stage];
    const double tolerance = 1e-3 * predicted.peak_allocated.as_double();
    const auto expect = [&](Bytes allocated, Bytes expected, const char* what) {
      EXPECT_NEAR(allocated.as_double(), expected.as_double(), tolerance)
          << what << " of rank " << session().rank() << " at \"" << predicted.peak_moment << '"';
    };
    expect(peak.total(), predicted.peak_allocated, "peak");
    expect(peak[Component::parameters], predicted.parameters, "parameters");
    expect(peak[Component::gradients], predicted.gradients, "gradients");
    expect(peak[Component::optimizer], predicted.optimizer, "optimizer");
    expect(peak[Component::activations], predicted.activations, "activations");
    expect(peak[Component::temporaries], predicted.temporaries, "temporaries");
    expect(peak[Component::logits], predicted.logits, "logits");
  }
}

TEST(IterationMemory, Gpt) { expect_predicted_memory(tiny_gpt()); }
TEST(IterationMemory, MegatronBert) { expect_predicted_memory(tiny_bert("pre")); }
TEST(IterationMemory, OriginalBert) { expect_predicted_memory(tiny_bert("post")); }

}  // namespace
}  // namespace shardsim::test

// What a chunk allocates is what sim/memory says, to the byte.
#include <gtest/gtest.h>

#include "sim/memory/block_memory.hpp"
#include "tests/kernels/model/tensor_parallel_layouts.hpp"

namespace shardsim::test {
namespace {

using kernels::Component;

/// Shapes whose peaks lie elsewhere: in the feed-forward, the scores, the logits, a group of recomputed layers.
std::vector<model::Scenario> shapes_of(const model::Scenario& scenario) {
  std::vector<model::Scenario> shapes(5, scenario);
  shapes[1].model.seq_length = shapes[1].model.max_position_embeddings = 64;
  shapes[2].model.vocab_size = 3000;
  shapes[3].model.num_layers = 3;
  shapes[3].training.recompute.num_layers = 2;
  shapes[4].model.ffn_hidden_size = 16;
  return shapes;
}

class ChunkMemory : public ::testing::TestWithParam<Variant> {
 protected:
  static void expect_predicted(const model::Scenario& scenario) {
    const model::Chunk chunk{scenario.model.num_layers, true, true};
    const memory::BlockMemory expected = memory::chunk_memory(scenario, chunk);
    TinyModel tiny{scenario, backend_for(scenario), tensor_group(scenario)};
    const MicroBatch batch = tiny.batch(0);
    const kernels::Usage before = tiny.memory().now();
    const auto grown = [&](const kernels::Usage& usage) { return usage.total() - before.total(); };

    tiny.memory().reset_peak();
    (void)tiny.chunk().forward(batch, {});
    EXPECT_EQ(grown(tiny.memory().peak()), expected.forward.total());
    EXPECT_EQ(tiny.memory().now()[Component::activations] - before[Component::activations], expected.saved.activations);
    EXPECT_EQ(tiny.memory().now()[Component::logits], expected.saved.logits);
    EXPECT_EQ(tiny.memory().now()[Component::temporaries], Bytes{0});

    tiny.memory().reset_peak();
    (void)tiny.chunk().backward(batch, {});
    EXPECT_EQ(grown(tiny.memory().peak()), expected.backward.total());
    EXPECT_EQ(tiny.memory().peak()[Component::temporaries], expected.backward.temporaries);
    EXPECT_EQ(tiny.memory().peak()[Component::logits], expected.backward.logits);
    EXPECT_EQ(grown(tiny.memory().now()), Bytes{0});
  }
};

TEST_P(ChunkMemory, IsThePredicted) {
  for (const model::Scenario& shape : shapes_of(GetParam().scenario)) {
    for (const model::Scenario& scenario : tensor_parallel_layouts(shape)) {
      SCOPED_TRACE(layout_name(scenario) + ", tokens " + std::to_string(scenario.model.seq_length) + ", vocabulary " +
                   std::to_string(scenario.model.vocab_size) + ", layers " + std::to_string(scenario.model.num_layers));
      expect_predicted(scenario);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, ChunkMemory, ::testing::ValuesIn(with_16_bits(variants())),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace shardsim::test

// What a chunk executes is what sim/model lists: kinds, names, passes, groups, formats, shapes, FLOPs, bytes and order.
#include <gtest/gtest.h>

#include <sstream>

#include "sim/model/enum_text.hpp"
#include "tests/kernels/model/tensor_parallel_layouts.hpp"

namespace shardsim::test {
namespace {

using model::Operator;

class Recording : public kernels::Recorder {
 public:
  void executed(const kernels::ExecutedOperator& executed) override { operators.push_back(executed.op); }
  std::vector<Operator> operators;
};

std::string describe(const Operator& op) {
  std::ostringstream text;
  text << op.name << " kind " << static_cast<int>(op.kind) << " pass " << static_cast<int>(op.pass) << " group "
       << static_cast<int>(op.group) << " dtype " << static_cast<int>(op.dtype) << " shape " << op.shape.m << "x"
       << op.shape.n << "x" << op.shape.k << "x" << op.shape.batch << " flops " << op.flops.value() << " bytes "
       << op.bytes.value();
  return text.str();
}

void append(std::vector<Operator>& list, const std::vector<Operator>& operators) {
  list.insert(list.end(), operators.begin(), operators.end());
}

/// One micro batch through a model of one stage.
std::vector<Operator> predicted(const model::Scenario& scenario) {
  const model::OperatorList list = list_operators(scenario);
  const model::Chunk chunk{scenario.model.num_layers, true, true};
  const std::int64_t recomputed = recomputed_layers(scenario, chunk);
  const auto layer = [&](std::int64_t i) -> const model::Block& {
    return i < recomputed ? list.recomputed_layer : list.layer;
  };
  std::vector<Operator> operators = list.embedding.forward;
  for (std::int64_t i = 0; i < chunk.layers; ++i) append(operators, layer(i).forward);
  append(operators, list.head.forward);
  append(operators, list.head.backward);
  for (std::int64_t i = chunk.layers; i-- > 0;) append(operators, layer(i).backward);
  append(operators, list.embedding.backward);
  return operators;
}

class OperatorList : public ::testing::TestWithParam<Variant> {};

TEST_P(OperatorList, IsWhatRuns) {
  for (const model::Scenario& scenario : tensor_parallel_layouts(GetParam().scenario)) {
    SCOPED_TRACE(layout_name(scenario));
    Recording recording;
    TinyModel tiny{scenario, backend_for(scenario), tensor_group(scenario), &recording};
    (void)tiny.step();
    const std::vector<Operator> expected = predicted(scenario);
    for (std::size_t i = 0; i < std::max(expected.size(), recording.operators.size()); ++i) {
      ASSERT_LT(i, recording.operators.size()) << "not run: " << describe(expected[i]);
      ASSERT_LT(i, expected.size()) << "not listed: " << describe(recording.operators[i]);
      ASSERT_EQ(describe(recording.operators[i]), describe(expected[i])) << "operator " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, OperatorList, ::testing::ValuesIn(with_16_bits(variants())),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace shardsim::test

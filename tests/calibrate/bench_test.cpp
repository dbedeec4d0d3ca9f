#include "calibrate/measure/bench.hpp"

#include <gtest/gtest.h>

#include <set>

#include "calibrate/measure/plan.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/reference/reference_backend.hpp"
#include "sim/cost/measured_kernel.hpp"
#include "sim/input/resolve.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Kernel;

std::string checked(const Case& one, kernels::Backend& backend) {
  Arena arena{backend};
  const Workload workload = one.make(arena);
  if (workload.restore) workload.restore();
  workload.run();
  return workload.check();
}

class WrongBackend final : public kernels::CpuBackend {
 public:
  void gemm(const kernels::Operand& a, const kernels::Operand& b, const kernels::Matrix& c, bool accumulate) override {
    CpuBackend::gemm(a, b, c, accumulate);
    scale(c, 1.0001);
  }
  void batched_gemm(const kernels::OperandBatch& a, const kernels::OperandBatch& b, const kernels::MatrixBatch& c,
                    double factor) override {
    CpuBackend::batched_gemm(a, b, c, 2.0 * factor);
  }
  void add(const kernels::Matrix& x, const kernels::Matrix& y) override {
    CpuBackend::add(x, y);
    scale(y, 1.01);
  }
};

TEST(Bench, ChecksPassOnTheTrainersKernels) {
  kernels::CpuBackend backend;
  for (const char* layout : {"TN", "NN", "NT"}) EXPECT_EQ(checked(product_case(layout, 33, 47, 65), backend), "");
  for (const Case& one : attention_cases(40, 3, 16)) EXPECT_EQ(checked(one, backend), "") << one.subject.name;
  for (std::size_t i = 0; i < hardware::kKernels; ++i) {
    EXPECT_EQ(checked(kernel_case(static_cast<Kernel>(i), 24, 24), backend), "") << hardware::kKernelNames[i];
  }
}

TEST(Bench, AWrongResultIsFound) {
  WrongBackend backend;
  for (const char* layout : {"TN", "NN", "NT"}) EXPECT_NE(checked(product_case(layout, 33, 47, 65), backend), "");
  for (const Case& one : attention_cases(40, 3, 16)) EXPECT_NE(checked(one, backend), "") << one.subject.name;
  EXPECT_NE(checked(kernel_case(Kernel::add, 24, 24), backend), "");
  EXPECT_EQ(checked(kernel_case(Kernel::gelu, 24, 24), backend), "");
}

// 2·2·3·4 FLOP; TN reads 2×4 and 4×3 and writes 2×3 elements of 4 bytes, NT reads the result too.
TEST(Bench, SubjectsCountWorkAndBytes) {
  const Subject forward = product_case("TN", 2, 3, 4).subject;
  EXPECT_EQ(forward.flops.value(), 48.0);
  EXPECT_EQ(forward.bytes.value(), 4 * (8 + 12 + 6));
  EXPECT_EQ(product_case("NT", 2, 3, 4).subject.bytes.value(), 4 * (8 + 12 + 2 * 6));
  EXPECT_EQ(kernel_case(Kernel::adam, 10, 20).subject.bytes.value(), 28 * 200);
}

/// Operators of both passes of everything that a model runs in one process.
std::vector<model::Operator> operators_of(const std::string& model, const std::string& dropout) {
  input::Settings settings;
  for (const auto& [key, value] : {std::pair<const char*, std::string>{"model.preset", model},
                                   {"stack.preset", "shardsim"},
                                   {"cluster.preset", "a100-dgx"},
                                   {"cluster.gpus", "1"},
                                   {"training.precision", "fp32"},
                                   {"training.micro_batch_size", "2"},
                                   {"training.global_batch_size", "2"},
                                   {"model.hidden_dropout", dropout},
                                   {"model.attention_dropout", dropout}}) {
    settings.set({key, value, {}, {}});
  }
  const model::Scenario scenario = input::resolve(settings);
  const model::OperatorList list = model::list_operators(scenario);
  std::vector<model::Operator> all;
  for (const model::Block* block : {&list.embedding, &list.layer, &list.head}) {
    all.insert(all.end(), block->forward.begin(), block->forward.end());
    all.insert(all.end(), block->backward.begin(), block->backward.end());
  }
  for (const model::Stage& stage : model::layout(scenario.model, scenario.parallelism, scenario.stack)) {
    const auto step = model::step_operators(scenario, stage);
    all.insert(all.end(), step.begin(), step.end());
  }
  return all;
}

// The profile's curves are over the bytes that the operator list counts.
TEST(Bench, KernelsMoveTheBytesOfTheOperatorList) {
  std::set<Kernel> seen;
  for (const auto& [model, dropout] :
       {std::pair{"gpt2-tiny", "0.1"}, {"gpt2-tiny", "0"}, {"bert-tiny", "0.1"}}) {
    for (const model::Operator& op : operators_of(model, dropout)) {
      const bool causal = std::string(model) == "gpt2-tiny";
      model::Model shape;
      shape.hidden_dropout = std::string(dropout) == "0" ? 0.0 : 0.1;
      shape.attention_mask = causal ? model::AttentionMask::causal : model::AttentionMask::bidirectional;
      const auto kernel = cost::kernel_of(op, shape);
      if (!kernel) continue;
      seen.insert(*kernel);
      EXPECT_EQ(op.bytes.value(), bytes_per_element(*kernel) * op.shape.m * op.shape.n) << op.name;
    }
  }
  EXPECT_EQ(seen.size(), hardware::kKernels) << "some kernel is no operator's";
}

TEST(Plan, AModelAddsItsShapes) {
  const Plan plain = make_plan(Thoroughness::quick, "");
  const Plan with = make_plan(Thoroughness::quick, "gpt2-tiny");
  EXPECT_GT(with.cases.size(), plain.cases.size());
  // linear_qkv of hidden size 128 over 128 tokens.
  const Subject wanted = product_case("TN", 128, 384, 128).subject;
  const auto has = [&](const Plan& plan) {
    return std::any_of(plan.cases.begin(), plan.cases.end(), [&](const Case& one) { return one.subject == wanted; });
  };
  EXPECT_FALSE(has(plain));
  EXPECT_TRUE(has(with));
  EXPECT_THROW((void)make_plan(Thoroughness::quick, "gpt2-tinny"), InputError);
}

}  // namespace
}  // namespace shardsim::calibrate

// What a rank executes in a whole iteration is what sim/model and sim/schedule list for its stage.
#include <gtest/gtest.h>

#include <sstream>

#include "kernels/trainer/operator_names.hpp"
#include "kernels/trainer/recording.hpp"
#include "sim/schedule/order.hpp"
#include "tests/kernels/trainer/layouts.hpp"
#include "tests/kernels/trainer/tiny_training.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::test {
namespace {

using model::Operator;
using model::Pass;

/// One operator and where in the iteration it belongs.
std::string describe(const Operator& op, std::int64_t micro_batch, std::int64_t chunk) {
  std::ostringstream text;
  text << op.name << ' ' << kernels::name_of(op.kind) << ' ' << kernels::name_of(op.pass) << " over "
       << kernels::name_of(op.group) << " dtype " << static_cast<int>(op.dtype) << " shape " << op.shape.m << 'x'
       << op.shape.n << 'x' << op.shape.k << 'x' << op.shape.batch << " flops " << op.flops.value() << " bytes "
       << op.bytes.value() << " micro batch " << micro_batch << " chunk " << chunk;
  return text.str();
}

class Listed {
 public:
  Listed(const kernels::Job& job, std::int64_t stage_index)
      : job_{job}, stage_{job.stages[static_cast<std::size_t>(stage_index)]} {
    const model::Parallelism& parallelism = job.scenario.parallelism;
    const std::int64_t stages = parallelism.pipeline_model_parallel_size;
    const std::int64_t last = stages * static_cast<std::int64_t>(stage_.chunks.size()) - 1;
    const std::int64_t passes = model::micro_batches(job.scenario);
    for (const schedule::Action& action : schedule::order(parallelism, passes, stage_index, {})) {
      micro_batch_ = action.micro_batch;
      chunk_ = action.chunk;
      const std::int64_t piece = action.chunk * stages + stage_index;
      if (action.work == schedule::Work::forward) {
        forward();
        if (piece < last) send(Pass::forward);
      } else {
        backward();
        if (piece > 0) send(Pass::backward);
      }
    }
    micro_batch_ = -1;
    chunk_ = 0;
    add(step_operators(job.scenario, stage_));
  }

  std::vector<std::string> lines;

 private:
  [[nodiscard]] const model::Chunk& chunk() const { return stage_.chunks[static_cast<std::size_t>(chunk_)]; }
  [[nodiscard]] const model::Block& layer(std::int64_t i) const {
    return i < recomputed_layers(job_.scenario, chunk()) ? job_.operators.recomputed_layer : job_.operators.layer;
  }
  void forward() {
    if (chunk().embedding) add(job_.operators.embedding.forward);
    for (std::int64_t i = 0; i < chunk().layers; ++i) add(layer(i).forward);
    if (chunk().head) add(job_.operators.head.forward);
  }
  void backward() {
    if (chunk().head) add(job_.operators.head.backward);
    for (std::int64_t i = chunk().layers; i-- > 0;) add(layer(i).backward);
    if (chunk().embedding) add(job_.operators.embedding.backward);
  }
  void send(Pass pass) {
    for (Operator op : job_.operators.pipeline_send) {
      op.pass = pass;
      add({op});
    }
  }
  void add(const std::vector<Operator>& operators) {
    for (const Operator& op : operators) lines.push_back(describe(op, micro_batch_, chunk_));
  }

  const kernels::Job& job_;
  const model::Stage& stage_;
  std::int64_t micro_batch_ = -1;
  std::int64_t chunk_ = 0;
};

void expect_listed_operators(const std::string& model) {
  for (const TrainingLayout& layout : training_layouts()) {
    if (layout.ranks != session().size()) continue;
    SCOPED_TRACE(layout.flags);
    kernels::Recording recording;
    TinyTraining training{model + layout.flags, session().world(), {&recording, nullptr}};
    for (int iteration = 0; iteration < 2; ++iteration) {
      recording.restart();
      (void)training.iterate(1);
      const Listed listed{training.job(), training.groups().pipeline->rank()};
      const auto& executed = recording.operators();
      for (std::size_t i = 0; i < std::max(executed.size(), listed.lines.size()); ++i) {
        ASSERT_LT(i, executed.size()) << "not run: " << listed.lines[i];
        const auto& run = executed[i];
        const std::string line = describe(run.op, run.micro_batch, run.chunk);
        ASSERT_LT(i, listed.lines.size()) << "not listed: " << line;
        ASSERT_EQ(line, listed.lines[i]) << "operator " << i;
      }
    }
  }
}

TEST(IterationList, Gpt) { expect_listed_operators(tiny_gpt()); }
TEST(IterationList, MegatronBert) { expect_listed_operators(tiny_bert("pre")); }
TEST(IterationList, OriginalBert) { expect_listed_operators(tiny_bert("post")); }

}  // namespace
}  // namespace shardsim::test

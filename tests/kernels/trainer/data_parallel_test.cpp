// When buckets are reduced and gathered beside the passes, seen by a group that writes down what it is asked.
#include "kernels/trainer/data_parallel.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kernels/tensor/host_memory.hpp"

namespace shardsim::kernels {
namespace {

using Calls = std::vector<std::string>;

class NotedRequest final : public Request {
 public:
  NotedRequest(Calls& calls, std::string what) : calls_{calls}, what_{std::move(what)} {}
  void wait() override { calls_.push_back("wait for " + what_); }

 private:
  Calls& calls_;
  std::string what_;
};

/// Rank 0 of 2; matrices are told apart by their first element, counted from `origin`.
class NotingCommunicator final : public Communicator {
 public:
  NotingCommunicator(Calls& calls, const ParameterBuffers& buffers) : calls_{calls}, buffers_{buffers} {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  [[nodiscard]] std::unique_ptr<Communicator> split(int, int) override { return nullptr; }
  void barrier() override {}
  void broadcast(const Matrix&, int) override {}
  void all_reduce(const Matrix& buffer, Reduction) override { calls_.push_back("all_reduce " + place(buffer)); }
  void all_gather(const Matrix&, const Matrix& whole) override { calls_.push_back("gather " + place(whole)); }
  void reduce_scatter(const Matrix&, const Matrix&) override {}
  [[nodiscard]] std::unique_ptr<Request> start_all_reduce(const Matrix& buffer, Reduction) override {
    return start("all_reduce " + place(buffer));
  }
  [[nodiscard]] std::unique_ptr<Request> start_all_gather(const Matrix&, const Matrix& whole) override {
    return start("gather " + place(whole));
  }
  [[nodiscard]] std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix&) override {
    return start("reduce_scatter " + place(whole));
  }
  [[nodiscard]] std::unique_ptr<Request> start_send(const Matrix&, int) override { return nullptr; }
  [[nodiscard]] std::unique_ptr<Request> start_receive(const Matrix&, int) override { return nullptr; }
  [[nodiscard]] double all_reduce_value(double value, Reduction) override { return value; }

 private:
  [[nodiscard]] std::unique_ptr<Request> start(const std::string& what) {
    calls_.push_back("start " + what);
    return std::make_unique<NotedRequest>(calls_, what);
  }
  [[nodiscard]] std::string place(const Matrix& part) const {
    for (const Tensor* whole : {&buffers_.values, &buffers_.gradients}) {
      const auto first = part.as<float>() - whole->view().as<float>();
      if (first >= 0 && first < whole->view().columns) return std::to_string(first);
    }
    return "elsewhere";
  }

  Calls& calls_;
  const ParameterBuffers& buffers_;
};

/// Blocks 0, 1 and 2 of 4, 6 and 8 elements, block 1 in two parameters; buckets of at least 8: [0, 10), [10, 18). Two
/// micro batches.
class DataParallelTest : public ::testing::Test {
 protected:
  DataParallelTest() {
    for (const auto& [elements, block] : {std::pair{4, 0}, {3, 1}, {3, 1}, {8, 2}}) {
      Parameter& parameter = buffers_.parameters.emplace_back();
      parameter.value.rows = 1;
      parameter.value.columns = elements;
      parameter.block = block;
    }
    layout_ = lay_out(buffers_.parameters, 2, 8);
    buffers_.values = Tensor{memory_, Component::parameters, DType::fp32, 1, layout_.elements};
    buffers_.gradients = Tensor{memory_, Component::gradients, DType::fp32, 1, layout_.elements};
    scenario_.training.micro_batch_size = 1;
    scenario_.training.global_batch_size = 4;
    scenario_.parallelism.data_parallel_size = 2;
    scenario_.parallelism.zero_stage = 1;
  }

  model::Scenario scenario_;
  Memory memory_{std::make_unique<HostMemory>(), nullptr};
  ParameterBuffers buffers_;
  FlatLayout layout_;
  Calls calls_;
  NotingCommunicator replicas_{calls_, buffers_};
};

TEST_F(DataParallelTest, ReducesABucketWhenTheLastMicroBatchHasLeftItsBlocks) {
  scenario_.parallelism.overlap.grad_reduce = true;
  DataParallel data{scenario_, buffers_, layout_, replicas_};
  for (int iteration = 0; iteration < 2; ++iteration) {
    calls_.clear();
    for (const int block : {2, 1, 0}) data.after_backward(block);
    EXPECT_EQ(calls_, Calls{}) << "the first of two micro batches";
    data.after_backward(2);
    EXPECT_EQ(calls_, Calls{"start reduce_scatter 10"});
    data.after_backward(1);
    EXPECT_EQ(calls_.size(), 1U) << "block 0 shares the bucket";
    data.after_backward(0);
    data.finish_reduction();
    EXPECT_EQ(calls_, (Calls{"start reduce_scatter 10", "start reduce_scatter 0", "wait for reduce_scatter 0",
                             "wait for reduce_scatter 10"}));
  }
}

TEST_F(DataParallelTest, ReducesAfterThePassesWithoutOverlap) {
  scenario_.parallelism.zero_stage = 0;
  DataParallel data{scenario_, buffers_, layout_, replicas_};
  for (const int block : {2, 1, 0, 2, 1, 0}) data.after_backward(block);
  EXPECT_EQ(calls_, Calls{});
  data.finish_reduction();
  EXPECT_EQ(calls_, (Calls{"all_reduce 0", "all_reduce 10"}));
}

TEST_F(DataParallelTest, WaitsForParametersWhenABlockReadsThem) {
  scenario_.parallelism.overlap.param_gather = true;
  DataParallel data{scenario_, buffers_, layout_, replicas_};
  data.gather_parameters();
  EXPECT_EQ(calls_, (Calls{"start gather 0", "start gather 10"}));
  calls_.clear();
  data.before_forward(0);
  EXPECT_EQ(calls_, Calls{"wait for gather 0"});
  data.before_forward(1);
  EXPECT_EQ(calls_.size(), 1U);
  data.before_forward(2);
  EXPECT_EQ(calls_, (Calls{"wait for gather 0", "wait for gather 10"}));
  data.finish_gathering();
  EXPECT_EQ(calls_.size(), 2U);
}

TEST_F(DataParallelTest, GathersAtOnceWithoutOverlap) {
  DataParallel data{scenario_, buffers_, layout_, replicas_};
  data.gather_parameters();
  EXPECT_EQ(calls_, (Calls{"gather 0", "gather 10"}));
}

}  // namespace
}  // namespace shardsim::kernels

#include "kernels/checkpoint/checkpoint_index.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/checkpoint/numbered_model.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

CheckpointIndex example() {
  CheckpointIndex index = make_index(test::small_scenario(model::Family::gpt, 2, 2, 1), 4);
  index.iteration = 12;
  index.consumed_samples = 12 * 64;
  index.seed = 0xFFFFFFFFFFFFFFFFU;
  index.scalars = {{"loss_scale", 65536.0}, {"third", 1.0 / 3.0}};
  return index;
}

TEST(CheckpointIndex, ComesBackExactly) {
  const test::TemporaryFolder folder;
  (void)folder.file("index.json", format_index(example()));
  const CheckpointIndex back = read_index(folder.path());
  EXPECT_EQ(back.iteration, 12);
  EXPECT_EQ(back.consumed_samples, 768);
  EXPECT_EQ(back.seed, 0xFFFFFFFFFFFFFFFFU);
  EXPECT_EQ(back.scalars.at("third"), 1.0 / 3.0);
  EXPECT_EQ(back.ranks, 4);
  EXPECT_EQ(back.parallelism.at("tensor_model_parallel_size"), 2);
  EXPECT_EQ(back.precision, "fp32");
}

TEST(CheckpointIndex, RefusesOtherFiles) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    (void)folder.file("index.json", text);
    return test::refusal([&] { (void)read_index(folder.path()); });
  };
  EXPECT_NE(refused("{").find("index.json: format: is not"), std::string::npos);
  EXPECT_NE(refused("{\"format\": 3}").find("format: is not"), std::string::npos);
  EXPECT_NE(refused(R"({"format": "shardsim checkpoint 1"})").find("iteration"), std::string::npos);
  EXPECT_NE(refused(R"({"format": "shardsim checkpoint 1", "iteration": "x"})").find("index.json: "),
            std::string::npos);
}

TEST(CheckpointIndex, NamesEveryDifference) {
  model::Scenario other = test::small_scenario(model::Family::gpt);
  other.model.hidden_size = 32;
  other.model.num_layers = 3;
  other.training.precision = DType::bf16;
  const std::string why = test::refusal([&] { check_index("folder", example(), other); });
  EXPECT_NE(why.find("folder/index.json: hidden_size = 16: the model to be trained has 32"), std::string::npos) << why;
  EXPECT_NE(why.find("num_layers = 2: the model to be trained has 3"), std::string::npos) << why;
  EXPECT_NE(why.find("precision = fp32: the job trains in bf16"), std::string::npos) << why;
  check_index("folder", example(), test::small_scenario(model::Family::gpt, 1, 1, 4));
}

TEST(CheckpointIndex, FindsTheLatest) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(latest_checkpoint(folder.path()), "");
  record_latest(folder.path(), 300);
  EXPECT_EQ(latest_checkpoint(folder.path()), folder.path() / "iter_0000300");
  (void)folder.file("latest_checkpointed_iteration.txt", "release");
  EXPECT_NE(test::refusal([&] { (void)latest_checkpoint(folder.path()); }).find("holds no number"), std::string::npos);
}

}  // namespace
}  // namespace shardsim::kernels

#include "kernels/data/make_data_source.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

const std::string kText = std::string(SHARDSIM_SOURCE_DIR) + "/tests/data/declaration.txt";

model::Model gpt(std::int64_t seq_length = 64, std::int64_t vocab_size = 512) {
  model::Model model;
  model.seq_length = seq_length;
  model.vocab_size = vocab_size;
  return model;
}

model::Model bert(std::int64_t seq_length = 64, std::int64_t vocab_size = 512) {
  model::Model model = gpt(seq_length, vocab_size);
  model.family = model::Family::bert;
  return model;
}

std::string refused(const model::Model& model, const DataOptions& options) {
  return test::refusal([&] { (void)make_data_source(model, options, 1); });
}

void expect_within(const Sample& sample, const model::Model& model) {
  ASSERT_EQ(sample.tokens.size(), static_cast<std::size_t>(model.seq_length));
  ASSERT_EQ(sample.targets.size(), sample.tokens.size());
  ASSERT_EQ(sample.loss_mask.size(), sample.tokens.size());
  for (const std::int32_t token : sample.tokens) EXPECT_TRUE(token >= 0 && token < model.vocab_size) << token;
}

TEST(MakeDataSource, BytesOfAText) {
  const auto source = make_data_source(gpt(), {kText, "", "", ""}, 1);
  std::ifstream file{kText, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (std::int64_t i = 0; i < 5; ++i) {
    const Sample sample = source->sample(i);
    expect_within(sample, gpt());
    const std::string piece(sample.tokens.begin(), sample.tokens.end());
    EXPECT_NE(text.find(piece), std::string::npos) << piece;
  }
  EXPECT_EQ(source->description(), "9,314 tokens of " + kText + " (bytes)");
}

TEST(MakeDataSource, PairsOfSentencesOfAText) {
  const auto source = make_data_source(bert(), {kText, "", "", ""}, 1);
  for (std::int64_t i = 0; i < 100; ++i) expect_within(source->sample(i), bert());
}

TEST(MakeDataSource, SyntheticTokensForBothFamilies) {
  for (const model::Model& model : {gpt(), bert()}) {
    const auto source = make_data_source(model, {}, 1);
    const auto other = make_data_source(model, {}, 2);
    for (std::int64_t i = 0; i < 20; ++i) {
      expect_within(source->sample(i), model);
      EXPECT_EQ(source->sample(i).tokens, make_data_source(model, {}, 1)->sample(i).tokens);
      EXPECT_NE(source->sample(i).tokens, other->sample(i).tokens);
    }
  }
}

TEST(MakeDataSource, RefusesWhatItCannotRead) {
  const test::TemporaryFolder folder;
  const auto expect = [&](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(refused(gpt(), {folder.path() / "none.txt", "", "", ""}), "none.txt: data-path: cannot be read: No such file");
  expect(refused(gpt(), {folder.path(), "", "", ""}), "data-path: is a folder");
  expect(refused(gpt(), {folder.file("empty.txt", ""), "", "", ""}), "empty.txt: data-path: is empty");
  expect(refused(gpt(), {folder.file("short.txt", std::string(64, 'x')), "", "", ""}),
         "short.txt: data-path: holds 64 tokens; one sample needs seq-length + 1 = 65");
  expect(refused(bert(), {folder.file("one.txt", "One sentence."), "", "", ""}),
         "one.txt: data-path: holds no document of two sentences");
  expect(refused(gpt(64, 200), {kText, "", "", ""}), "vocab-size = 200: the tokens of bytes need 256");
  expect(refused(bert(64, 256), {kText, "", "", ""}), "vocab-size = 256: the tokens of bytes need 260");
  expect(refused(gpt(), {kText, "", "", "SentencePiece"}), "tokenizer-type = SentencePiece: one of GPT2BPETokenizer");
  expect(refused(gpt(), {kText, "vocab.json", "", ""}), "merge-file: GPT2BPETokenizer needs it");
  expect(refused(gpt(), {kText, "", "merges.txt", ""}), "vocab-file: GPT2BPETokenizer needs it");
  expect(refused(bert(4), {kText, "", "", ""}), "seq-length = 4");
}

}  // namespace
}  // namespace shardsim::kernels

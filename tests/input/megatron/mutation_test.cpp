// Broken versions of good scripts: reading ends, with settings or problems, and never crashes.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "support.hpp"

namespace shardsim::input {
namespace {

constexpr std::array<const char*, 7> kScripts = {"bloom_176b_deepspeed.slurm",
                                                 "core_gpt3_arrays.sh",
                                                 "sc21_interleaved.sh",
                                                 "zero_bubble_1p5b.sh",
                                                 "arguments_dump.txt",
                                                 "model_config.yaml",
                                                 "row.json"};

/// Something came out: no reading is empty and silent.
void expect_an_answer(const std::string& text) {
  const Reading reading = read(text);
  EXPECT_TRUE(!reading.settings.all().empty() || !reading.problems.empty()) << text;
}

TEST(Mutations, EveryPrefixOfAScriptIsAnswered) {
  for (const char* const name : {"bloom_176b_deepspeed.slurm", "row.json"}) {
    const std::string text = test_data(std::string("launch_scripts/") + name);
    ASSERT_FALSE(text.empty());
    for (std::size_t size = 0; size < text.size(); size += 3) expect_an_answer(text.substr(0, size));
  }
}

TEST(Mutations, RandomChangesAreAnswered) {
  constexpr int kRounds = 40;
  constexpr std::string_view kNasty = "\"'`$(){}[]\\\n;|&<>#=- \x80\xff*~!0";
  std::mt19937 random(20190917);
  for (const char* const name : kScripts) {
    const std::string original = test_data(std::string("launch_scripts/") + name);
    ASSERT_FALSE(original.empty());
    for (int round = 0; round < kRounds; ++round) {
      std::string text = original;
      for (int change = 0; change < 5; ++change) {
        const std::size_t at = random() % text.size();
        if (random() % 3 == 0) {
          text.erase(at, random() % 40 + 1);
          if (text.empty()) text = " ";
        } else {
          text[at] = kNasty[random() % kNasty.size()];
        }
      }
      expect_an_answer(text);
    }
  }
}

TEST(Mutations, DeepNestingEnds) {
  for (const char* const piece : {"$(", "${A:-", "$((", "(", "[", "{\"a\":", "\"", "`", "if ", "case x in ", "- "}) {
    std::string text = "python pretrain_gpt.py --num-layers ";
    for (int i = 0; i < 5000; ++i) text += piece;
    expect_an_answer(text);
    expect_an_answer(text.substr(36));
  }
}

}  // namespace
}  // namespace shardsim::input

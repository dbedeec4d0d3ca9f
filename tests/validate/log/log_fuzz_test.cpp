// Mutated logs: read and compared, or refused with a problem; never anything else.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/files.hpp"
#include "validate/log/compare.hpp"
#include "validate/log/explain_out_of_memory.hpp"
#include "validate/log/suspects.hpp"

namespace shardsim::validate::log {
namespace {

struct Seed {
  const char* file;
  cli::ScenarioOptions options;
};

std::vector<Seed> seeds() {
  const std::string folder = SHARDSIM_SOURCE_DIR "/tests/validate/logs/";
  std::vector<Seed> all(6);
  const auto set = [&](std::size_t i, const char* file, const char* cluster) -> cli::ScenarioOptions& {
    all[i].file = file;
    all[i].options.cluster = cluster;
    return all[i].options;
  };
  set(0, "megatron-gpt-3.6b.log", "a100-dgx").stack = "megatron-lm-2021";
  set(1, "megatron-deepspeed-gpt-345m.log", "a100-hdr4").megatron = folder + "megatron-deepspeed-gpt-345m.sh";
  set(2, "nemo-gpt-5b.log", "h100-dgx").scenario = folder + "nemo-gpt-5b.toml";
  set(3, "nanotron-1b.log", "h100-efa");
  set(4, "torchtitan-8b.log", "h100-96gb-rdma400").model = "llama3-8b";
  set(5, "out-of-memory.txt", "a100-dgx").megatron = folder + "out-of-memory.sh";
  return all;
}

/// Bytes, digits and lines changed, doubled, cut and moved.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random); };
  const int changes = 1 + static_cast<int>(below(8));
  constexpr std::string_view kBytes = "0123456789.-+eE:|/ \n\r\t\x1b[m,;KMGTi=()nanf";
  for (int i = 0; i < changes && text.size() > 4; ++i) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(text.size() - at, 1 + below(200));
    switch (below(7)) {
      case 0:
        text[at] = kBytes[below(kBytes.size())];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, std::string(1 + below(30), static_cast<char>('0' + below(10))));
        break;
      case 5:
        text[at] = static_cast<char>(1 + below(255));
        break;
      default: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
      }
    }
  }
  return text;
}

TEST(LogFuzz, MutatedLogsAreComparedOrRefused) {
  std::mt19937 random{2026};
  int compared = 0;
  int refused = 0;
  for (const Seed& seed : seeds()) {
    const std::string text = test::read_source(std::string("tests/validate/logs/") + seed.file);
    for (int round = 0; round < 250; ++round) {
      const std::string changed = mutated(text, random);
      try {
        const Comparison comparison = compare(read_training_log(changed, "x.log"), seed.options);
        if (comparison.time) {
          ASSERT_TRUE(std::isfinite(comparison.time->error())) << changed;
          if (round % 10 == 0) (void)suspicion(comparison.scenario, Seconds{comparison.time->measured});
        }
        if (!comparison.log.out_of_memory.empty() && round % 5 == 0) (void)explain(comparison);
        ++compared;
      } catch (const InputError& error) {
        ASSERT_FALSE(error.problems().empty());
        ++refused;
      }
    }
  }
  // Both must happen, or the mutations say nothing.
  EXPECT_GT(compared, 300);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace shardsim::validate::log

#include <gtest/gtest.h>

#include <cmath>

#include "sim/model/parameters.hpp"
#include "tests/scenarios/load.hpp"

namespace shardsim::tests {
namespace {

/// A parameter count as printed: `value` with `unit` parameters, the last printed digit worth `digit` of them.
struct Published {
  const char* model;
  double value;
  double digit;
  const char* source;
};

constexpr double kMillion = 1e6;
constexpr double kBillion = 1e9;

constexpr const char* kGpt2 = "Radford et al. 2019 and the released checkpoints";
constexpr const char* kMegatron = "Shoeybi et al. 2019, tables 1 and 4";
constexpr const char* kGpt3 = "Brown et al. 2020, table 2.1";
constexpr const char* kSc21 = "Narayanan et al. 2021, table 1";
constexpr const char* kKorthikanti = "Korthikanti et al. 2022, table 3";
constexpr const char* kLlama2 = "released checkpoints (6,738,415,616; 13,015,864,320; 68,976,648,192)";
constexpr const char* kLlama3 = "released checkpoints (8,030,261,248; 70,553,706,496; 405,853,388,800)";
constexpr const char* kMpt = "MosaicML llm-foundry, names of the configurations";

constexpr Published kPublished[] = {
    {"gpt2-124m", 124 * kMillion, kMillion, kGpt2},
    {"gpt2-355m", 355 * kMillion, kMillion, kGpt2},
    {"gpt2-774m", 774 * kMillion, kMillion, kGpt2},
    {"gpt2-xl-1.5b", 1558 * kMillion, kMillion, kGpt2},
    {"gpt2-1.2b", 1.2 * kBillion, 0.1 * kBillion, kMegatron},
    {"gpt2-2.5b", 2.5 * kBillion, 0.1 * kBillion, kMegatron},
    {"gpt2-4.2b", 4.2 * kBillion, 0.1 * kBillion, kMegatron},
    {"gpt2-8.3b", 8.3 * kBillion, 0.1 * kBillion, kMegatron},
    {"megatron-bert-336m", 336 * kMillion, kMillion, kMegatron},
    {"megatron-bert-1.3b", 1.3 * kBillion, 0.1 * kBillion, kMegatron},
    {"megatron-bert-3.9b", 3.9 * kBillion, 0.1 * kBillion, kMegatron},
    {"bert-large", 336 * kMillion, kMillion, "NVIDIA DeepLearningExamples, BERT for PyTorch"},
    {"bert-tiny", 4.4 * kMillion, 0.1 * kMillion, "Turc et al. 2019, table 1"},
    {"turing-nlg-17b", 17 * kBillion, kBillion, "Rosset 2020"},
    {"gpt3-125m", 125 * kMillion, kMillion, kGpt3},
    {"gpt3-760m", 760 * kMillion, kMillion, kGpt3},
    {"gpt3-2.7b", 2.7 * kBillion, 0.1 * kBillion, kGpt3},
    {"gpt3-6.7b", 6.7 * kBillion, 0.1 * kBillion, kGpt3},
    {"gpt3-13b", 13 * kBillion, kBillion, kGpt3},
    {"gpt3-175b", 175 * kBillion, kBillion, kGpt3},
    {"mt-nlg-530b", 530 * kBillion, kBillion, "Smith et al. 2022"},
    {"sc21-1.7b", 1.7 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-3.6b", 3.6 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-7.5b", 7.5 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-18.4b", 18.4 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-39.1b", 39.1 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-76.1b", 76.1 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-145.6b", 145.6 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-310.1b", 310.1 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-529.6b", 529.6 * kBillion, 0.1 * kBillion, kSc21},
    {"sc21-1008b", 1008.0 * kBillion, 0.1 * kBillion, kSc21},
    {"korthikanti-22b", 22 * kBillion, kBillion, kKorthikanti},
    // Exact: the vocabularies need no padding and the counts are those of the tensors.
    {"llama2-7b", 6'738'415'616.0, 1, kLlama2},
    {"llama2-13b", 13'015'864'320.0, 1, kLlama2},
    {"llama2-70b", 68'976'648'192.0, 1, kLlama2},
    {"llama3-8b", 8'030'261'248.0, 1, kLlama3},
    {"llama3-70b", 70'553'706'496.0, 1, kLlama3},
    {"llama3-405b", 405'853'388'800.0, 1, kLlama3},
    {"llm-jp-172b", 172 * kBillion, kBillion, "model card of llm-jp-3-172b"},
    {"mpt-7b", 7 * kBillion, kBillion, kMpt},
    {"mpt-13b", 13 * kBillion, kBillion, kMpt},
    {"mpt-30b", 30 * kBillion, kBillion, kMpt},
};

class ParameterCount : public testing::TestWithParam<Published> {};

TEST_P(ParameterCount, EqualsThePublishedOneWithinHalfAUnitOfItsLastDigit) {
  const Published& published = GetParam();
  const model::Scenario scenario = load(published.model, "megatron-core-local", "a100-dgx");
  const auto count = static_cast<double>(model::total_parameters(scenario));
  EXPECT_LE(std::abs(count - published.value), published.digit / 2) << published.source << ": " << published.value;
}

INSTANTIATE_TEST_SUITE_P(Models, ParameterCount, testing::ValuesIn(kPublished), [](const auto& test) {
  std::string name = test.param.model;
  for (char& c : name) {
    if (c == '-' || c == '.') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace shardsim::tests

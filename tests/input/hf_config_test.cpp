#include <gtest/gtest.h>

#include "sim/input/framework_config.hpp"
#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

/// The run of a config, with a micro batch of 1.
model::Scenario resolve_hf(std::string_view config) {
  Problems problems;
  Settings settings = read_hf_config(config, "config.json", problems);
  problems.throw_if_any();
  settings.set({"training.micro_batch_size", "1", {}, {}});
  return resolve(settings, test_presets());
}

std::vector<Problem> problems_of_hf(std::string_view config) {
  Problems problems;
  (void)read_hf_config(config, "config.json", problems);
  return problems.all();
}

// openai-community/gpt2, as published.
constexpr std::string_view kGpt2 = R"({
  "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "bos_token_id": 50256,
  "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
  "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
  "resid_pdrop": 0.1, "summary_first_dropout": 0.1, "vocab_size": 50257
})";

TEST(HfConfig, Gpt2) {
  const auto scenario = resolve_hf(kGpt2);
  EXPECT_EQ(scenario.model.family, model::Family::gpt);
  EXPECT_EQ(scenario.model.num_layers, 12);
  EXPECT_EQ(scenario.model.hidden_size, 768);
  EXPECT_EQ(scenario.model.num_attention_heads, 12);
  EXPECT_EQ(scenario.model.ffn_hidden_size, 3072);
  EXPECT_EQ(scenario.model.max_position_embeddings, 1024);
  EXPECT_EQ(scenario.model.seq_length, 1024);
  EXPECT_EQ(scenario.model.vocab_size, 50257);
  EXPECT_EQ(scenario.model.activation, model::Activation::gelu);
  EXPECT_EQ(scenario.model.output_weights, model::OutputWeights::tied);
}

TEST(HfConfig, TheSequenceIsAnAssumption) {
  const auto scenario = resolve_hf(kGpt2);
  bool listed = false;
  for (const auto& one : scenario.assumed) listed = listed || (one.key == "model.seq_length" && one.value == "1024");
  EXPECT_TRUE(listed);
}

// google-bert/bert-base-uncased, as published.
TEST(HfConfig, BertBase) {
  const auto scenario = resolve_hf(R"({
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072,
    "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12,
    "num_hidden_layers": 12, "pad_token_id": 0, "type_vocab_size": 2, "vocab_size": 30522})");
  EXPECT_EQ(scenario.model.family, model::Family::bert);
  EXPECT_EQ(scenario.model.norm_placement, model::NormPlacement::post);
  EXPECT_EQ(scenario.model.num_layers, 12);
  EXPECT_EQ(scenario.model.ffn_hidden_size, 3072);
  EXPECT_EQ(scenario.model.num_token_types, 2);
  EXPECT_EQ(scenario.model.vocab_size, 30522);
  EXPECT_EQ(scenario.model.attention_mask, model::AttentionMask::bidirectional);
  EXPECT_EQ(scenario.model.seq_length, 512);
}

// meta-llama/Llama-2-70b-hf, as published.
TEST(HfConfig, Llama2) {
  const auto scenario = resolve_hf(R"({
    "architectures": ["LlamaForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
    "hidden_size": 8192, "initializer_range": 0.02, "intermediate_size": 28672, "max_position_embeddings": 4096,
    "model_type": "llama", "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8,
    "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": null, "tie_word_embeddings": false,
    "torch_dtype": "float16", "use_cache": true, "vocab_size": 32000})");
  EXPECT_EQ(scenario.model.family, model::Family::llama);
  EXPECT_EQ(scenario.model.num_layers, 80);
  EXPECT_EQ(scenario.model.num_query_groups, 8);
  EXPECT_EQ(scenario.model.kv_channels, 128);
  EXPECT_EQ(scenario.model.ffn_hidden_size, 28672);
  EXPECT_EQ(scenario.model.seq_length, 4096);
  EXPECT_EQ(scenario.model.activation, model::Activation::swiglu);
  EXPECT_EQ(scenario.model.normalization, model::Normalization::rms_norm);
  EXPECT_EQ(scenario.model.output_weights, model::OutputWeights::untied);
}

constexpr std::string_view kSmallLlama = R"("hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2,
    "num_hidden_layers": 2, "max_position_embeddings": 64, "vocab_size": 100, "tie_word_embeddings": true})";

TEST(HfConfig, LlamaLikeTypesAreReadWithAWarning) {
  const auto scenario = resolve_hf(R"({"model_type": "mistral", )" + std::string(kSmallLlama));
  ASSERT_EQ(scenario.warnings.size(), 1U);
  EXPECT_NE(scenario.warnings[0].find("mistral"), std::string::npos);
  EXPECT_EQ(scenario.model.output_weights, model::OutputWeights::tied);
}

TEST(HfConfig, ExpertsAreRefused) {
  Problems problems;
  Settings settings = read_hf_config(R"({"model_type": "mistral", "num_local_experts": 8, )" + std::string(kSmallLlama),
                                     "c.json", problems);
  settings.set({"training.micro_batch_size", "1", {}, {}});
  EXPECT_THROW((void)resolve(settings, test_presets()), InputError);
}

struct BadConfig {
  const char* text;
  const char* key;
  const char* words;
  int line;
};
class BadHfConfig : public testing::TestWithParam<BadConfig> {};
TEST_P(BadHfConfig, IsNamed) {
  const auto problems = problems_of_hf(GetParam().text);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].origin.file, "config.json");
  EXPECT_EQ(problems[0].origin.line, GetParam().line);
  EXPECT_EQ(problems[0].key, GetParam().key);
  EXPECT_NE(problems[0].message.find(GetParam().words), std::string::npos) << problems[0].message;
}
INSTANTIATE_TEST_SUITE_P(
    HfConfig, BadHfConfig,
    testing::Values(BadConfig{"{\n\"model_type\": \"t5\"}", "model_type", "known: gpt2, bert, llama", 2},
                    BadConfig{"{\n\"model_type\": \"gpt-2\"}", "model_type", "did you mean \"gpt2\"", 2},
                    BadConfig{"{\"n_layer\": 12}", "model_type", "is missing", 0},
                    BadConfig{"{\n\n\"n_layer\": }", "", "no valid JSON", 3},
                    BadConfig{"[1, 2]", "", "no JSON object", 0}, BadConfig{"", "", "no valid JSON", 1},
                    BadConfig{"{\"n_layer\": 1e400}", "", "a number that is too large", 0},
                    BadConfig{"{\"model_type\": \"gpt2\",\n\"activation_function\": \"tanh\"}", "model.activation",
                              "not modelled; known here: gelu", 2}));

}  // namespace
}  // namespace shardsim::input::test

#include "kernels/checkpoint/hugging_face.hpp"

#include <gtest/gtest.h>

#include <set>

#include "kernels/checkpoint/hugging_face_names.hpp"
#include "kernels/checkpoint/safetensors.hpp"
#include "kernels/checkpoint/segments.hpp"
#include "kernels/communicator/single_communicator.hpp"
#include "tests/kernels/checkpoint/numbered_model.hpp"
#include "tests/kernels/checkpoint/small_disk.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

namespace fs = std::filesystem;
using test::number_of;
using test::RankParameters;

model::Scenario post_norm_bert(std::int64_t tp = 1) {
  model::Scenario scenario = test::small_scenario(model::Family::bert, tp);
  scenario.model.norm_placement = model::NormPlacement::post;
  return scenario;
}

void fill(RankParameters& rank) {
  rank.for_each([](Parameter& parameter, std::int64_t i, std::int64_t row, std::int64_t column) {
    parameter.value.as<float>()[i] = number_of("weight", parameter.name, row, column);
  });
}

void save_numbered(const fs::path& file, const model::Scenario& scenario) {
  RankParameters rank{scenario, 0, 0};
  fill(rank);
  const auto world = make_single_communicator();
  save_hugging_face(file, scenario, rank.parameters(), 0, *world);
}

std::vector<float> read_tensor(const SafetensorsReader& reader, const std::string& name) {
  const StoredTensor* tensor = reader.find(name);
  EXPECT_NE(tensor, nullptr) << name;
  if (tensor == nullptr) return {};
  std::vector<float> values(static_cast<std::size_t>(tensor->elements()));
  read_segments(reader.file(), DType::fp32, {{tensor->begin, tensor->elements(), 0, 1}}, {values.data(), DType::fp32});
  return values;
}

// transformers/models/gpt2/modeling_gpt2.py: Conv1D weights are [in, out]; c_attn's outputs are all heads' queries,
// then keys, then values.
TEST(HuggingFace, Gpt2Layout) {
  const test::TemporaryFolder folder;
  const model::Scenario scenario = test::small_scenario(model::Family::gpt);
  save_numbered(folder.path() / "model.safetensors", scenario);
  const SafetensorsReader reader{folder.path() / "model.safetensors"};

  std::set<std::string> names;
  for (const StoredTensor& tensor : reader.header().tensors) names.insert(tensor.name);
  std::set<std::string> expected = {"wte.weight", "wpe.weight", "ln_f.weight", "ln_f.bias"};
  for (const char* layer : {"h.0.", "h.1."}) {
    for (const char* part : {"ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"}) {
      expected.insert(std::string(layer) + part + ".weight");
      expected.insert(std::string(layer) + part + ".bias");
    }
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(reader.find("wte.weight")->shape, (std::vector<std::int64_t>{19, 16}));
  EXPECT_EQ(reader.find("h.0.attn.c_attn.weight")->shape, (std::vector<std::int64_t>{16, 48}));
  EXPECT_EQ(reader.find("h.0.mlp.c_fc.weight")->shape, (std::vector<std::int64_t>{16, 64}));
  EXPECT_EQ(reader.find("h.0.mlp.c_fc.bias")->shape, (std::vector<std::int64_t>{64}));

  const std::string qkv = "decoder.layers.1.self_attention.linear_qkv.";
  const std::vector<float> weight = read_tensor(reader, "h.1.attn.c_attn.weight");
  const std::vector<float> bias = read_tensor(reader, "h.1.attn.c_attn.bias");
  for (std::int64_t head = 0; head < 4; ++head) {
    for (std::int64_t part = 0; part < 3; ++part) {
      for (std::int64_t channel = 0; channel < 4; ++channel) {
        const std::int64_t ours = (head * 3 + part) * 4 + channel;
        const std::int64_t theirs = part * 16 + head * 4 + channel;
        EXPECT_EQ(bias[static_cast<std::size_t>(theirs)], number_of("weight", qkv + "bias", 0, ours));
        EXPECT_EQ(weight[static_cast<std::size_t>(5 * 48 + theirs)], number_of("weight", qkv + "weight", ours, 5));
      }
    }
  }
  EXPECT_EQ(read_tensor(reader, "h.0.mlp.c_proj.weight")[3 * 16 + 7],
            number_of("weight", "decoder.layers.0.mlp.linear_fc2.weight", 7, 3));
  EXPECT_EQ(read_tensor(reader, "wte.weight")[18 * 16 + 2],
            number_of("weight", "embedding.word_embeddings.weight", 18, 2));
}

// transformers/models/bert/modeling_bert.py, BertForPreTraining: linear weights are [out, in]; apart query, key, value.
TEST(HuggingFace, BertLayout) {
  const test::TemporaryFolder folder;
  save_numbered(folder.path() / "model.safetensors", post_norm_bert());
  const SafetensorsReader reader{folder.path() / "model.safetensors"};
  // 5 embeddings; 8 · 2 a layer; pooler 2; transform 4, bias 1; binary head 2.
  EXPECT_EQ(reader.header().tensors.size(), 5U + 2 * 16 + 2 + 5 + 2);
  for (const char* name :
       {"bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.bias",
        "bert.encoder.layer.1.attention.self.value.bias", "bert.encoder.layer.0.attention.output.LayerNorm.weight",
        "bert.encoder.layer.0.intermediate.dense.weight", "bert.encoder.layer.0.output.LayerNorm.weight",
        "bert.pooler.dense.weight", "cls.predictions.bias", "cls.predictions.transform.dense.weight",
        "cls.predictions.transform.LayerNorm.weight", "cls.seq_relationship.weight"}) {
    EXPECT_NE(reader.find(name), nullptr) << name;
  }
  // Key, head 2, channel 3: row 11 of theirs, row (2·3 + 1)·4 + 3 = 31 of ours.
  EXPECT_EQ(read_tensor(reader, "bert.encoder.layer.0.attention.self.key.weight")[11 * 16 + 9],
            number_of("weight", "decoder.layers.0.self_attention.linear_qkv.weight", 31, 9));
  EXPECT_EQ(reader.find("cls.predictions.bias")->shape, (std::vector<std::int64_t>{19}));
}

// modeling_megatron_bert.py, MegatronBertForPreTraining.
TEST(HuggingFace, MegatronBertLayout) {
  const test::TemporaryFolder folder;
  save_numbered(folder.path() / "model.safetensors", test::small_scenario(model::Family::bert));
  const SafetensorsReader reader{folder.path() / "model.safetensors"};
  for (const char* name : {"bert.encoder.layer.0.attention.ln.weight", "bert.encoder.layer.1.ln.bias",
                           "bert.encoder.ln.weight", "bert.encoder.layer.1.attention.output.dense.weight"}) {
    EXPECT_NE(reader.find(name), nullptr) << name;
  }
  EXPECT_EQ(reader.find("bert.embeddings.LayerNorm.weight"), nullptr);
}

void expect_loaded(const model::Scenario& scenario, const fs::path& path, int tensor_rank) {
  RankParameters rank{scenario, 0, tensor_rank};
  load_hugging_face(path, scenario.model, rank.parameters());
  rank.for_each([&](Parameter& parameter, std::int64_t i, std::int64_t row, std::int64_t column) {
    const bool padding = test::is_padding(scenario.model, parameter.name, row, column);
    ASSERT_EQ(parameter.value.as<float>()[i], padding ? 0.0F : number_of("weight", parameter.name, row, column))
        << parameter.name << " " << row << " " << column;
  });
}

TEST(HuggingFace, EveryTensorParallelRankReadsItsPart) {
  for (const bool bert : {false, true}) {
    const test::TemporaryFolder folder;
    const auto scenario = [&](std::int64_t tp) {
      return bert ? post_norm_bert(tp) : test::small_scenario(model::Family::gpt, tp);
    };
    save_numbered(folder.path() / "model.safetensors", scenario(1));
    for (const int tp : {1, 2, 4}) {
      for (int rank = 0; rank < tp; ++rank) expect_loaded(scenario(tp), folder.path(), rank);
    }
  }
}

// The same weights in two files with an index, under the prefix that GPT2LMHeadModel gives them.
TEST(HuggingFace, ReadsShardedFilesAndPrefixes) {
  const test::TemporaryFolder folder;
  const model::Scenario scenario = test::small_scenario(model::Family::gpt);
  save_numbered(folder.path() / "whole.safetensors", scenario);
  const SafetensorsReader whole{folder.path() / "whole.safetensors"};
  std::string map;
  for (const int half : {0, 1}) {
    const std::string name = "model-" + std::to_string(half) + ".safetensors";
    SafetensorsHeader header;
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < whole.header().tensors.size(); ++i) {
      if (static_cast<int>(i % 2) != half) continue;
      StoredTensor tensor = whole.header().tensors[i];
      sources.push_back(tensor.name);
      tensor.name = "transformer." + tensor.name;
      map += (map.empty() ? "\"" : ", \"") + tensor.name + "\": \"" + name + "\"";
      header.tensors.push_back(tensor);
    }
    SafetensorsWriter writer{folder.path() / name, header};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::vector<float> values = read_tensor(whole, sources[i]);
      writer.file().write(header.tensors[i].begin, values.data(), static_cast<std::int64_t>(values.size() * 4));
    }
    writer.finish();
    publish(folder.path() / name);
  }
  (void)folder.file("model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
  expect_loaded(scenario, folder.path(), 0);
}

TEST(HuggingFace, BfloatWeightsRoundTrip) {
  const test::TemporaryFolder folder;
  model::Scenario scenario = test::small_scenario(model::Family::gpt);
  scenario.training.precision = DType::bf16;
  const auto bits_of = [](const Parameter& parameter, std::int64_t row, std::int64_t column) {
    return BFloat16::bits(number_of("weight", parameter.name, row, column));
  };
  RankParameters rank{scenario, 0, 0};
  rank.for_each([&](Parameter& parameter, std::int64_t i, std::int64_t row, std::int64_t column) {
    parameter.value.as<std::uint16_t>()[i] = bits_of(parameter, row, column);
  });
  const auto world = make_single_communicator();
  save_hugging_face(folder.path() / "m.safetensors", scenario, rank.parameters(), 0, *world);
  RankParameters again{scenario, 0, 0};
  load_hugging_face(folder.path() / "m.safetensors", scenario.model, again.parameters());
  again.for_each([&](Parameter& parameter, std::int64_t i, std::int64_t row, std::int64_t column) {
    const bool padding = test::is_padding(scenario.model, parameter.name, row, column);
    ASSERT_EQ(parameter.value.as<std::uint16_t>()[i], padding ? 0 : bits_of(parameter, row, column));
  });
}

TEST(HuggingFace, RefusesAnotherModel) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  save_numbered(file, test::small_scenario(model::Family::gpt));
  const auto refused = [&](const model::Scenario& scenario) {
    RankParameters rank{scenario, 0, 0};
    return test::refusal([&] { load_hugging_face(file, scenario.model, rank.parameters()); });
  };
  model::Scenario other = test::small_scenario(model::Family::gpt);
  other.model.vocab_size = 20;
  EXPECT_NE(refused(other).find("model.safetensors: wte.weight: has shape [19, 16]; the model needs [20, 16]"),
            std::string::npos)
      << refused(other);
  other = test::small_scenario(model::Family::gpt);
  other.model.num_layers = 3;
  EXPECT_NE(refused(other).find("h.2.ln_1.weight: is missing"), std::string::npos) << refused(other);
  EXPECT_NE(refused(post_norm_bert()).find("bert.embeddings.word_embeddings.weight: is missing"), std::string::npos);
}

TEST(HuggingFace, FullDiskLeavesNothing) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  std::string why;
  {
    const test::SmallDisk disk{8000};
    why = test::refusal([&] { save_numbered(file, test::small_scenario(model::Family::gpt)); });
  }
  EXPECT_NE(why.find("model.safetensors.unfinished: cannot be written: File too large"), std::string::npos) << why;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace shardsim::kernels

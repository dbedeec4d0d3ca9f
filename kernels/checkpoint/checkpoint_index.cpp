#include "kernels/checkpoint/checkpoint_index.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "kernels/checkpoint/checkpoint_error.hpp"
#include "kernels/checkpoint/file.hpp"
#include "sim/base/problems.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::kernels {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFormat = "shardsim checkpoint 1";
constexpr const char* kIndexName = "index.json";
constexpr const char* kLatestName = "latest_checkpointed_iteration.txt";

std::string read_text(const fs::path& path) {
  const File file{path, File::Mode::read};
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, text.data(), file.size());
  return text;
}

std::string padded(std::int64_t number, int digits) {
  std::array<char, 24> text{};
  const int length = std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(number));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::map<std::string, std::int64_t> sizes_of(const model::Model& model) {
  return {{"num_layers", model.num_layers},           {"hidden_size", model.hidden_size},
          {"ffn_hidden_size", model.ffn_hidden_size}, {"num_attention_heads", model.num_attention_heads},
          {"kv_channels", model.kv_channels},         {"max_position_embeddings", model.max_position_embeddings},
          {"vocab_size", model.vocab_size},           {"num_token_types", model.num_token_types}};
}

}  // namespace

CheckpointIndex make_index(const model::Scenario& scenario, std::int64_t ranks) {
  const model::Parallelism& parallelism = scenario.parallelism;
  CheckpointIndex index;
  index.ranks = ranks;
  index.model = sizes_of(scenario.model);
  index.parallelism = {{"tensor_model_parallel_size", parallelism.tensor_model_parallel_size},
                       {"pipeline_model_parallel_size", parallelism.pipeline_model_parallel_size},
                       {"virtual_pipeline_model_parallel_size", parallelism.virtual_pipeline_model_parallel_size},
                       {"data_parallel_size", parallelism.data_parallel_size},
                       {"zero_stage", parallelism.zero_stage}};
  index.precision = model::choice_text(scenario.training.precision);
  return index;
}

std::string format_index(const CheckpointIndex& index) {
  const nlohmann::ordered_json json = {
      {"format", kFormat},    {"iteration", index.iteration},     {"consumed_samples", index.consumed_samples},
      {"seed", index.seed},   {"scalars", index.scalars},         {"ranks", index.ranks},
      {"model", index.model}, {"parallelism", index.parallelism}, {"precision", index.precision}};
  return json.dump(2) + "\n";
}

CheckpointIndex read_index(const fs::path& checkpoint) {
  const fs::path path = checkpoint / kIndexName;
  const nlohmann::json json = nlohmann::json::parse(read_text(path), nullptr, false);
  if (!json.is_object() || json.value("format", nlohmann::json{}) != kFormat) {
    refuse_checkpoint(path, "format", std::string("is not \"") + kFormat + "\": not a checkpoint of this program");
  }
  CheckpointIndex index;
  try {
    json.at("iteration").get_to(index.iteration);
    json.at("consumed_samples").get_to(index.consumed_samples);
    json.at("seed").get_to(index.seed);
    json.at("scalars").get_to(index.scalars);
    json.at("ranks").get_to(index.ranks);
    json.at("model").get_to(index.model);
    json.at("parallelism").get_to(index.parallelism);
    json.at("precision").get_to(index.precision);
  } catch (const nlohmann::json::exception& error) {
    refuse_checkpoint(path, "", error.what());
  }
  if (index.ranks < 1 || index.iteration < 0)
    refuse_checkpoint(path, "ranks", "ranks and iteration are not numbers of a job");
  return index;
}

void check_index(const fs::path& checkpoint, const CheckpointIndex& index, const model::Scenario& scenario) {
  Problems problems;
  const Origin origin{checkpoint / kIndexName, 0, ""};
  for (const auto& [key, value] : sizes_of(scenario.model)) {
    const auto stored = index.model.find(key);
    const std::string theirs = stored == index.model.end() ? "" : std::to_string(stored->second);
    if (theirs != std::to_string(value)) {
      problems.add({origin, key, theirs, "the model to be trained has " + std::to_string(value)});
    }
  }
  const std::string precision{model::choice_text(scenario.training.precision)};
  if (index.precision != precision) {
    problems.add({origin, "precision", index.precision,
                  "the job trains in " + precision + "; export the weights in Hugging Face's format to change it"});
  }
  problems.throw_if_any();
}

fs::path checkpoint_folder(const fs::path& root, std::int64_t iteration) {
  return root / ("iter_" + padded(iteration, 7));
}

fs::path latest_checkpoint(const fs::path& root) {
  const fs::path record = root / kLatestName;
  std::error_code ignored;
  if (!fs::exists(record, ignored)) return {};
  const std::string text = read_text(record);
  std::int64_t iteration = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), iteration);
  if (parsed.ec != std::errc{} || iteration < 0) refuse_checkpoint(record, "", "holds no number of an iteration");
  return checkpoint_folder(root, iteration);
}

void record_latest(const fs::path& root, std::int64_t iteration) {
  write_text_file(root / kLatestName, std::to_string(iteration) + "\n");
}

std::string rank_file(std::int64_t rank) { return "rank_" + padded(rank, 5) + ".safetensors"; }

}  // namespace shardsim::kernels

#include "sim/input/schema.hpp"

#include <algorithm>

#include "sim/base/suggest.hpp"
#include "sim/input/schema_builder.hpp"

namespace shardsim::input {
namespace {

std::vector<SchemaKey> sorted_keys() {
  std::vector<SchemaKey> keys;
  const auto whole = [](auto& scenario) -> auto& { return scenario; };
  Fields(keys, "cluster", whole).integer("gpus", &model::Scenario::gpus, {1, std::int64_t{1} << 22}, "GPUs of the job");
  add_model_keys(keys);
  add_parallelism_keys(keys);
  add_training_keys(keys);
  add_stack_keys(keys);
  add_hardware_keys(keys);
  std::sort(keys.begin(), keys.end(), [](const SchemaKey& a, const SchemaKey& b) { return a.name < b.name; });
  return keys;
}

std::string_view field_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

}  // namespace

const std::vector<SchemaKey>& schema() {
  static const std::vector<SchemaKey> keys = sorted_keys();
  return keys;
}

const SchemaKey* find_key(std::string_view name) {
  const auto& keys = schema();
  const auto before = [](const SchemaKey& key, std::string_view wanted) { return key.name < wanted; };
  const auto found = std::lower_bound(keys.begin(), keys.end(), name, before);
  return found != keys.end() && found->name == name ? &*found : nullptr;
}

const std::vector<DerivedKey>& derived_keys() {
  static const std::vector<DerivedKey> keys{
      {"name", "name of the run"},
      {"title", "one line about the run"},
      {"provenance", "where the run's values come from"},
      {"model.preset", "name of a model preset; weaker than given values"},
      {"model.title", "one line about the model"},
      {"model.provenance", "where the model's values come from"},
      {"model.tokenizer_type", "NullTokenizer: the vocabulary has vocab_size + 1 tokens"},
      {"model.num_experts", "experts of a mixture; only 1 is modelled"},
      {"parallelism.num_layers_per_virtual_pipeline_stage", "instead of virtual_pipeline_model_parallel_size"},
      {"parallelism.use_distributed_optimizer", "true: zero_stage is at least 1"},
      {"training.accumulate_gradients_in_fp32", "true: gradient_dtype is fp32"},
      {"training.gradient_accumulation_steps", "micro batches per iteration: global batch / (micro batch · dp)"},
      {"stack.preset", "name of a stack preset; weaker than given values"},
      {"cluster.preset", "name of a cluster preset; weaker than given values"},
      {"device.preset", "name of a device preset; weaker than given values"},
  };
  return keys;
}

std::string nearest_key(std::string_view name) {
  std::vector<std::string_view> known;
  for (const SchemaKey& key : schema()) known.push_back(key.name);
  for (const DerivedKey& key : derived_keys()) known.push_back(key.name);
  for (const std::string_view key : known) {
    if (key.find('.') != std::string_view::npos && field_of(key) == field_of(name)) return std::string(key);
  }
  if (const auto near = nearest(name, known)) return std::string(*near);
  return {};
}

}  // namespace shardsim::input

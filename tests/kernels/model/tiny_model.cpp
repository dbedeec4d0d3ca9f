#include "tests/kernels/model/tiny_model.hpp"

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/model/initial_values.hpp"
#include "kernels/model/random_key.hpp"
#include "kernels/reference/reference_backend.hpp"
#include "tests/scenarios/load.hpp"

namespace shardsim::test {
namespace {

using kernels::Component;
using kernels::Matrix;
using model::DType;

model::Stage only_stage(const model::Scenario& scenario) {
  return layout(scenario.model, scenario.parallelism, scenario.stack).front();
}

/// Of `limit` values, by what it is for.
std::int32_t pick(std::string_view what, std::int64_t sample, std::int64_t position, std::int64_t limit) {
  const std::uint64_t key = kernels::combine(kernels::hash_text(what), static_cast<std::uint64_t>(sample));
  const std::uint64_t bits = kernels::combine(key, static_cast<std::uint64_t>(position));
  return static_cast<std::int32_t>(bits % static_cast<std::uint64_t>(limit));
}

}  // namespace

model::Scenario tiny_gpt() {
  model::Scenario scenario = tests::load("gpt2-tiny", "shardsim", "h100-dgx");
  model::Model& model = scenario.model;
  model.num_layers = 2;
  model.hidden_size = 16;
  model.ffn_hidden_size = 64;
  model.num_attention_heads = 4;
  model.num_query_groups = 4;
  model.kv_channels = 4;
  model.seq_length = 8;
  model.max_position_embeddings = 12;
  model.vocab_size = 50;
  model.make_vocab_size_divisible_by = 4;
  scenario.training.precision = DType::fp32;
  scenario.training.gradient_dtype = DType::fp32;
  scenario.training.micro_batch_size = 3;
  scenario.training.global_batch_size = 3;
  return scenario;
}

model::Scenario tiny_bert(model::NormPlacement placement) {
  model::Scenario scenario = tiny_gpt();
  model::Model& model = scenario.model;
  model.family = model::Family::bert;
  model.num_token_types = 2;
  model.norm_placement = placement;
  model.attention_mask = model::AttentionMask::bidirectional;
  model.output_head = model::OutputHead::masked_lm_and_binary;
  return scenario;
}

model::Recompute recompute(model::RecomputeGranularity granularity, model::RecomputeMethod method,
                           std::int64_t layers) {
  model::Recompute result;
  result.granularity = granularity;
  result.method = method;
  result.num_layers = layers;
  return result;
}

std::unique_ptr<Backend> backend_for(const model::Scenario& scenario) {
  return scenario.training.precision == DType::fp32 ? kernels::make_cpu_backend() : kernels::make_reference_backend();
}

TinyModel::TinyModel(const model::Scenario& scenario, std::unique_ptr<Backend> backend,
                     std::unique_ptr<kernels::Communicator> tensor_group, kernels::Recorder* recorder)
    : scenario_{scenario}, backend_{std::move(backend)}, memory_{backend_->memory()}, operations_{*backend_, recorder} {
  groups_.tensor = std::move(tensor_group);
  const model::Stage stage = only_stage(scenario_);
  parameters_ = kernels::declare_parameters(scenario_, stage, 0, groups_.tensor->rank());
  std::int64_t elements = 0;
  for (const Parameter& parameter : parameters_) elements += parameter.value.elements();
  values_ = Tensor{memory_, Component::parameters, scenario_.training.precision, 1, elements};
  gradients_ = Tensor{memory_, Component::gradients, scenario_.training.gradient_dtype, 1, elements};
  std::int64_t offset = 0;
  for (Parameter& parameter : parameters_) {
    parameter.value.data = values_.view().column_range(offset, 1).data;
    parameter.gradient.data = gradients_.view().column_range(offset, 1).data;
    offset += parameter.value.elements();
    set_value(parameter, kernels::initial_values(parameter, kSeed));
  }
  chunks_ = kernels::make_chunks({&scenario_, &operations_, &memory_, &groups_, kSeed}, stage, 0, parameters_);
}

template <class T>
kernels::Array<T> TinyModel::upload(const std::vector<T>& values) {
  kernels::Array<T> array{memory_, Component::workspace, static_cast<std::int64_t>(values.size())};
  backend_->upload(values.data(), array.data(), Bytes{array.count() * static_cast<std::int64_t>(sizeof(T))});
  return array;
}

MicroBatch TinyModel::batch(std::int64_t index) {
  const std::int64_t sequences = scenario_.training.micro_batch_size;
  const std::int64_t length = scenario_.model.seq_length;
  const bool bert = scenario_.model.family == model::Family::bert;
  MicroBatch batch;
  batch.index = index;
  batch.first_sample = index * sequences;
  batch.iteration = 7;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> positions;
  std::vector<std::int32_t> types;
  std::vector<std::int32_t> targets;
  std::vector<float> weights;
  const double share = 1.0 / static_cast<double>(sequences * length);
  for (std::int64_t position = 0; position < length; ++position) {
    for (std::int64_t sequence = 0; sequence < sequences; ++sequence) {
      const std::int64_t sample = batch.first_sample + sequence;
      tokens.push_back(pick("token", sample, position, scenario_.model.vocab_size));
      positions.push_back(static_cast<std::int32_t>(position));
      types.push_back(position >= length / 2 ? 1 : 0);
      targets.push_back(pick("target", sample, position, scenario_.model.vocab_size));
      const bool counts = !bert || pick("mask", sample, position, 3) == 0;
      weights.push_back(counts ? static_cast<float>(share) : 0.0F);
    }
  }
  batch.tokens = upload(tokens);
  batch.positions = upload(positions);
  batch.targets = upload(targets);
  batch.loss_weights = Tensor{memory_, Component::workspace, DType::fp32, 1, sequences * length};
  backend_->upload(weights.data(), batch.loss_weights.view().data, batch.loss_weights.view().bytes());
  if (!bert) return batch;
  std::vector<std::int32_t> valid;
  std::vector<std::int32_t> order;
  for (std::int64_t sequence = 0; sequence < sequences; ++sequence) {
    valid.push_back(static_cast<std::int32_t>(length) - pick("valid", batch.first_sample + sequence, 0, 3));
    order.push_back(pick("order", batch.first_sample + sequence, 0, 2));
  }
  batch.token_types = upload(types);
  batch.valid_lengths = upload(valid);
  batch.sentence_order = upload(order);
  batch.sentence_order_weight = 1.0 / static_cast<double>(sequences);
  return batch;
}

ModelChunk::Losses TinyModel::step(std::int64_t count) {
  backend_->fill(gradients_, 0.0);
  for (std::int64_t index = 0; index < count; ++index) {
    const MicroBatch one = batch(index);
    (void)chunk().forward(one, {});
    (void)chunk().backward(one, {});
  }
  return chunk().take_losses();
}

Tensor TinyModel::staging(const Matrix& like) {
  return {memory_, Component::temporaries, DType::fp32, like.rows, like.columns};
}

std::vector<float> TinyModel::download(const Matrix& matrix) {
  const Tensor copy = staging(matrix);
  backend_->copy(matrix, copy);
  std::vector<float> values(static_cast<std::size_t>(matrix.elements()));
  backend_->download(copy.view().data, values.data(), copy.view().bytes());
  return values;
}

std::vector<float> TinyModel::gradient(const Parameter& parameter) {
  if (!parameter.sum_gradient_over_tensor_group) return download(parameter.gradient);
  const Tensor sum = staging(parameter.gradient);
  backend_->copy(parameter.gradient, sum);
  groups_.tensor->all_reduce(sum, kernels::Reduction::sum);
  return download(sum);
}

void TinyModel::set_value(const Parameter& parameter, const std::vector<float>& values) {
  const Tensor copy = staging(parameter.value);
  backend_->upload(values.data(), copy.view().data, copy.view().bytes());
  backend_->copy(copy, parameter.value);
}

std::vector<float> TinyModel::value(const Parameter& parameter) { return download(parameter.value); }

std::vector<float> shard(const std::vector<float>& whole, const Parameter& part) {
  using kernels::Sharding;
  const std::int64_t first_row = part.sharding == Sharding::rows ? part.first : 0;
  const std::int64_t first_column = part.sharding == Sharding::columns ? part.first : 0;
  std::vector<float> values;
  for (std::int64_t row = 0; row < part.value.rows; ++row) {
    for (std::int64_t column = 0; column < part.value.columns; ++column) {
      const std::int64_t at = (first_row + row) * part.columns + first_column + column;
      // Rows that only pad the vocabulary are absent from a model that pads less.
      values.push_back(at < static_cast<std::int64_t>(whole.size()) ? whole[static_cast<std::size_t>(at)] : 0.0F);
    }
  }
  return values;
}

}  // namespace shardsim::test

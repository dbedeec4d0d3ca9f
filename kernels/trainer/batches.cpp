#include "kernels/trainer/batches.hpp"

#include <algorithm>
#include <cstddef>

namespace shardsim::kernels {

Batches::Batches(const model::Scenario& scenario, const DataSource& data, const Groups& groups, Memory& memory,
                 Backend& backend)
    : scenario_{scenario}, data_{data}, groups_{groups}, memory_{memory}, backend_{backend} {}

std::int64_t Batches::first_sample(std::int64_t index) const {
  return (index * groups_.data->size() + groups_.data->rank()) * scenario_.training.micro_batch_size;
}

void Batches::start_iteration(std::int64_t iteration, double loss_scale) {
  const std::int64_t global_batch = scenario_.training.global_batch_size;
  iteration_ = iteration;
  samples_.clear();
  double counted = 0.0;
  for (std::int64_t index = 0; index < micro_batches(scenario_); ++index) {
    for (std::int64_t i = 0; i < scenario_.training.micro_batch_size; ++i) {
      samples_.push_back(data_.sample(iteration * global_batch + first_sample(index) + i));
      for (const float counts : samples_.back().loss_mask) counted += counts;
    }
  }
  const double total = groups_.data->all_reduce_value(counted, Reduction::sum);
  weight_ = loss_scale / std::max(total, 1.0);
  sentence_order_weight_ = loss_scale / static_cast<double>(global_batch);
}

MicroBatch Batches::micro_batch(std::int64_t index) const {
  const std::int64_t sequences = scenario_.training.micro_batch_size;
  const std::int64_t length = scenario_.model.seq_length;
  const bool bert = scenario_.model.family == model::Family::bert;
  const Sample* samples = &samples_[static_cast<std::size_t>(index * sequences)];
  MicroBatch batch;
  batch.index = index;
  batch.first_sample = first_sample(index);
  batch.iteration = iteration_;
  batch.sentence_order_weight = sentence_order_weight_;

  const auto upload = [&](const std::vector<std::int32_t>& host) {
    Array<std::int32_t> device{memory_, Component::activations, static_cast<std::int64_t>(host.size())};
    backend_.upload(host.data(), device.data(), Bytes{device.count() * 4});
    return device;
  };
  // Rows of activations are position · sequences + sequence.
  const auto by_row = [&](auto&& element) {
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(length * sequences));
    for (std::size_t position = 0; position < static_cast<std::size_t>(length); ++position) {
      for (std::int64_t i = 0; i < sequences; ++i) rows.push_back(element(samples[i], position));
    }
    return upload(rows);
  };
  batch.tokens = by_row([](const Sample& sample, std::size_t at) { return sample.tokens[at]; });
  batch.targets = by_row([](const Sample& sample, std::size_t at) { return sample.targets[at]; });
  batch.positions = by_row([](const Sample&, std::size_t at) { return static_cast<std::int32_t>(at); });

  std::vector<float> weights;
  for (std::size_t position = 0; position < static_cast<std::size_t>(length); ++position) {
    for (std::int64_t i = 0; i < sequences; ++i) {
      weights.push_back(static_cast<float>(samples[i].loss_mask[position] * weight_));
    }
  }
  batch.loss_weights = Tensor{memory_, Component::activations, DType::fp32, length * sequences, 1};
  backend_.upload(weights.data(), batch.loss_weights.view().data, batch.loss_weights.view().bytes());

  if (!bert) return batch;
  batch.token_types = by_row([](const Sample& sample, std::size_t at) { return sample.token_types[at]; });
  const auto by_sequence = [&](std::int32_t Sample::*field) {
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < sequences; ++i) values.push_back(samples[i].*field);
    return upload(values);
  };
  batch.valid_lengths = by_sequence(&Sample::valid_length);
  batch.sentence_order = by_sequence(&Sample::sentence_order);
  return batch;
}

}  // namespace shardsim::kernels

#include "kernels/trainer/flat_buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/model/initial_values.hpp"

namespace shardsim::kernels {
namespace {

std::int64_t padded(std::int64_t count, std::int64_t multiple) { return (count + multiple - 1) / multiple * multiple; }

/// In place, through an fp32 copy on the device that knows its own formats; some rows at a time, since what the host
/// once took stays with the process.
void fill_first_values(const Parameter& parameter, Memory& memory, Backend& backend, std::uint64_t seed) {
  if (parameter.initial.kind == Initial::Kind::zeros) return;
  constexpr std::int64_t kElements = std::int64_t{1} << 16;
  const Matrix& whole = parameter.value;
  const std::int64_t most = std::max<std::int64_t>(1, kElements / whole.columns);
  for (std::int64_t first = 0; first < whole.rows; first += most) {
    const std::int64_t rows = std::min(most, whole.rows - first);
    const std::vector<float> values = initial_rows(parameter, seed, first, rows);
    const Tensor copy{memory, Component::temporaries, DType::fp32, rows, whole.columns};
    backend.upload(values.data(), copy.view().data, copy.view().bytes());
    backend.copy(copy, whole.row_range(first, rows));
  }
}

}  // namespace

FlatLayout lay_out(const std::vector<Parameter>& parameters, std::int64_t shards, std::int64_t bucket_elements) {
  FlatLayout layout;
  Range open;
  const auto close = [&] {
    if (open.count == 0) return;
    open.count = padded(open.count, shards);
    layout.buckets.push_back(open);
    open = {open.first + open.count, 0};
  };
  for (const Parameter& parameter : parameters) {
    const bool alone = shards > 1 && parameter.shared_embedding;
    if (alone) close();
    layout.offsets.push_back(open.first + open.count);
    open.count += parameter.value.elements();
    if (alone || (bucket_elements > 0 && open.count >= bucket_elements)) close();
  }
  close();
  layout.elements = open.first;
  return layout;
}

FlatLayout lay_out(const std::vector<Parameter>& parameters, const model::Scenario& scenario) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const std::int64_t shards = parallelism.zero_stage >= 1 ? parallelism.data_parallel_size : 1;
  const Bytes bucket = parallelism.overlap.grad_reduce ? scenario.stack.gradient_bucket : Bytes{0};
  return lay_out(parameters, shards, bucket.value() / storage_size(scenario.training.gradient_dtype).value());
}

ParameterBuffers make_buffers(std::vector<Parameter> parameters, const FlatLayout& layout, Memory& memory,
                              Backend& backend, std::uint64_t seed) {
  ParameterBuffers buffers;
  buffers.parameters = std::move(parameters);
  if (buffers.parameters.empty()) return buffers;
  const auto flat = [&](Component component, DType dtype) {
    return Tensor{memory, component, dtype, 1, layout.elements};
  };
  buffers.values = flat(Component::parameters, buffers.parameters.front().value.dtype);
  buffers.gradients = flat(Component::gradients, buffers.parameters.front().gradient.dtype);
  backend.fill(buffers.values, 0.0);
  backend.fill(buffers.gradients, 0.0);
  for (std::size_t i = 0; i < buffers.parameters.size(); ++i) {
    Parameter& parameter = buffers.parameters[i];
    const Range range{layout.offsets[i], parameter.value.elements()};
    parameter.value.data = part_of(buffers.values, range).data;
    parameter.gradient.data = part_of(buffers.gradients, range).data;
    fill_first_values(parameter, memory, backend, seed);
  }
  return buffers;
}

std::vector<Range> shard_ranges(const FlatLayout& layout, std::int64_t shards, std::int64_t shard) {
  std::vector<Range> ranges;
  for (const Range& bucket : layout.buckets) {
    const std::int64_t count = bucket.count / shards;
    ranges.push_back({bucket.first + shard * count, count});
  }
  return ranges;
}

std::vector<Piece> pieces_of(const std::vector<Parameter>& parameters, const FlatLayout& layout,
                             const std::vector<Range>& ranges) {
  std::vector<Piece> pieces;
  std::int64_t state = 0;
  for (const Range& range : ranges) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& parameter = parameters[i];
      const std::int64_t first = std::max(range.first, layout.offsets[i]);
      const std::int64_t end = std::min(range.first + range.count, layout.offsets[i] + parameter.value.elements());
      if (first >= end) continue;
      const Piece piece{
          {first, end - first}, state + first - range.first, parameter.weight_decay, parameter.counts_in_norm};
      Piece* last = pieces.empty() ? nullptr : &pieces.back();
      const bool joins = last != nullptr && last->flat.first + last->flat.count == piece.flat.first &&
                         last->state + last->flat.count == piece.state && last->weight_decay == piece.weight_decay &&
                         last->counts_in_norm == piece.counts_in_norm;
      if (joins) {
        last->flat.count += piece.flat.count;
      } else {
        pieces.push_back(piece);
      }
    }
    state += range.count;
  }
  return pieces;
}

}  // namespace shardsim::kernels

#include "kernels/checkpoint/state_slice.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

std::int64_t offset_in(const Matrix& flat, const Matrix& inside) {
  return (inside.as<char>() - flat.as<char>()) / model::storage_size(flat.dtype).value();
}

Matrix elements_of(const Matrix& row, std::int64_t first, std::int64_t count) {
  return {row.as<char>() + first * model::storage_size(row.dtype).value(), row.dtype, 1, count, count};
}

}  // namespace

std::vector<StateSlice> state_slices(const std::string& kind, const ParameterBuffers& buffers, std::int64_t first,
                                     const Matrix& data) {
  SHARDSIM_CHECK(data.contiguous(), "state lies in one piece");
  std::vector<StateSlice> slices;
  for (const Parameter& parameter : buffers.parameters) {
    const std::int64_t start = offset_in(buffers.values.view(), parameter.value);
    const std::int64_t from = std::max(start, first);
    const std::int64_t to = std::min(start + parameter.value.elements(), first + data.elements());
    if (from >= to) continue;
    StateSlice slice;
    slice.kind = kind;
    slice.parameter = parameter.name;
    slice.rows = parameter.rows;
    slice.columns = parameter.columns;
    slice.first_row = parameter.sharding == Sharding::rows ? parameter.first : 0;
    slice.first_column = parameter.sharding == Sharding::columns ? parameter.first : 0;
    slice.part_rows = parameter.value.rows;
    slice.part_columns = parameter.value.columns;
    slice.begin = from - start;
    slice.data = elements_of(data, from - first, to - from);
    slices.push_back(slice);
  }
  return slices;
}

std::vector<RowRun> rows_of(const StateSlice& slice) {
  std::vector<RowRun> runs;
  const std::int64_t end = slice.begin + slice.data.elements();
  for (std::int64_t at = slice.begin; at < end;) {
    const std::int64_t row = at / slice.part_columns;
    const std::int64_t column = at % slice.part_columns;
    const std::int64_t count = std::min(slice.part_columns - column, end - at);
    runs.push_back({slice.first_row + row, slice.first_column + column, count, at - slice.begin});
    at += count;
  }
  return runs;
}

RowRun meeting(const RowRun& run, const StateSlice& slice) {
  const std::int64_t row = run.row - slice.first_row;
  if (row < 0 || row >= slice.part_rows) return {};
  // Within the part's row, then within the elements of it that the slice holds.
  const std::int64_t row_start = row * slice.part_columns - slice.begin;
  const std::int64_t from = std::max({run.column - slice.first_column, std::int64_t{0}, -row_start});
  const std::int64_t to =
      std::min({run.column + run.count - slice.first_column, slice.part_columns, slice.data.elements() - row_start});
  if (from >= to) return {};
  return {run.row, slice.first_column + from, to - from, row_start + from};
}

}  // namespace shardsim::kernels

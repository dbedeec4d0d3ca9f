#include <algorithm>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {
namespace {

void add_row(const float* from, float* to, std::int64_t columns) {
#pragma omp simd
  for (std::int64_t c = 0; c < columns; ++c) to[c] += from[c];
}

void check_columns(const Matrix& a, const Matrix& b) {
  check_shape(a, a.rows, b.columns);
  check_shape(b, b.rows, a.columns);
}

}  // namespace

void CpuBackend::embedding(const std::int32_t* ids, const Matrix& table, std::int64_t first_id, const Matrix& y) {
  check_columns(y, table);
  for (std::int64_t t = 0; t < y.rows; ++t) {
    const std::int64_t id = ids[t] - first_id;
    float* out = row_of(y, t);
    if (id >= 0 && id < table.rows) {
      std::copy_n(row_of(table, id), y.columns, out);
    } else {
      std::fill_n(out, y.columns, 0.0F);
    }
  }
}

void CpuBackend::embedding_backward(const std::int32_t* ids, const Matrix& dy, std::int64_t first_id,
                                    const Matrix& dtable) {
  check_columns(dy, dtable);
  for (std::int64_t t = 0; t < dy.rows; ++t) {
    const std::int64_t id = ids[t] - first_id;
    if (id >= 0 && id < dtable.rows) add_row(row_of(dy, t), row_of(dtable, id), dy.columns);
  }
}

void CpuBackend::add_embedding(const std::int32_t* ids, const Matrix& table, const Matrix& y) {
  check_columns(y, table);
  for (std::int64_t t = 0; t < y.rows; ++t) {
    SHARDSIM_CHECK(ids[t] >= 0 && ids[t] < table.rows, std::to_string(ids[t]));
    add_row(row_of(table, ids[t]), row_of(y, t), y.columns);
  }
}

void CpuBackend::gather_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) {
  check_columns(from, to);
  for (std::int64_t i = 0; i < to.rows; ++i) std::copy_n(row_of(from, rows[i]), to.columns, row_of(to, i));
}

void CpuBackend::scatter_add_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) {
  check_columns(from, to);
  for (std::int64_t i = 0; i < from.rows; ++i) add_row(row_of(from, i), row_of(to, rows[i]), to.columns);
}

}  // namespace shardsim::kernels

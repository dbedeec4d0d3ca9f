// Runs the same calls on the reference and on a backend under test, and compares what they leave in memory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/operators/backend.hpp"
#include "kernels/reference/values.hpp"

namespace shardsim::kernels::test {

using reference::Values;

/// Numbers of a normal distribution, the same for the same seed.
[[nodiscard]] Values random_values(std::int64_t rows, std::int64_t columns, unsigned seed, double deviation = 1.0);

/// A backend with memory of its own.
class Device {
 public:
  /// Matrices are stored in `dtype` with `padding` unused elements after each row.
  Device(std::unique_ptr<Backend> backend, DType dtype, std::int64_t padding);

  [[nodiscard]] Backend& backend() { return *backend_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] Matrix put(const Values& values) { return put(values, dtype_); }
  [[nodiscard]] Matrix put(const Values& values, DType dtype);
  [[nodiscard]] Matrix zeros(std::int64_t rows, std::int64_t columns) { return put(Values(rows, columns)); }
  /// What statistics, losses and moments are stored as.
  [[nodiscard]] Matrix zeros_fp32(std::int64_t rows, std::int64_t columns) {
    return put(Values(rows, columns), DType::fp32);
  }
  [[nodiscard]] Values get(const Matrix& matrix);

  [[nodiscard]] const std::int32_t* put(const std::vector<std::int32_t>& ids);
  [[nodiscard]] std::uint8_t* bytes(std::int64_t count);
  [[nodiscard]] Values get(const std::uint8_t* bytes, std::int64_t count);

 private:
  std::unique_ptr<Backend> backend_;
  Memory memory_;
  DType dtype_;
  std::int64_t padding_;
  std::vector<Tensor> tensors_;
  std::vector<Array<std::int32_t>> ids_;
  std::vector<Array<std::uint8_t>> bytes_;
};

struct Subject {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;
  DType dtype = DType::fp32;
  /// Of each result, relative to the largest element of its matrix.
  double tolerance = 2e-6;
  /// The same for long sums (matrix products, gradients of biases).
  double sum_tolerance = 5e-6;
  /// Why it cannot run here; its tests are skipped with this reason.
  std::string missing = {};
};
inline std::ostream& operator<<(std::ostream& stream, const Subject& subject) { return stream << subject.name; }

/// Instantiate with INSTANTIATE_TEST_SUITE_P(name, BackendTest, testing::Values(Subject{…})).
class BackendTest : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << "not measured: " << GetParam().missing;
  }
  using Work = std::function<std::vector<Values>(Device&)>;
  /// work's results on the subject equal those on the reference, with dense and with strided rows.
  void expect_equal(const Work& work) { compare(work, GetParam().tolerance); }
  void expect_equal_sums(const Work& work) { compare(work, GetParam().sum_tolerance); }
  [[nodiscard]] Device subject(std::int64_t padding = 0) const {
    return {GetParam().make(), GetParam().dtype, padding};
  }

 private:
  static void compare(const Work& work, double tolerance);
};

/// Rows × columns around the widths of vectors, of blocks, and of nothing.
inline constexpr std::int64_t kShapes[][2] = {{1, 1},  {3, 7},   {1, 16},   {5, 17},   {13, 64},
                                              {2, 97}, {9, 129}, {33, 257}, {3, 1021}, {4, 2304}};

}  // namespace shardsim::kernels::test

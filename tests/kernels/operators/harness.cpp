#include "tests/kernels/operators/harness.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/reference/reference_backend.hpp"

namespace shardsim::kernels::test {

Values random_values(std::int64_t rows, std::int64_t columns, unsigned seed, double deviation) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, deviation);
  return reference::generate(rows, columns, [&](auto, auto) { return normal(engine); });
}

Device::Device(std::unique_ptr<Backend> backend, DType dtype, std::int64_t padding)
    : backend_{std::move(backend)}, memory_{backend_->memory()}, dtype_{dtype}, padding_{padding} {}

Matrix Device::put(const Values& values, DType dtype) {
  const std::int64_t stride = values.columns + (values.rows > 1 ? padding_ : 0);
  Tensor& tensor = tensors_.emplace_back(memory_, Component::temporaries, dtype, values.rows, stride);
  std::vector<std::byte> host(static_cast<std::size_t>(tensor.view().bytes().value()));
  Matrix view{host.data(), dtype, values.rows, values.columns, stride};
  reference::store(values, view);
  backend_->upload(host.data(), tensor.view().data, tensor.view().bytes());
  view.data = tensor.view().data;
  return view;
}

Values Device::get(const Matrix& matrix) {
  backend_->synchronise();
  const Bytes size = ((matrix.rows - 1) * matrix.stride + matrix.columns) * storage_size(matrix.dtype);
  std::vector<std::byte> host(static_cast<std::size_t>(size.value()));
  backend_->download(matrix.data, host.data(), size);
  Matrix view = matrix;
  view.data = host.data();
  return reference::load(view);
}

const std::int32_t* Device::put(const std::vector<std::int32_t>& ids) {
  auto& array = ids_.emplace_back(memory_, Component::temporaries, static_cast<std::int64_t>(ids.size()));
  backend_->upload(ids.data(), array.data(), Bytes{static_cast<std::int64_t>(4 * ids.size())});
  return array.data();
}

std::uint8_t* Device::bytes(std::int64_t count) {
  return bytes_.emplace_back(memory_, Component::temporaries, count).data();
}

Values Device::get(const std::uint8_t* bytes, std::int64_t count) {
  backend_->synchronise();
  std::vector<std::uint8_t> host(static_cast<std::size_t>(count));
  backend_->download(bytes, host.data(), Bytes{count});
  return reference::generate(1, count, [&](auto, auto c) { return double{1} * host[static_cast<std::size_t>(c)]; });
}

void BackendTest::compare(const Work& work, double tolerance) {
  for (const std::int64_t padding : {0, 3}) {
    Device expected_on(make_reference_backend(), GetParam().dtype, padding);
    Device actual_on(GetParam().make(), GetParam().dtype, padding);
    const std::vector<Values> expected = work(expected_on);
    const std::vector<Values> actual = work(actual_on);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double largest = 1e-4;  // results that are all 0 may have rounding errors
      for (const double value : expected[i].data) largest = std::max(largest, std::abs(value));
      ASSERT_EQ(actual[i].data.size(), expected[i].data.size());
      for (std::size_t j = 0; j < expected[i].data.size(); ++j) {
        ASSERT_NEAR(actual[i].data[j], expected[i].data[j], tolerance * largest)
            << "result " << i << ", element " << j << " of " << expected[i].rows << " × " << expected[i].columns
            << ", padding " << padding;
      }
    }
  }
}

}  // namespace shardsim::kernels::test

#include <array>
#include <cstdio>
#include <string_view>

#include "kernels/gpu/benchmark/tables.hpp"
#include "kernels/gpu/benchmark/timing.hpp"

namespace shardsim::kernels::gpu {
namespace {

constexpr DType kFormat = DType::bf16;
constexpr std::int64_t kElement = 2;

/// Times kernels over one rows × columns activation, and knows the bytes that each must move.
class Kernels {
 public:
  Kernels(Backend& backend, const Provenance& provenance, std::int64_t rows, std::int64_t columns)
      : backend_{backend}, provenance_{provenance}, memory_{backend.memory()}, rows_{rows}, columns_{columns} {}

  std::string all() {
    const Tensor x = activation();
    const Tensor y = activation();
    const Tensor residual = activation();
    const Tensor vector{memory_, Component::workspace, kFormat, 1, columns_};
    const Tensor gradient{memory_, Component::workspace, DType::fp32, 1, columns_};
    const Tensor statistics{memory_, Component::workspace, DType::fp32, rows_, 2};
    const Array<std::uint8_t> mask{memory_, Component::workspace, rows_ * columns_};
    backend_.fill(vector, 0.5);
    backend_.fill(gradient, 0.0);
    const DropoutSite site{1, 0.1, 0, 8, 0, 0};
    time("layer_norm", 2 * kElement, [&] { backend_.layer_norm(x, vector, vector, 1e-5, y, statistics); });
    time("layer_norm_backward", 3 * kElement,
         [&] { backend_.layer_norm_backward(residual, x, vector, statistics, y, gradient, gradient); });
    time("bias_gelu", 2 * kElement, [&] { backend_.bias_gelu(x, vector, y); });
    time("bias_gelu_backward", 3 * kElement, [&] { backend_.bias_gelu_backward(residual, x, vector, y); });
    time("bias_dropout_add", 3 * kElement + 1,
         [&] { backend_.bias_dropout_add(x, vector, residual, site, y, mask.data()); });
    time("bias_gradient", kElement, [&] { backend_.bias_gradient(x, gradient); });
    time("add", 3 * kElement, [&] { backend_.add(x, y); });
    return table_;
  }

  /// Attention scores: rows = sequences · heads · queries, columns = keys.
  std::string softmax() {
    const Tensor scores = activation();
    const Tensor probabilities = activation();
    const AttentionShape shape{8, rows_ / 8 / columns_, 0, columns_, columns_, true, nullptr};
    time("masked_softmax", 2 * kElement, [&] { backend_.masked_softmax(scores, shape, 0.125, probabilities); });
    time("masked_softmax_backward", 3 * kElement,
         [&] { backend_.masked_softmax_backward(scores, probabilities, shape, 0.125, scores); });
    return table_;
  }

  /// One row of parameters: fp32 gradient, master and moments, bf16 weights.
  std::string adam() {
    const auto single = [&] {
      Tensor tensor{memory_, Component::workspace, DType::fp32, 1, columns_};
      backend_.fill(tensor, 0.01);
      return tensor;
    };
    const Tensor gradient = single();
    const Tensor master = single();
    const Tensor first = single();
    const Tensor second = single();
    const Tensor weights{memory_, Component::workspace, kFormat, 1, columns_};
    time("adam", 4 + 3 * 8 + kElement, [&] { backend_.adam(gradient, {}, master, first, second, weights); });
    return table_;
  }

 private:
  Tensor activation() {
    Tensor tensor{memory_, Component::workspace, kFormat, rows_, columns_};
    backend_.fill(tensor, 0.25);
    return tensor;
  }

  template <class Work>
  void time(std::string_view kernel, std::int64_t bytes_per_element, const Work& work) {
    const double seconds = median_seconds(backend_, work);
    const auto bytes = static_cast<double>(bytes_per_element * rows_ * columns_);
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), "%s,%s,%lldx%lld bf16,%.3f,%.1f,%s; %s\n", provenance_.gpu.c_str(),
                  std::string(kernel).c_str(), static_cast<long long>(rows_), static_cast<long long>(columns_),
                  seconds * 1e6, bytes / seconds * 1e-9, provenance_.source.c_str(), provenance_.software.c_str());
    table_ += text.data();
  }

  Backend& backend_;
  const Provenance& provenance_;
  Memory memory_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::string table_;
};

}  // namespace

std::string measure_memory_bound(Backend& backend, const Provenance& provenance) {
  std::string table = "gpu,kernel,bytes_or_shape,time_us,GBps,source\n";
  for (const std::int64_t hidden : {1024, 4096}) table += Kernels{backend, provenance, 8192, hidden}.all();
  table += Kernels{backend, provenance, std::int64_t{8} * 16 * 1024, 1024}.softmax();
  table += Kernels{backend, provenance, 1, std::int64_t{100} << 20}.adam();
  return table;
}

}  // namespace shardsim::kernels::gpu

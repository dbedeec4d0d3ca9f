#include <array>
#include <cstdio>
#include <string_view>

#include "kernels/gpu/benchmark/tables.hpp"
#include "kernels/gpu/benchmark/timing.hpp"

namespace shardsim::kernels::gpu {
namespace {

struct Shape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t batch = 1;
};

/// As calibrate names them: forward TN, input gradient NN, weight gradient NT accumulated in fp32.
struct Layout {
  std::string_view name;
  bool a_transposed;
  bool b_transposed;
  bool accumulates;
};
constexpr std::array<Layout, 3> kLayouts = {
    Layout{"TN", false, true, false}, Layout{"NN", false, false, false}, Layout{"NT+acc_fp32", true, false, true}};

/// Hidden size h, s·b tokens: the four linear layers of a transformer layer.
std::vector<Shape> layer_shapes(std::int64_t hidden, std::int64_t tokens) {
  return {{tokens, 3 * hidden, hidden}, {tokens, hidden, hidden}, {tokens, 4 * hidden, hidden},
          {tokens, hidden, 4 * hidden}};
}

std::vector<Shape> linear_shapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t hidden : {1024, 1536, 2304}) {
    for (const std::int64_t tokens : {4096, 8192}) {
      for (const Shape& shape : layer_shapes(hidden, tokens)) shapes.push_back(shape);
    }
  }
  for (const std::int64_t size : {512, 1024, 2048, 4096, 8192}) shapes.push_back({size, size, size});
  shapes.push_back({8192, 51200, 1024});
  return shapes;
}

std::string row(const Provenance& provenance, DType dtype, std::string_view layout, const Shape& shape,
                double seconds) {
  const double flops = 2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k * shape.batch);
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), "%s,%s,%lld,%lld,%lld,%s,%lld,%.3f,%.2f,%s,%s\n", provenance.gpu.c_str(),
                dtype == DType::bf16 ? "bf16" : "fp32", static_cast<long long>(shape.m),
                static_cast<long long>(shape.n), static_cast<long long>(shape.k), std::string(layout).c_str(),
                static_cast<long long>(shape.batch), seconds * 1e6, flops / seconds * 1e-12,
                provenance.software.c_str(), provenance.source.c_str());
  return text.data();
}

double time_product(Backend& backend, Memory& memory, DType dtype, const Layout& layout, const Shape& shape) {
  const auto [m, n, k, batch] = shape;
  const Tensor a{memory, Component::workspace, dtype, layout.a_transposed ? k : m, layout.a_transposed ? m : k};
  const Tensor b{memory, Component::workspace, dtype, layout.b_transposed ? n : k, layout.b_transposed ? k : n};
  const Tensor c{memory, Component::workspace, layout.accumulates ? DType::fp32 : dtype, m, n};
  // Zeros would draw less power than trained weights do.
  backend.fill(a, 0.37);
  backend.fill(b, -0.73);
  backend.fill(c, 0.0);
  return median_seconds(backend, [&] {
    backend.gemm({a, layout.a_transposed}, {b, layout.b_transposed}, c, layout.accumulates);
  });
}

/// Scores and context of unfused attention: batches of [s, s, d] and [s, d, s].
double time_attention_product(Backend& backend, Memory& memory, const Shape& shape, bool b_transposed) {
  const auto [m, n, k, batch] = shape;
  const Tensor a{memory, Component::workspace, DType::bf16, batch * m, k};
  const Tensor b{memory, Component::workspace, DType::bf16, batch * n, k};
  const Tensor c{memory, Component::workspace, DType::bf16, batch * m, n};
  backend.fill(a, 0.37);
  backend.fill(b, -0.73);
  const Matrix b_first = b_transposed ? b.view().row_range(0, n) : b.view().reshaped(batch * k, n).row_range(0, k);
  return median_seconds(backend, [&] {
    backend.batched_gemm({{a.view().row_range(0, m), batch, m * k}, false}, {{b_first, batch, n * k}, b_transposed},
                         {c.view().row_range(0, m), batch, m * n}, 1.0);
  });
}

}  // namespace

std::string measure_products(Backend& backend, const Provenance& provenance) {
  Memory memory{backend.memory()};
  std::string table = "gpu,dtype,m,n,k,layout,batch,time_us,tflops,software,source\n";
  for (const Shape& shape : linear_shapes()) {
    for (const Layout& layout : kLayouts) {
      table += row(provenance, DType::bf16, layout.name, shape,
                   time_product(backend, memory, DType::bf16, layout, shape));
    }
  }
  for (const std::int64_t size : {1024, 4096}) {
    const Shape shape{size, size, size};
    table += row(provenance, DType::fp32, "TN", shape, time_product(backend, memory, DType::fp32, kLayouts[0], shape));
  }
  for (const std::int64_t heads : {16, 24}) {
    const Shape scores{1024, 1024, 64, 8 * heads};
    table += row(provenance, DType::bf16, "TN", scores, time_attention_product(backend, memory, scores, true));
    const Shape context{1024, 64, 1024, 8 * heads};
    table += row(provenance, DType::bf16, "NN", context, time_attention_product(backend, memory, context, false));
  }
  return table;
}

}  // namespace shardsim::kernels::gpu

#include <array>
#include <cmath>
#include <utility>

#include "calibrate/measure/bench.hpp"
#include "kernels/reference/reference_backend.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Kernel;
using kernels::AttentionShape;
using kernels::Backend;
using kernels::DropoutSite;
using kernels::Matrix;

constexpr double kDropout = 0.1;
constexpr std::int64_t kVocabulary = 8192;

/// Rows × columns of what a kernel works on, and where.
struct Place {
  Arena& arena;
  std::int64_t rows;
  std::int64_t columns;

  [[nodiscard]] Backend& backend() const { return arena.backend(); }
  [[nodiscard]] Matrix whole(double low = -1.0, double high = 1.0) const {
    return arena.matrix(rows, columns, low, high);
  }
  [[nodiscard]] Matrix row() const { return arena.matrix(1, columns); }
  [[nodiscard]] Matrix column() const { return arena.matrix(rows, 1); }
  [[nodiscard]] DropoutSite site() const { return {7, kDropout, 0, 1, 0, 0}; }
};

/// `run` works in place on `changed`, which the operator before has just written.
Workload in_place(const Place& place, const Matrix& changed, std::function<void()> run) {
  const Matrix original = place.arena.copy_of(changed);
  Backend& backend = place.backend();
  return {std::move(run), [=, &backend] { backend.copy(original, changed); }, false, {}};
}

Workload after_long(Workload workload) {
  workload.cold = true;
  return workload;
}

/// As one sequence whose heads fill the rows.
AttentionShape attention_shape(const Place& place, bool causal) {
  const std::int64_t queries = place.rows % place.columns == 0 ? place.columns : place.rows;
  AttentionShape shape;
  shape.heads = place.rows / queries;
  shape.queries = queries;
  shape.keys = place.columns;
  shape.causal = causal;
  return shape;
}

Workload softmax(const Place& place, bool causal) {
  const Matrix scores = place.whole();
  const AttentionShape shape = attention_shape(place, causal);
  return in_place(place, scores, [=] { place.backend().masked_softmax(scores, shape, 0.125, scores); });
}

Workload softmax_backward(const Place& place, bool causal) {
  const Matrix gradient = place.whole();
  const Matrix probabilities = place.whole(0.0, 1.0);
  const AttentionShape shape = attention_shape(place, causal);
  // What a kernel makes of probabilities that the mask excludes is its own affair: there are none.
  place.backend().masked_softmax(probabilities, shape, 1.0, probabilities);
  return after_long(in_place(place, gradient, [=] {
    place.backend().masked_softmax_backward(gradient, probabilities, shape, 0.125, gradient);
  }));
}

Workload layer_norm(const Place& place) {
  const Matrix x = place.whole(), y = place.whole(), weight = place.row(), bias = place.row();
  const Matrix statistics = place.arena.matrix(place.rows, 2);
  return {[=] { place.backend().layer_norm(x, weight, bias, 1e-5, y, statistics); }, {}, false, {}};
}

Workload layer_norm_backward(const Place& place) {
  const Matrix x = place.whole(), y = place.whole(), dy = place.whole(), dx = place.whole();
  const Matrix weight = place.row(), bias = place.row(), dweight = place.row(), dbias = place.row();
  const Matrix statistics = place.arena.matrix(place.rows, 2);
  place.backend().layer_norm(x, weight, bias, 1e-5, y, statistics);
  return {[=] { place.backend().layer_norm_backward(dy, x, weight, statistics, dx, dweight, dbias); }, {}, true, {}};
}

Workload gelu(const Place& place) {
  const Matrix x = place.whole(), y = place.whole(), bias = place.row();
  return {[=] { place.backend().bias_gelu(x, bias, y); }, {}, false, {}};
}

Workload gelu_backward(const Place& place) {
  const Matrix x = place.whole(), dy = place.whole(), bias = place.row();
  return after_long(in_place(place, dy, [=] { place.backend().bias_gelu_backward(dy, x, bias, dy); }));
}

Workload dropout_add(const Place& place, bool drops) {
  const Matrix x = place.whole(), residual = place.whole(), bias = place.row();
  std::uint8_t* mask = drops ? place.arena.mask(place.rows * place.columns) : nullptr;
  return in_place(place, x, [=] { place.backend().bias_dropout_add(x, bias, residual, place.site(), x, mask); });
}

Workload dropout_add_backward(const Place& place) {
  const Matrix dy = place.whole(), dx = place.whole(), dbias = place.row();
  const std::uint8_t* mask = place.arena.mask(place.rows * place.columns);
  return {[=] {
            place.backend().dropout_backward(dy, mask, kDropout, dx);
            place.backend().bias_gradient(dx, dbias);
          },
          {},
          true,
          {}};
}

Workload dropout(const Place& place) {
  const Matrix x = place.whole();
  std::uint8_t* mask = place.arena.mask(place.rows * place.columns);
  return in_place(place, x, [=] { place.backend().dropout(x, place.site(), x, mask); });
}

Workload dropout_backward(const Place& place) {
  const Matrix dy = place.whole();
  const std::uint8_t* mask = place.arena.mask(place.rows * place.columns);
  return after_long(in_place(place, dy, [=] { place.backend().dropout_backward(dy, mask, kDropout, dy); }));
}

Workload attention_dropout(const Place& place) {
  const Matrix x = place.whole(), y = place.whole();
  std::uint8_t* mask = place.arena.mask(place.rows * place.columns);
  const AttentionShape shape = attention_shape(place, true);
  return {[=] { place.backend().attention_dropout(x, shape, place.site(), y, mask); }, {}, false, {}};
}

Workload bias_gradient(const Place& place) {
  const Matrix dy = place.whole(), dbias = place.row();
  return {[=] { place.backend().bias_gradient(dy, dbias); }, {}, false, {}};
}

Workload add(const Place& place) {
  const Matrix x = place.whole(), y = place.whole();
  return {[=] { place.backend().add(x, y); }, {}, false, {}};
}

Workload embedding(const Place& place) {
  const Matrix table = place.arena.matrix(kVocabulary, place.columns), y = place.whole();
  const std::int32_t* ids = place.arena.ids(place.rows, kVocabulary);
  return {[=] { place.backend().embedding(ids, table, 0, y); }, {}, true, {}};
}

Workload embedding_gradient(const Place& place) {
  const Matrix table = place.arena.matrix(kVocabulary, place.columns), dy = place.whole();
  const std::int32_t* ids = place.arena.ids(place.rows, kVocabulary);
  return {[=] { place.backend().embedding_backward(ids, dy, 0, table); }, {}, true, {}};
}

Workload add_embedding(const Place& place) {
  const Matrix table = place.arena.matrix(place.rows, place.columns), y = place.whole();
  const std::int32_t* ids = place.arena.ids(place.rows, place.rows);
  return {[=] { place.backend().add_embedding(ids, table, y); }, {}, false, {}};
}

Workload row_maximum(const Place& place) {
  const Matrix logits = place.whole(), maximum = place.column();
  return {[=] { place.backend().row_maximum(logits, maximum); }, {}, false, {}};
}

Workload exponentiate(const Place& place) {
  const Matrix logits = place.whole(), maximum = place.column(), sum = place.column(), target = place.column();
  const std::int32_t* targets = place.arena.ids(place.rows, place.columns);
  place.backend().row_maximum(logits, maximum);
  return in_place(place, logits, [=] { place.backend().exponentiate(logits, maximum, targets, 0, sum, target); });
}

Workload cross_entropy_backward(const Place& place) {
  const Matrix logits = place.whole(0.0, 1.0), weights = place.column();
  const Matrix sum = place.arena.matrix(place.rows, 1, 1.0, 2.0);
  const std::int32_t* targets = place.arena.ids(place.rows, place.columns);
  return in_place(place, logits,
                  [=] { place.backend().cross_entropy_backward(logits, sum, targets, 0, weights, logits); });
}

/// The optimizer works on one long row.
Matrix flat(const Place& place, double low, double high) {
  return place.arena.matrix(1, place.rows * place.columns, low, high);
}

Workload adam(const Place& place) {
  const Matrix gradient = flat(place, -1, 1), weights = flat(place, -1, 1);
  const Matrix first = flat(place, -1, 1), second = flat(place, 0, 1);
  kernels::AdamStep step;
  step.learning_rate = 1e-4;
  step.weight_decay = 0.01;
  step.step = 10;
  return {[=] { place.backend().adam(gradient, step, weights, first, second, weights); }, {}, true, {}};
}

Workload sum_of_squares(const Place& place) {
  const Matrix gradient = flat(place, -1, 1);
  const Matrix result = place.arena.matrix(1, 1);
  return {[=] {
            const auto sum = static_cast<float>(place.backend().sum_of_squares(gradient));
            place.backend().upload(&sum, result.data, result.bytes());
          },
          {},
          true,
          {}};
}

Workload fill(const Place& place) {
  const Matrix gradient = flat(place, -1, 1);
  return {[=] { place.backend().fill(gradient, 0.0); }, {}, true, {}};
}

struct KernelBench {
  /// Moved for each element, as sim/model's list counts.
  std::int64_t bytes = 0;
  Workload (*make)(const Place&) = nullptr;
};

/// By hardware::Kernel.
constexpr std::array<KernelBench, hardware::kKernels> kBenches = {{
    {8, layer_norm},
    {12, layer_norm_backward},
    {8, gelu},
    {12, gelu_backward},
    {13, [](const Place& place) { return dropout_add(place, true); }},
    {13, dropout_add_backward},
    {12, [](const Place& place) { return dropout_add(place, false); }},
    {9, dropout},
    {9, dropout_backward},
    {9, attention_dropout},
    {8, [](const Place& place) { return softmax(place, false); }},
    {12, [](const Place& place) { return softmax_backward(place, false); }},
    {8, [](const Place& place) { return softmax(place, true); }},
    {12, [](const Place& place) { return softmax_backward(place, true); }},
    {4, bias_gradient},
    {12, add},
    {8, embedding},
    {12, embedding_gradient},
    {12, add_embedding},
    {4, row_maximum},
    {8, exponentiate},
    {8, cross_entropy_backward},
    {28, adam},
    {4, sum_of_squares},
    {4, fill},
}};

const KernelBench& bench_of(Kernel kernel) { return kBenches[static_cast<std::size_t>(kernel)]; }

std::vector<float> numbers_of(const Arena& arena, Backend& backend) {
  std::vector<float> all;
  for (const kernels::Tensor& tensor : arena.tensors()) {
    const Matrix& view = tensor.view();
    const std::size_t before = all.size();
    all.resize(before + static_cast<std::size_t>(view.elements()));
    backend.download(view.data, all.data() + before, view.bytes());
  }
  return all;
}

/// The kernel on the same numbers by `backend` and by the naive reference, on so few rows that the latter takes no
/// time.
std::string check_kernel(Kernel kernel, Backend& backend, std::int64_t rows, std::int64_t columns) {
  constexpr double kTolerance = 2e-4;
  const auto result = [&](Backend& on) {
    Arena arena{on};
    bench_of(kernel).make({arena, rows, columns}).run();
    on.synchronise();
    return numbers_of(arena, on);
  };
  const std::unique_ptr<Backend> reference = kernels::make_reference_backend();
  const std::vector<float> expected = result(*reference);
  const std::vector<float> found = result(backend);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(found[i] - expected[i]) <= kTolerance * (1.0 + std::abs(expected[i]))) continue;
    return "a result is " + std::to_string(found[i]) + " instead of " + std::to_string(expected[i]);
  }
  return {};
}

}  // namespace

std::int64_t bytes_per_element(Kernel kernel) { return bench_of(kernel).bytes; }

Case kernel_case(Kernel kernel, std::int64_t rows, std::int64_t columns) {
  Case result;
  result.subject = {Family::kernel,
                    std::string(hardware::name_of(kernel)),
                    rows,
                    columns,
                    0,
                    1,
                    1,
                    1,
                    Bytes{bytes_per_element(kernel) * rows * columns},
                    Flops{0.0}};
  result.make = [=](Arena& arena) {
    constexpr std::int64_t kCheckedRows = 3;
    Workload workload = bench_of(kernel).make({arena, rows, columns});
    Backend& backend = arena.backend();
    workload.check = [=, &backend] {
      return check_kernel(kernel, backend, std::min(rows, kCheckedRows), std::min<std::int64_t>(columns, 300));
    };
    return workload;
  };
  return result;
}

}  // namespace shardsim::calibrate

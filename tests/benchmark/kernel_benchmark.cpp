// The trainer's CPU operators at the shapes of a GPT-2 124M layer (hidden 768, 12 heads, sequence 512, batch 4), each
// as a share of what this core reaches: products of the rate of 1024³ by Eigen, the rest of a copy's bandwidth. By
// CPU time of the thread, so that other work on the machine disturbs little. Run by hand.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "kernels/cpu/cpu_backend.hpp"

namespace shardsim::kernels {
namespace {

constexpr std::int64_t kTokens = 2048, kHidden = 768, kWide = 3072, kVocabulary = 50304;
constexpr std::int64_t kSequence = 512, kSequences = 4, kHeads = 12, kHeadSize = 64;

class Bench {
 public:
  Bench() : backend_{make_cpu_backend()}, memory_{backend_->memory()} {}
  Backend& backend() { return *backend_; }
  Matrix matrix(std::int64_t rows, std::int64_t columns) {
    tensors_.emplace_back(memory_, Component::temporaries, DType::fp32, rows, columns);
    const Matrix& view = tensors_.back();
    for (std::int64_t i = 0; i < view.elements(); ++i) view.as<float>()[i] = static_cast<float>(i % 64) / 64.0F - 0.5F;
    return view;
  }
  std::uint8_t* mask(std::int64_t count) { return bytes_.emplace_back(memory_, Component::temporaries, count).data(); }

 private:
  std::unique_ptr<Backend> backend_;
  Memory memory_;
  std::vector<Tensor> tensors_;
  std::vector<Array<std::uint8_t>> bytes_;
};

double thread_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Work per second at the fastest of some runs.
double best_rate(double work, const std::function<void()>& run) {
  double fastest = 1e9;
  for (int i = 0; i < 8; ++i) {
    const double start = thread_seconds();
    run();
    fastest = std::min(fastest, thread_seconds() - start);
  }
  return work / fastest;
}

double peak_flops() {
  static const double rate = [] {
    Bench bench;
    const Matrix a = bench.matrix(1024, 1024), b = bench.matrix(1024, 1024), c = bench.matrix(1024, 1024);
    return best_rate(2.0 * 1024 * 1024 * 1024, [&] { bench.backend().gemm({a}, {b}, c, true); });
  }();
  return rate;
}

double peak_bandwidth() {
  static const double rate = [] {
    Bench bench;
    const Matrix from = bench.matrix(8192, 4096), to = bench.matrix(8192, 4096);
    return best_rate(2.0 * from.bytes().as_double(), [&] { bench.backend().copy(from, to); });
  }();
  return rate;
}

/// Runs the work, then tells its rate and share. `work`: FLOPs or bytes of one run.
void measure(benchmark::State& state, const std::string& unit, double work, double peak,
             const std::function<void()>& run) {
  double fastest = 1e9;
  for (auto _ : state) {
    const double start = thread_seconds();
    run();
    fastest = std::min(fastest, thread_seconds() - start);
  }
  state.counters[unit] = work / fastest;
  state.counters["share"] = work / fastest / peak;
  state.counters["best_ms"] = fastest * 1e3;
}

struct Product {
  const char* name;
  std::int64_t m, n, k;
  bool a_transposed, b_transposed, accumulate;
};
// Linear layers: y = x Wᵀ, dx = dy W, dW += dyᵀ x, with W [out, in].
const Product kProducts[] = {
    {"qkv/forward", kTokens, 3 * kHidden, kHidden, false, true, false},
    {"qkv/input_gradient", kTokens, kHidden, 3 * kHidden, false, false, false},
    {"qkv/weight_gradient", 3 * kHidden, kHidden, kTokens, true, false, true},
    {"proj/forward", kTokens, kHidden, kHidden, false, true, false},
    {"proj/input_gradient", kTokens, kHidden, kHidden, false, false, false},
    {"proj/weight_gradient", kHidden, kHidden, kTokens, true, false, true},
    {"fc1/forward", kTokens, kWide, kHidden, false, true, false},
    {"fc1/input_gradient", kTokens, kHidden, kWide, false, false, false},
    {"fc1/weight_gradient", kWide, kHidden, kTokens, true, false, true},
    {"fc2/forward", kTokens, kHidden, kWide, false, true, false},
    {"fc2/input_gradient", kTokens, kWide, kHidden, false, false, false},
    {"fc2/weight_gradient", kHidden, kWide, kTokens, true, false, true},
    {"logits/forward", kTokens, kVocabulary, kHidden, false, true, false},
    {"logits/input_gradient", kTokens, kHidden, kVocabulary, false, false, false},
    {"logits/weight_gradient", kVocabulary, kHidden, kTokens, true, false, true},
};

void product(benchmark::State& state, const Product& p) {
  Bench bench;
  const Matrix a = p.a_transposed ? bench.matrix(p.k, p.m) : bench.matrix(p.m, p.k);
  const Matrix b = p.b_transposed ? bench.matrix(p.n, p.k) : bench.matrix(p.k, p.n);
  const Matrix c = bench.matrix(p.m, p.n);
  const double flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  measure(state, "FLOP/s", flops, peak_flops(), [&] {
    bench.backend().gemm({a, p.a_transposed}, {b, p.b_transposed}, c, p.accumulate);
  });
}

/// All heads of all sequences, as they lie side by side in an activation of `columns_a_head` columns a head.
MatrixBatch heads(const Matrix& activation, std::int64_t columns_a_head, std::int64_t first) {
  const Matrix head{activation.as<float>() + first, DType::fp32, kSequence, kHeadSize, kSequences * activation.stride};
  return {head, kSequences * kHeads, columns_a_head};
}

void attention(benchmark::State& state, const std::string& name) {
  Bench bench;
  const Matrix qkv = bench.matrix(kTokens, 3 * kHidden);
  const Matrix context = bench.matrix(kTokens, kHidden);
  const Matrix all = bench.matrix(kSequences * kHeads * kSequence, kSequence);
  const MatrixBatch scores{all.row_range(0, kSequence), kSequences * kHeads, kSequence * kSequence};
  const MatrixBatch q = heads(qkv, 3 * kHeadSize, 0);
  const MatrixBatch k = heads(qkv, 3 * kHeadSize, kHeadSize);
  const MatrixBatch out = heads(context, kHeadSize, 0);
  measure(state, "FLOP/s", 2.0 * static_cast<double>(all.elements()) * kHeadSize, peak_flops(), [&] {
    if (name == "scores") bench.backend().batched_gemm({q}, {k, true}, scores, 1.0);
    if (name == "context") bench.backend().batched_gemm({scores}, {k}, out, 1.0);
    if (name == "key_gradient") bench.backend().batched_gemm({scores, true}, {out}, k, 1.0);
  });
}

struct Pass {
  const char* name;
  std::int64_t rows, columns;
  double bytes_an_element;
  std::function<void(Bench&, const std::vector<Matrix>&, std::uint8_t*)> run;
};
const AttentionShape kCausal{kSequences, kHeads, 0, kSequence, kSequence, true, nullptr};
const AttentionShape kFull{kSequences, kHeads, 0, kSequence, kSequence, false, nullptr};
constexpr std::int64_t kScoreRows = kSequences * kHeads * kSequence;
const DropoutSite kSite{1, 0.1, 0, kSequences, 0, 0};

using Matrices = std::vector<Matrix>;
// m[0], m[1], m[2] have the pass's shape, m[3] to m[6] are rows of its width, m[7] and m[8] [rows, 2] and [rows, 1].
const Pass kPasses[] = {
    {"layer_norm", kTokens, kHidden, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().layer_norm(m[0], m[3], m[4], 1e-5, m[1], m[7]); }},
    {"layer_norm_backward", kTokens, kHidden, 12,
     [](Bench& b, const Matrices& m, std::uint8_t*) {
       b.backend().layer_norm_backward(m[0], m[1], m[3], m[7], m[2], m[4], m[5]);
     }},
    {"bias_gelu", kTokens, kWide, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().bias_gelu(m[0], m[3], m[1]); }},
    {"bias_gelu_backward", kTokens, kWide, 12,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().bias_gelu_backward(m[0], m[1], m[3], m[0]); }},
    {"add_bias", kTokens, kWide, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().add_bias(m[0], m[3]); }},
    {"bias_gradient", kTokens, kWide, 4,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().bias_gradient(m[0], m[3]); }},
    {"bias_dropout_add", kTokens, kHidden, 13,
     [](Bench& b, const Matrices& m, std::uint8_t* mask) {
       b.backend().bias_dropout_add(m[0], m[3], m[1], kSite, m[2], mask);
     }},
    {"dropout_backward", kTokens, kHidden, 9,
     [](Bench& b, const Matrices& m, std::uint8_t* mask) { b.backend().dropout_backward(m[0], mask, 0.1, m[1]); }},
    {"softmax/causal", kScoreRows, kSequence, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().masked_softmax(m[0], kCausal, 0.125, m[0]); }},
    {"softmax/full", kScoreRows, kSequence, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().masked_softmax(m[0], kFull, 0.125, m[0]); }},
    {"softmax_backward/causal", kScoreRows, kSequence, 12,
     [](Bench& b, const Matrices& m, std::uint8_t*) {
       b.backend().masked_softmax_backward(m[0], m[1], kCausal, 0.125, m[0]);
     }},
    {"attention_dropout/causal", kScoreRows, kSequence, 9,
     [](Bench& b, const Matrices& m, std::uint8_t* mask) {
       b.backend().attention_dropout(m[0], kCausal, kSite, m[1], mask);
     }},
    {"row_maximum", kTokens, kVocabulary, 4,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().row_maximum(m[0], m[8]); }},
    {"exponentiate", kTokens, kVocabulary, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) {
       static const std::vector<std::int32_t> targets(kTokens, 7);
       b.backend().fill(m[8], 0.5);
       b.backend().exponentiate(m[0], m[8], targets.data(), 0, m[9], m[10]);
     }},
    {"cross_entropy_backward", kTokens, kVocabulary, 8,
     [](Bench& b, const Matrices& m, std::uint8_t*) {
       static const std::vector<std::int32_t> targets(kTokens, 7);
       b.backend().cross_entropy_backward(m[0], m[8], targets.data(), 0, m[8], m[0]);
     }},
    {"adam", 1, 10'000'000, 28,
     [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().adam(m[0], {}, m[1], m[2], m[6], m[1]); }},
    {"sum_of_squares", 1, 10'000'000, 4,
     [](Bench& b, const Matrices& m, std::uint8_t*) { benchmark::DoNotOptimize(b.backend().sum_of_squares(m[0])); }},
    {"add", 1, 10'000'000, 12, [](Bench& b, const Matrices& m, std::uint8_t*) { b.backend().add(m[0], m[1]); }},
};

void pass(benchmark::State& state, const Pass& p) {
  Bench bench;
  Matrices m;
  const std::int64_t wide = p.columns == kVocabulary ? 1 : 3;
  for (std::int64_t i = 0; i < 3; ++i) m.push_back(i < wide ? bench.matrix(p.rows, p.columns) : Matrix{});
  for (int i = 0; i < 4; ++i) m.push_back(bench.matrix(1, p.columns));
  m.push_back(bench.matrix(p.rows, 2));
  for (int i = 0; i < 3; ++i) m.push_back(bench.matrix(p.rows, 1));
  bench.backend().fill(m[8], 0.5);
  std::uint8_t* mask = bench.mask(p.rows * p.columns);
  measure(state, "bytes/s", p.bytes_an_element * static_cast<double>(p.rows * p.columns), peak_bandwidth(),
          [&] { p.run(bench, m, mask); });
}

void register_all() {
  const auto settled = [](benchmark::internal::Benchmark* b) { b->Unit(benchmark::kMillisecond)->MinTime(0.3); };
  for (const Product& p : kProducts) {
    settled(benchmark::RegisterBenchmark((std::string("gemm/") + p.name).c_str(),
                                         [&p](benchmark::State& state) { product(state, p); }));
  }
  for (const std::string name : {"scores", "context", "key_gradient"}) {
    settled(benchmark::RegisterBenchmark(("attention/" + name).c_str(),
                                         [name](benchmark::State& state) { attention(state, name); }));
  }
  for (const Pass& p : kPasses) {
    settled(benchmark::RegisterBenchmark((std::string("pass/") + p.name).c_str(),
                                         [&p](benchmark::State& state) { pass(state, p); }));
  }
}

}  // namespace
}  // namespace shardsim::kernels

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  shardsim::kernels::register_all();
  benchmark::RunSpecifiedBenchmarks();
}

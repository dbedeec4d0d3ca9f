#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include "kernels/gpu/benchmark/job.hpp"
#include "kernels/gpu/benchmark/tables.hpp"
#include "sim/model/parameters.hpp"

namespace shardsim::kernels::gpu {
namespace {

constexpr int kIterations = 12;
constexpr int kWarmUp = 4;

struct StepTime {
  double median = 0.0;
  double fastest = 0.0;
  double last_loss = 0.0;
  Bytes peak{0};
};

StepTime time_training(Backend& backend, const Job& job, const GptShape& shape) {
  const Groups groups = single_rank_groups();
  const RandomTokens data{shape};
  const TrainOptions options;
  Trainer trainer{job, options, {&groups, &backend, &data, {}}};
  std::vector<double> seconds;
  StepTime time;
  for (int i = 0; i < kIterations; ++i) {
    const auto start = std::chrono::steady_clock::now();
    time.last_loss = trainer.iterate().lm_loss;
    backend.synchronise();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  seconds.erase(seconds.begin(), seconds.begin() + kWarmUp);
  std::sort(seconds.begin(), seconds.end());
  time.median = seconds[seconds.size() / 2];
  time.fastest = seconds.front();
  time.peak = trainer.memory().peak().total();
  return time;
}

}  // namespace

std::string measure_steps(Backend& backend, const Provenance& provenance) {
  const std::array<GptShape, 2> shapes = {GptShape{"gpt2-345m", 24, 1024, 16}, GptShape{"gpt2-1.2b", 40, 1536, 16}};
  std::string table =
      "gpu,model,precision,micro_batch,sequence,step_ms,fastest_ms,model_tflops,peak_allocated_bytes,loss,software,"
      "source\n";
  for (const GptShape& shape : shapes) {
    const Job job = make_gpt_job(shape, DType::bf16);
    const StepTime time = time_training(backend, job, shape);
    const double tflops = model::iteration_flops(job.scenario).model.value() / time.median * 1e-12;
    std::array<char, 512> row{};
    std::snprintf(row.data(), row.size(), "%s,%s,bf16,%lld,%lld,%.3f,%.3f,%.2f,%lld,%.6f,%s,%s\n",
                  provenance.gpu.c_str(), shape.name.c_str(), static_cast<long long>(shape.micro_batch),
                  static_cast<long long>(shape.sequence), time.median * 1e3, time.fastest * 1e3, tflops,
                  static_cast<long long>(time.peak.value()), time.last_loss, provenance.software.c_str(),
                  provenance.source.c_str());
    table += row.data();
  }
  return table;
}

}  // namespace shardsim::kernels::gpu

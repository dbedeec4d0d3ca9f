#include "calibrate/measure/plan.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "sim/input/resolve.hpp"
#include "sim/input/settings.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Kernel;

constexpr std::array kLayouts = {"TN", "NN", "NT"};

struct Grid {
  std::vector<std::int64_t> products;
  /// Rows × columns.
  std::vector<std::pair<std::int64_t, std::int64_t>> kernels;
  /// Sequence length and head size, of so many heads.
  std::vector<std::pair<std::int64_t, std::int64_t>> attention;
  std::vector<std::int64_t> messages;
};

Grid grid_of(Thoroughness thoroughness) {
  if (thoroughness == Thoroughness::quick) {
    return {{144, 608, 2304},
            {{288, 160}, {640, 640}, {2304, 1280}},
            {{144, 32}, {144, 64}, {272, 32}, {272, 64}, {448, 32}, {448, 64}},
            {64, 4096, 65536, 524288, 2097152, 8388608, 67108864}};
  }
  return {{80, 208, 576, 1440, 3520},
          {{144, 160}, {416, 352}, {832, 704}, {1760, 1120}, {2880, 2880}},
          {{80, 32}, {80, 64}, {208, 32}, {208, 64}, {208, 128}, {576, 32}, {576, 64}, {576, 128}},
          {64, 1024, 8192, 65536, 262144, 1048576, 2097152, 4194304, 8388608, 16777216, 67108864}};
}

/// A product that no rank finishes within the policy's patience tells nothing that smaller ones do not.
constexpr double kMostFlops = 3e10;
constexpr double kMostFlopsQuick = 1e10;

void add_products(std::vector<Case>& cases, const std::vector<std::int64_t>& sizes, double most_flops) {
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) {
        for (const char* layout : kLayouts) {
          Case one = product_case(layout, m, n, k);
          if (one.subject.flops.value() <= most_flops) cases.push_back(std::move(one));
        }
      }
    }
  }
}

bool known(const std::vector<Case>& cases, const Subject& subject) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case& one) { return one.subject == subject; });
}

const char* layout_of(model::Pass pass) {
  if (pass == model::Pass::input_gradient) return "NN";
  return pass == model::Pass::weight_gradient ? "NT" : "TN";
}

void add_model(std::vector<Case>& cases, const std::string& name) {
  input::Settings settings;
  const Origin origin{"command line", 0, "--model"};
  const std::array<std::pair<const char*, std::string>, 6> given = {{{"model.preset", name},
                                                                     {"stack.preset", "shardsim"},
                                                                     {"cluster.preset", "a100-dgx"},
                                                                     {"cluster.gpus", "1"},
                                                                     {"training.micro_batch_size", "1"},
                                                                     {"training.global_batch_size", "1"}}};
  for (const auto& [key, value] : given) settings.set({key, value, origin, {}});
  const model::Scenario scenario = input::resolve(settings);
  const model::OperatorList list = model::list_operators(scenario);
  for (const model::Block* block : {&list.layer, &list.head}) {
    for (const auto* operators : {&block->forward, &block->backward}) {
      for (const model::Operator& op : *operators) {
        if (op.kind != model::OperatorKind::gemm || op.flops.value() > kMostFlops) continue;
        Case one = product_case(layout_of(op.pass), op.shape.m, op.shape.n, op.shape.k);
        if (!known(cases, one.subject)) cases.push_back(std::move(one));
      }
    }
  }
  const model::Model& model = scenario.model;
  for (Case& one : attention_cases(model.seq_length, model.num_attention_heads, model.kv_channels)) {
    if (one.subject.flops.value() <= kMostFlops) cases.push_back(std::move(one));
  }
}

}  // namespace

Plan make_plan(Thoroughness thoroughness, const std::string& model) {
  constexpr std::int64_t kHeads = 12;
  const bool quick = thoroughness == Thoroughness::quick;
  const Grid grid = grid_of(thoroughness);
  Plan plan;
  plan.policy.fewest = quick ? 1 : 3;
  plan.policy.most = quick ? 3 : 8;
  plan.policy.shortest = Seconds{quick ? 0.005 : 0.02};
  plan.policy.longest = Seconds{quick ? 0.05 : 0.2};
  plan.passes = quick ? 2 : 3;
  plan.budget = Seconds{quick ? 30.0 : 240.0};
  for (std::size_t i = 0; i < hardware::kKernels; ++i) {
    for (const auto& [rows, columns] : grid.kernels) {
      plan.cases.push_back(kernel_case(static_cast<Kernel>(i), rows, columns));
    }
  }
  for (const auto& [keys, head] : grid.attention) {
    for (Case& one : attention_cases(keys, kHeads, head)) plan.cases.push_back(std::move(one));
  }
  add_products(plan.cases, grid.products, quick ? kMostFlopsQuick : kMostFlops);
  if (!model.empty()) add_model(plan.cases, model);
  for (const char* layout : kLayouts) plan.lone.push_back(product_case(layout, 608, 608, 1216));
  for (const Kernel kernel : {Kernel::gelu, Kernel::causal_softmax, Kernel::layer_norm, Kernel::adam}) {
    plan.lone.push_back(kernel_case(kernel, grid.kernels.back().first, grid.kernels.back().second));
  }
  for (Case& one : plan.lone) {
    one.subject.family = one.subject.family == Family::product ? Family::lone_product : Family::lone_kernel;
  }
  // Both halves of each comparison.
  for (const char* layout : kLayouts) plan.cases.push_back(product_case(layout, 608, 608, 1216));
  std::shuffle(plan.cases.begin(), plan.cases.end(), std::mt19937{1});
  for (const std::int64_t bytes : grid.messages) plan.messages.push_back(Bytes{bytes});
  return plan;
}

double expected_seconds(const Subject& subject, const TimingPolicy& policy) {
  constexpr double kFlopsPerSecond = 5e10;
  constexpr double kBytesPerSecond = 4e9;
  const double once = subject.flops.value() / kFlopsPerSecond + subject.bytes.as_double() / kBytesPerSecond;
  const double samples = std::clamp(policy.shortest.value() / once, double(policy.fewest), double(policy.most));
  return (samples + policy.warm_up + 2.0) * once + 5e-3;
}

}  // namespace shardsim::calibrate

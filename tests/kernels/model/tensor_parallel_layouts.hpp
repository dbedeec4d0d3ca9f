// The tiny models in their variants, and every tensor-parallel layout of the ranks at hand.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/model/tiny_model.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::test {

struct Variant {
  std::string name;
  model::Scenario scenario;
};

/// GPT and both BERTs, with each recomputation, with and without dropout.
[[nodiscard]] inline std::vector<Variant> variants() {
  using model::RecomputeGranularity;
  using model::RecomputeMethod;
  std::vector<Variant> result;
  const std::vector<Variant> models = {{"Gpt", tiny_gpt()},
                                       {"PreNormBert", tiny_bert(model::NormPlacement::pre)},
                                       {"PostNormBert", tiny_bert(model::NormPlacement::post)}};
  for (const Variant& model : models) {
    const auto add = [&](const std::string& name, const model::Recompute& recomputation, double dropout) {
      Variant variant = model;
      variant.name += name;
      variant.scenario.training.recompute = recomputation;
      variant.scenario.model.hidden_dropout = dropout;
      variant.scenario.model.attention_dropout = dropout;
      result.push_back(variant);
    };
    add("", {}, 0.1);
    add("WithoutDropout", {}, 0.0);
    add("Selective", recompute(RecomputeGranularity::selective, RecomputeMethod::uniform), 0.1);
    add("FullUniform", recompute(RecomputeGranularity::full, RecomputeMethod::uniform), 0.1);
    add("FullFirstBlock", recompute(RecomputeGranularity::full, RecomputeMethod::block), 0.1);
  }
  return result;
}

/// The same and each model in bf16 with fp32 gradients.
[[nodiscard]] inline std::vector<Variant> with_16_bits(std::vector<Variant> variants) {
  const std::size_t count = variants.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (variants[i].scenario.training.recompute.granularity != model::RecomputeGranularity::none) continue;
    variants.push_back(variants[i]);
    variants.back().name += "Bf16";
    variants.back().scenario.training.precision = model::DType::bf16;
  }
  return variants;
}

/// tp = 1, 2, 4 … as many as there are ranks, each with and without sequence parallelism.
[[nodiscard]] inline std::vector<model::Scenario> tensor_parallel_layouts(const model::Scenario& one) {
  std::vector<model::Scenario> result;
  for (int tp = 1; tp <= session().size(); tp *= 2) {
    for (const bool sequence_parallel : {false, true}) {
      result.push_back(one);
      result.back().parallelism.tensor_model_parallel_size = tp;
      result.back().parallelism.sequence_parallel = sequence_parallel;
    }
  }
  return result;
}

/// This rank's group in such a layout; ranks beyond it form further groups that do the same. Collective.
[[nodiscard]] inline std::unique_ptr<kernels::Communicator> tensor_group(const model::Scenario& scenario) {
  const int rank = session().rank();
  return session().world()->split(rank / static_cast<int>(scenario.parallelism.tensor_model_parallel_size), rank);
}

[[nodiscard]] inline std::string layout_name(const model::Scenario& scenario) {
  return "tp " + std::to_string(scenario.parallelism.tensor_model_parallel_size) +
         (scenario.parallelism.sequence_parallel ? ", sequence parallel" : "");
}

}  // namespace shardsim::test

// The choices of every enumerated setting and the text that names them: the enumerator's own name.
#pragma once

#include <array>
#include <string_view>

#include "sim/model/model.hpp"
#include "sim/model/parallelism.hpp"
#include "sim/model/stack.hpp"
#include "sim/model/training.hpp"

namespace shardsim::input {

template <class Enum>
struct Choice {
  Enum value;
  std::string_view text;
};

/// Specialised for every enumeration that a user can set.
template <class Enum>
inline constexpr std::array<Choice<Enum>, 0> kChoices{};

template <>
inline constexpr std::array kChoices<model::Family>{
    Choice{model::Family::gpt, "gpt"}, Choice{model::Family::bert, "bert"}, Choice{model::Family::llama, "llama"},
    Choice{model::Family::mpt, "mpt"}};

template <>
inline constexpr std::array kChoices<model::Normalization>{Choice{model::Normalization::layer_norm, "layer_norm"},
                                                           Choice{model::Normalization::rms_norm, "rms_norm"}};

template <>
inline constexpr std::array kChoices<model::NormPlacement>{Choice{model::NormPlacement::pre, "pre"},
                                                           Choice{model::NormPlacement::post, "post"}};

template <>
inline constexpr std::array kChoices<model::PositionEmbedding>{
    Choice{model::PositionEmbedding::learned, "learned"}, Choice{model::PositionEmbedding::rotary, "rotary"},
    Choice{model::PositionEmbedding::alibi, "alibi"}, Choice{model::PositionEmbedding::none, "none"}};

template <>
inline constexpr std::array kChoices<model::Activation>{Choice{model::Activation::gelu, "gelu"},
                                                        Choice{model::Activation::swiglu, "swiglu"},
                                                        Choice{model::Activation::squared_relu, "squared_relu"}};

template <>
inline constexpr std::array kChoices<model::LinearBias>{Choice{model::LinearBias::all, "all"},
                                                        Choice{model::LinearBias::none, "none"}};

template <>
inline constexpr std::array kChoices<model::AttentionMask>{
    Choice{model::AttentionMask::causal, "causal"}, Choice{model::AttentionMask::bidirectional, "bidirectional"}};

template <>
inline constexpr std::array kChoices<model::OutputHead>{
    Choice{model::OutputHead::language_model, "language_model"}, Choice{model::OutputHead::masked_lm, "masked_lm"},
    Choice{model::OutputHead::masked_lm_and_binary, "masked_lm_and_binary"}};

template <>
inline constexpr std::array kChoices<model::OutputWeights>{Choice{model::OutputWeights::tied, "tied"},
                                                           Choice{model::OutputWeights::untied, "untied"}};

template <>
inline constexpr std::array kChoices<model::Schedule>{
    Choice{model::Schedule::gpipe, "gpipe"},
    Choice{model::Schedule::one_f_one_b, "one_f_one_b"},
    Choice{model::Schedule::interleaved_one_f_one_b, "interleaved_one_f_one_b"},
    Choice{model::Schedule::zero_bubble_h1, "zero_bubble_h1"},
    Choice{model::Schedule::zero_bubble_1p, "zero_bubble_1p"},
    Choice{model::Schedule::zero_bubble_2p, "zero_bubble_2p"}};

template <>
inline constexpr std::array kChoices<model::ContextParallelComm>{
    Choice{model::ContextParallelComm::p2p, "p2p"}, Choice{model::ContextParallelComm::all_gather, "all_gather"},
    Choice{model::ContextParallelComm::a2a, "a2a"}, Choice{model::ContextParallelComm::a2a_p2p, "a2a_p2p"}};

template <>
inline constexpr std::array kChoices<model::RankOrder>{Choice{model::RankOrder::tp_cp_dp_pp, "tp_cp_dp_pp"},
                                                       Choice{model::RankOrder::tp_cp_pp_dp, "tp_cp_pp_dp"}};

/// In the order of model::DType, so that an index of hardware::Device::gemm finds its name.
template <>
inline constexpr std::array kChoices<model::DType>{
    Choice{model::DType::fp32, "fp32"}, Choice{model::DType::tf32, "tf32"}, Choice{model::DType::bf16, "bf16"},
    Choice{model::DType::fp16, "fp16"}, Choice{model::DType::fp8, "fp8"}};

template <>
inline constexpr std::array kChoices<model::OptimizerKind>{Choice{model::OptimizerKind::adam, "adam"},
                                                           Choice{model::OptimizerKind::lamb, "lamb"},
                                                           Choice{model::OptimizerKind::sgd, "sgd"}};

template <>
inline constexpr std::array kChoices<model::RecomputeGranularity>{
    Choice{model::RecomputeGranularity::none, "none"}, Choice{model::RecomputeGranularity::selective, "selective"},
    Choice{model::RecomputeGranularity::full, "full"}, Choice{model::RecomputeGranularity::operators, "operators"}};

template <>
inline constexpr std::array kChoices<model::RecomputeMethod>{Choice{model::RecomputeMethod::uniform, "uniform"},
                                                             Choice{model::RecomputeMethod::block, "block"}};

template <>
inline constexpr std::array kChoices<model::AttentionKernel>{Choice{model::AttentionKernel::unfused, "unfused"},
                                                             Choice{model::AttentionKernel::flash, "flash"}};

template <>
inline constexpr std::array kChoices<model::CrossEntropy>{Choice{model::CrossEntropy::unfused, "unfused"},
                                                          Choice{model::CrossEntropy::fused_native, "fused_native"},
                                                          Choice{model::CrossEntropy::fused_te, "fused_te"}};

template <>
inline constexpr std::array kChoices<model::Offload>{
    Choice{model::Offload::none, "none"}, Choice{model::Offload::optimizer, "optimizer"},
    Choice{model::Offload::optimizer_and_parameters, "optimizer_and_parameters"}};

template <>
inline constexpr std::array kChoices<model::LayerSplit>{
    Choice{model::LayerSplit::megatron, "megatron"},
    Choice{model::LayerSplit::even_remainder_first, "even_remainder_first"},
    Choice{model::LayerSplit::balanced_blocks, "balanced_blocks"},
    Choice{model::LayerSplit::lighter_ends, "lighter_ends"}};

template <>
inline constexpr std::array kChoices<model::InterleavingRule>{
    Choice{model::InterleavingRule::multiple_of_pipeline, "multiple_of_pipeline"},
    Choice{model::InterleavingRule::group_remainder, "group_remainder"}};

/// The name of an enumerator.
template <class Enum>
[[nodiscard]] constexpr std::string_view choice_text(Enum value) {
  static_assert(!kChoices<Enum>.empty(), "an enumeration that users set needs its choices");
  for (const auto& choice : kChoices<Enum>) {
    if (choice.value == value) return choice.text;
  }
  return {};
}

}  // namespace shardsim::input

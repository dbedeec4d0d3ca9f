// The choices of every enumerated setting and the text that names them: the enumerator's own name.
#pragma once

#include <array>
#include <string_view>

#include "sim/model/model.hpp"
#include "sim/model/parallelism.hpp"
#include "sim/model/stack.hpp"
#include "sim/model/training.hpp"

namespace shardsim::model {

template <class Enum>
struct Choice {
  Enum value;
  std::string_view text;
};
// Clang deduces aggregates by itself only since 17.
template <class Enum>
Choice(Enum, const char*) -> Choice<Enum>;

/// Specialised for every enumeration that a user can set.
template <class Enum>
inline constexpr std::array<Choice<Enum>, 0> kChoices{};

template <>
inline constexpr std::array kChoices<Family>{Choice{Family::gpt, "gpt"}, Choice{Family::bert, "bert"},
                                             Choice{Family::llama, "llama"}, Choice{Family::mpt, "mpt"}};

template <>
inline constexpr std::array kChoices<Normalization>{Choice{Normalization::layer_norm, "layer_norm"},
                                                    Choice{Normalization::rms_norm, "rms_norm"}};

template <>
inline constexpr std::array kChoices<NormPlacement>{Choice{NormPlacement::pre, "pre"},
                                                    Choice{NormPlacement::post, "post"}};

template <>
inline constexpr std::array kChoices<PositionEmbedding>{
    Choice{PositionEmbedding::learned, "learned"}, Choice{PositionEmbedding::rotary, "rotary"},
    Choice{PositionEmbedding::alibi, "alibi"}, Choice{PositionEmbedding::none, "none"}};

template <>
inline constexpr std::array kChoices<Activation>{Choice{Activation::gelu, "gelu"}, Choice{Activation::swiglu, "swiglu"},
                                                 Choice{Activation::squared_relu, "squared_relu"}};

template <>
inline constexpr std::array kChoices<LinearBias>{Choice{LinearBias::all, "all"}, Choice{LinearBias::none, "none"}};

template <>
inline constexpr std::array kChoices<AttentionMask>{Choice{AttentionMask::causal, "causal"},
                                                    Choice{AttentionMask::bidirectional, "bidirectional"}};

template <>
inline constexpr std::array kChoices<OutputHead>{Choice{OutputHead::language_model, "language_model"},
                                                 Choice{OutputHead::masked_lm, "masked_lm"},
                                                 Choice{OutputHead::masked_lm_and_binary, "masked_lm_and_binary"}};

template <>
inline constexpr std::array kChoices<OutputWeights>{Choice{OutputWeights::tied, "tied"},
                                                    Choice{OutputWeights::untied, "untied"}};

template <>
inline constexpr std::array kChoices<Schedule>{Choice{Schedule::gpipe, "gpipe"},
                                               Choice{Schedule::one_f_one_b, "one_f_one_b"},
                                               Choice{Schedule::interleaved_one_f_one_b, "interleaved_one_f_one_b"},
                                               Choice{Schedule::zero_bubble_h1, "zero_bubble_h1"},
                                               Choice{Schedule::zero_bubble_1p, "zero_bubble_1p"},
                                               Choice{Schedule::zero_bubble_2p, "zero_bubble_2p"},
                                               Choice{Schedule::breadth_first, "breadth_first"}};

template <>
inline constexpr std::array kChoices<ContextParallelComm>{
    Choice{ContextParallelComm::p2p, "p2p"}, Choice{ContextParallelComm::all_gather, "all_gather"},
    Choice{ContextParallelComm::a2a, "a2a"}, Choice{ContextParallelComm::a2a_p2p, "a2a_p2p"}};

template <>
inline constexpr std::array kChoices<RankOrder>{Choice{RankOrder::tp_cp_dp_pp, "tp_cp_dp_pp"},
                                                Choice{RankOrder::tp_cp_pp_dp, "tp_cp_pp_dp"}};

/// In the order of DType, so that an index of hardware::Device::gemm finds its name.
template <>
inline constexpr std::array kChoices<DType>{Choice{DType::fp32, "fp32"}, Choice{DType::tf32, "tf32"},
                                            Choice{DType::bf16, "bf16"}, Choice{DType::fp16, "fp16"},
                                            Choice{DType::fp8, "fp8"}};

template <>
inline constexpr std::array kChoices<OptimizerKind>{
    Choice{OptimizerKind::adam, "adam"}, Choice{OptimizerKind::lamb, "lamb"}, Choice{OptimizerKind::sgd, "sgd"}};

template <>
inline constexpr std::array kChoices<RecomputeGranularity>{
    Choice{RecomputeGranularity::none, "none"}, Choice{RecomputeGranularity::selective, "selective"},
    Choice{RecomputeGranularity::full, "full"}, Choice{RecomputeGranularity::operators, "operators"}};

template <>
inline constexpr std::array kChoices<RecomputeMethod>{Choice{RecomputeMethod::uniform, "uniform"},
                                                      Choice{RecomputeMethod::block, "block"}};

template <>
inline constexpr std::array kChoices<AttentionKernel>{Choice{AttentionKernel::unfused, "unfused"},
                                                      Choice{AttentionKernel::flash, "flash"}};

template <>
inline constexpr std::array kChoices<CrossEntropy>{
    Choice{CrossEntropy::unfused, "unfused"}, Choice{CrossEntropy::fused_native, "fused_native"},
    Choice{CrossEntropy::fused_te, "fused_te"}, Choice{CrossEntropy::in_place, "in_place"}};

template <>
inline constexpr std::array kChoices<Offload>{Choice{Offload::none, "none"}, Choice{Offload::optimizer, "optimizer"},
                                              Choice{Offload::optimizer_and_parameters, "optimizer_and_parameters"}};

template <>
inline constexpr std::array kChoices<LayerSplit>{
    Choice{LayerSplit::megatron, "megatron"}, Choice{LayerSplit::even_remainder_first, "even_remainder_first"},
    Choice{LayerSplit::balanced_blocks, "balanced_blocks"}, Choice{LayerSplit::balanced_cost, "balanced_cost"},
    Choice{LayerSplit::lighter_ends, "lighter_ends"}};

template <>
inline constexpr std::array kChoices<PlaceholderGradients>{Choice{PlaceholderGradients::none, "none"},
                                                           Choice{PlaceholderGradients::output_layer, "output_layer"},
                                                           Choice{PlaceholderGradients::cached, "cached"}};

template <>
inline constexpr std::array kChoices<InterleavingRule>{
    Choice{InterleavingRule::multiple_of_pipeline, "multiple_of_pipeline"},
    Choice{InterleavingRule::group_remainder, "group_remainder"}};

/// The name of an enumerator.
template <class Enum>
[[nodiscard]] constexpr std::string_view choice_text(Enum value) {
  static_assert(!kChoices<Enum>.empty(), "an enumeration that users set needs its choices");
  for (const auto& choice : kChoices<Enum>) {
    if (choice.value == value) return choice.text;
  }
  return {};
}

}  // namespace shardsim::model

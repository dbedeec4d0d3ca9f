#include "sim/input/schema_builder.hpp"

namespace shardsim::input {

using model::Stack;

void add_stack_keys(std::vector<SchemaKey>& keys) {
  constexpr NumberRange kBytesPerElement{0.0, 1000.0};
  constexpr NumberRange kError{0.0, 2.0};
  const auto section = [](auto& scenario) -> auto& { return scenario.stack; };
  Fields fields(keys, "stack", section);
  fields.text("name", &Stack::name, "name of the stack")
      .text("title", &Stack::title, "one line about the stack")
      .text("provenance", &Stack::provenance, "where the constants come from")
      .choice("default_attention_kernel", &Stack::default_attention_kernel, "attention where the run does not say")
      .choice("default_cross_entropy", &Stack::default_cross_entropy, "loss where the run does not say")
      .choice("default_optimizer", &Stack::default_optimizer, "optimizer where the run does not say")
      .integer("default_zero_stage", &Stack::default_zero_stage, {0, 3}, "ZeRO stage where the run does not say")
      .choice("gradient_dtype_fp16", &Stack::gradient_dtype_fp16, "gradient format of fp16 training")
      .choice("gradient_dtype_bf16", &Stack::gradient_dtype_bf16, "gradient format of bf16 and fp8 training")
      .flag("fp32_gradient_copy_at_step", &Stack::fp32_gradient_copy_at_step,
            "the optimizer copies low-precision gradients to fp32")
      .flag("keeps_gathered_inputs", &Stack::keeps_gathered_inputs,
            "gathered inputs of column-parallel layers are kept for the backward pass")
      .number("masked_token_share", &Stack::masked_token_share, {0.001, 1.0},
              "share of the tokens that the masked-LM head computes")
      .flag("gathers_logits", &Stack::gathers_logits, "every tensor-parallel rank computes the whole loss")
      .flag("keeps_low_precision_gradients", &Stack::keeps_low_precision_gradients,
            "low-precision gradients stay beside the fp32 ones")
      .flag("separate_master_weights", &Stack::separate_master_weights,
            "an fp32 copy of low-precision parameters is kept")
      .choice("layer_split", &Stack::layer_split, "how layers are dealt to stages")
      .choice("interleaving", &Stack::interleaving, "which micro batch counts an interleaved schedule accepts")
      .flag("zero_with_pipeline", &Stack::zero_with_pipeline, "ZeRO 2 and 3 work together with a pipeline")
      .flag("overlaps_input_gradient_reduction", &Stack::overlaps_input_gradient_reduction,
            "a column-parallel layer's input gradient is reduced beside its weight gradient")
      .flag("scatter_gather_pipeline_sends", &Stack::scatter_gather_pipeline_sends,
            "pipeline sends are divided over the tensor group")
      .flag("lists_sequence_parallel_gradients", &Stack::lists_sequence_parallel_gradients,
            "the tensor group's sum of gradients of norms and biases is counted")
      .flag("replays_memory", &Stack::replays_memory, "memory is replayed as this project's trainer allocates it")
      .quantity("gradient_bucket", &Stack::gradient_bucket, "bucket of an overlapped gradient reduction")
      .flag("pipeline_unshards", &Stack::pipeline_unshards,
            "with a pipeline, ZeRO-3 holds parameters and gradients whole during an iteration")
      .flag("gathers_fp8", &Stack::gathers_fp8, "fp8 training gathers inputs and parameters in fp8")
      .flag("flash_attention_2", &Stack::flash_attention_2, "fused attention is FlashAttention-2")
      .choice("placeholder_gradients", &Stack::placeholder_gradients,
              "weight-sized tensors that stand for gradients already summed in fp32")
      .number("alibi_attention_slowdown", &Stack::alibi_attention_slowdown, {0.1, 100.0},
              "fused attention with ALiBi over that without")
      .number("memory_bound_slowdown", &Stack::memory_bound_slowdown, {0.1, 100.0},
              "memory-bound kernels over the device's fused ones");
  fields.nested("abilities", &Stack::abilities)
      .flag("tensor_parallel", &model::Abilities::tensor_parallel, "layers can be split among ranks")
      .flag("pipeline_parallel", &model::Abilities::pipeline_parallel, "layers can be dealt to stages")
      .flag("interleaving", &model::Abilities::interleaving, "stages can have several chunks")
      .flag("context_parallel", &model::Abilities::context_parallel, "attention can be split along the sequence")
      .flag("sequence_parallel", &model::Abilities::sequence_parallel, "norms and dropout can be split with tensors")
      .flag("selective_recompute", &model::Abilities::selective_recompute, "attention cores alone can be recomputed")
      .integer("largest_zero_stage", &model::Abilities::largest_zero_stage, {0, 3},
               "how much of the state can be sharded");
  fields.nested("fusion", &Stack::fusion)
      .flag("bias_activation", &model::Fusion::bias_activation, "bias and activation in one kernel")
      .flag("bias_dropout_add", &model::Fusion::bias_dropout_add, "bias, dropout and residual sum in one kernel")
      .flag("masked_softmax", &model::Fusion::masked_softmax, "scale, mask and softmax in one kernel")
      .flag("normalization", &model::Fusion::normalization, "norm in one kernel")
      .flag("rotary", &model::Fusion::rotary, "rotary embedding in one kernel")
      .flag("optimizer", &model::Fusion::optimizer, "optimizer step in multi-tensor kernels")
      .flag("residual_gradient", &model::Fusion::residual_gradient,
            "a branch's gradient added to the residual stream's in the norm's backward kernel")
      .flag("gradient_clipping", &model::Fusion::gradient_clipping,
            "gradients are clipped inside the optimizer's kernel");
  fields.nested("saved", &Stack::saved)
      .number("extra_per_attention_score", &model::SavedForBackward::extra_per_attention_score, kBytesPerElement,
              "extra bytes kept per score of unfused attention")
      .number("extra_per_ffn_element", &model::SavedForBackward::extra_per_ffn_element, kBytesPerElement,
              "extra bytes kept per feed-forward element")
      .number("extra_per_residual_element", &model::SavedForBackward::extra_per_residual_element, kBytesPerElement,
              "extra bytes kept per residual element")
      .number("extra_per_eager_norm_element", &model::SavedForBackward::extra_per_eager_norm_element, kBytesPerElement,
              "extra bytes kept per residual element where norms are single kernels")
      .number("extra_per_flash_output_element", &model::SavedForBackward::extra_per_flash_output_element,
              kBytesPerElement, "extra bytes kept per output element of fused attention")
      .integer("norm_statistics", &model::SavedForBackward::norm_statistics, {0, 64},
               "bytes that a norm keeps per row beside its input");
  fields.nested("logit_bytes", &Stack::logit_bytes)
      .number("unfused", &model::LogitBytes::unfused, kBytesPerElement, "bytes per logit at the peak, unfused loss")
      .number("fused_native", &model::LogitBytes::fused_native, kBytesPerElement, "the same, Megatron's fused loss")
      .number("fused_te", &model::LogitBytes::fused_te, kBytesPerElement, "the same, Transformer Engine's fused loss");
  fields.nested("default_overlap", &Stack::default_overlap)
      .flag("grad_reduce", &model::Overlap::grad_reduce, "overlap of gradient reduction where the run does not say")
      .flag("param_gather", &model::Overlap::param_gather, "overlap of parameter gather where the run does not say")
      .flag("tensor_parallel", &model::Overlap::tensor_parallel, "overlap of tensor-parallel collectives likewise")
      .flag("pipeline", &model::Overlap::pipeline, "overlap of pipeline sends likewise");
  fields.nested("host", &Stack::host)
      .quantity("per_launch", &model::HostCost::per_launch, "host time per kernel")
      .quantity("per_collective", &model::HostCost::per_collective, "host time more per collective of a layer")
      .quantity("per_send", &model::HostCost::per_send, "host time of a send between stages that nothing hides")
      .quantity("per_collective_between_nodes", &model::HostCost::per_collective_between_nodes,
                "host time more per tensor-parallel collective where stages sit on different nodes")
      .quantity("per_iteration", &model::HostCost::per_iteration, "host time per iteration")
      .quantity("start_between_nodes", &model::HostCost::start_between_nodes,
                "device time more per tensor- or context-parallel collective between nodes");
  fields.nested("allocator", &Stack::allocator)
      .number("fragmentation", &model::AllocatorBehaviour::fragmentation, {0.0, 10.0},
              "reserved over allocated memory, minus one")
      .number("retry_slowdown", &model::AllocatorBehaviour::retry_slowdown, {0.0, 10.0},
              "share of time lost to freeing and asking again where memory reaches the device's limit")
      .quantity("context", &model::AllocatorBehaviour::context, "CUDA context and kernels")
      .quantity("first_communicator", &model::AllocatorBehaviour::first_communicator, "NCCL, first communicator")
      .quantity("further_communicator", &model::AllocatorBehaviour::further_communicator, "NCCL, each further one")
      .quantity("workspace", &model::AllocatorBehaviour::workspace, "workspaces beside cuBLAS, as Transformer Engine's")
      .number("ring_attention_blocks", &model::AllocatorBehaviour::ring_attention_blocks, {0.0, 100.0},
              "residual-sized blocks that stay reserved per layer and step of ring attention")
      .integer("cublas_workspaces", &model::AllocatorBehaviour::cublas_workspaces, {0, 64},
               "threads and streams with a cuBLAS workspace");
  fields.nested("error", &Stack::error)
      .number("time", &model::PredictionError::time, kError, "deviation of log(predicted / measured) time")
      .number("memory", &model::PredictionError::memory, kError, "deviation of log(predicted / measured) memory");
}

}  // namespace shardsim::input

// Flags that do not bear on performance: known, so that they raise no warning, and passed over.
#pragma once

#include <string_view>

namespace shardsim::input::megatron {

/// Names separated by blanks, by subject.
inline constexpr std::string_view kPassedOverFlags = R"(
learning-rate lr min-lr warmup lr-decay-style lr-decay-iters lr-decay-samples lr-decay-tokens lr-decay-ratio
lr-warmup-fraction lr-warmup-iters lr-warmup-samples lr-warmup-tokens lr-warmup-init lr-wsd-decay-style
lr-wsd-decay-samples lr-wsd-decay-iters decoupled-lr decoupled-min-lr override-opt-param-scheduler
use-checkpoint-opt-param-scheduler override-lr-scheduler use-checkpoint-lr-scheduler universal-checkpoint
head-lr-mult weight-decay start-weight-decay end-weight-decay weight-decay-incr-style clip-grad adam-beta1 adam-beta2
adan-beta3 adam-eps adam-beta3 sgd-momentum lamb-max-coeff no-weight-decay-cond-type apply-wd-to-qk-layernorm
lr-mult-embedding layer-wise-lr muon-momentum muon-no-split-qkv muon-split-qkv muon-use-nesterov muon-scale-mode
muon-fp32-matmul-prec muon-num-ns-steps muon-tp-mode muon-extra-scale-factor optimizer-offload-fraction
use-torch-optimizer-for-cpu-offload overlap-cpu-optimizer-d2h-h2d no-pin-cpu-grads no-pin-cpu-params pin-cpu-grads
pin-cpu-params use-pin-memory decoupled-weight-decay store-param-remainders main-grads-dtype main-params-dtype
exp-avg-dtype exp-avg-sq-dtype megatron-fsdp-grad-comm-dtype megatron-fsdp-main-grads-dtype
megatron-fsdp-main-params-dtype alpha solution

loss-scale initial-loss-scale min-loss-scale min-scale loss-scale-window hysteresis dynamic-loss-scale
attention-softmax-in-fp32 apply-query-key-layer-scaling no-query-key-layer-scaling fp32-layernorm fp32-tokentypes
disable-bf16-reduced-precision-matmul reuse-grad-buf-for-mxfp8-param-ag fp16-embedding
fp8-margin fp8-interval fp8-amax-history-len fp8-amax-compute-algo fp8-wgrad fp8-dot-product-attention
fp8-multi-head-attention fp8-quantizer-factory fp4-recipe fp4-quantizer-factory fp4-param-gather fp4-param
num-layers-at-start-in-bf16 num-layers-at-end-in-bf16 te-rng-tracker inference-rng-tracker tp-only-amax-red
te-precision-config-file kitchen-config-file kitchen-recipe-number use-kitchen-attention

layernorm-epsilon norm-epsilon apply-layernorm-1p layernorm-1p init-method-std embedding-init-method-std
init-method-xavier-uniform init-method output-layer-init-method data-parallel-random-init seed use-cpu-initialization
perform-initialization no-initialization init-model-with-meta-device lazy-mpu-init onnx-safe rotary-base
rotary-percent rotary-interleaved rotary-seq-len-interpolation-factor rotary-scaling-factor rope-type rope-scaling
use-rope-scaling rope-scaling-factor rope-theta no-rope-freq mrope-section original-max-position-embeddings
yarn-rotary-scaling-factor yarn-beta-fast yarn-beta-slow yarn-mscale yarn-mscale-all-dim beta-fast beta-slow
relative-attention-num-buckets relative-attention-max-distance softmax-type window-attn-skip-freq
activation-func-clamp-value glu-linear-offset use-fused-weighted-squared-relu use-te-activation-func topk
num-token-types bert-lm-type pretrained-bert attention-output-gate layerscale-init-value

q-lora-rank kv-lora-rank qk-head-dim qk-pos-emb-head-dim v-head-dim mscale mscale-all-dim cache-mla-latents
mla-down-proj-fusion mtp-loss-scaling-factor mtp-use-repeated-layer mamba-state-dim mamba-head-dim mamba-num-groups
mamba-num-heads disable-mamba-mem-eff-path use-mamba-mem-eff-path linear-attention-type linear-attention-freq
linear-conv-kernel-dim linear-key-head-dim linear-value-head-dim linear-num-key-heads linear-num-value-heads

moe-layer-freq moe-ffn-hidden-size moe-shared-expert-intermediate-size moe-shared-expert-overlap
moe-use-legacy-grouped-gemm moe-layer-recompute moe-extended-tp moe-use-upcycling moe-router-load-balancing-type
moe-router-dtype moe-router-fusion moe-router-score-function moe-router-topk moe-router-pre-softmax
moe-router-num-groups moe-router-group-topk moe-router-topk-scaling-factor moe-router-enable-expert-bias
moe-router-bias-update-rate moe-router-force-load-balancing moe-router-padding-for-fp8
moe-router-padding-for-quantization moe-aux-loss-coeff moe-z-loss-coeff moe-input-jitter-eps moe-per-layer-logging
moe-token-dispatcher-type moe-enable-deepep moe-deepep-num-sms moe-permute-fusion moe-expert-capacity-factor
moe-pad-expert-input-to-capacity moe-token-drop-policy moe-token-dropping moe-apply-probs-on-input
moe-upcycling-granularity moe-pad-experts-for-cuda-graph-inference moe-flex-dispatcher-backend moe-hybridep-num-sms
moe-train-capacity-factor moe-eval-capacity-factor moe-min-capacity moe-loss-coeff moe-expert-placement
create-moe-param-group disable-moe-token-dropping disable-moe-top2-2nd-expert-sampling use-tutel expert-interval
mlp-type inference ds-inference enable-expert-tensor-parallelism use-dsc-moe

train-iters train-samples train-tokens epochs exit-interval exit-duration-in-mins exit-signal-handler
exit-signal exit-signal-handler-for-training exit-on-missing-checkpoint eval-iters eval-interval eval-batch-size
eval-seq-length eval-max-preds-per-seq eval-global-batch-size eval-micro-batch-size full-validation
multiple-validation-sets skip-train test-mode do-train do-valid do-test resume-dataloader iterations-to-skip
result-rejected-tracker-filename skip-train-iteration-range decrease-batch-size-if-needed calculate-per-token-loss
train-sync-interval check-for-nan-in-loss-and-grad no-check-for-nan-in-loss-and-grad check-for-spiky-loss
check-for-large-grads check-weight-hash-across-dp-replicas-interval manual-gc manual-gc-interval manual-gc-eval
no-manual-gc-eval clone-scatter-output-in-embedding no-clone-scatter-output-in-embedding phase-transition-iterations
log-loss-scale mask-prob mask-factor mask-type short-seq-prob sample-rate loss-mask freeze-lm freeze-vit

save load save-interval persistent-save-interval save-iters save-retain-interval save-optim save-rng save-all-rng
load-optim load-rng load-all-rng no-save-optim no-save-rng no-load-optim no-load-rng no-load-lr-state
load-main-params-from-ckpt no-strict-fsdp-dtensor-load strict-fsdp-dtensor-load non-persistent-save-interval
non-persistent-ckpt-type non-persistent-global-ckpt-dir non-persistent-local-ckpt-dir non-persistent-local-ckpt-algo
finetune pretrained-checkpoint ckpt-step load-iteration load-tag use-checkpoint-args use-mp-args-from-checkpoint-args
no-use-tokenizer-model-from-checkpoint-args use-tokenizer-model-from-checkpoint-args use-dist-ckpt
use-dist-ckpt-deprecated use-persistent-ckpt-worker auto-detect-ckpt-format dist-ckpt-format
dist-ckpt-format-deprecated ckpt-format ckpt-convert-format ckpt-convert-save ckpt-convert-update-legacy-dist-opt-format
ckpt-fully-parallel-save ckpt-fully-parallel-save-deprecated no-ckpt-fully-parallel-save ckpt-fully-parallel-load
ckpt-fully-parallel-load-exchange-algo ckpt-assume-constant-structure async-save async-strategy async-ckpt-use-cached-structure
dist-ckpt-strictness dist-ckpt-save-pre-mcore-014 dist-ckpt-optim-fully-reshardable dist-ckpt-workers
distrib-optim-fully-reshardable-mem-efficient verify-integrity verify-checkpoint verify-checkpoint-model-type
replication replication-jump replication-factor checkpoint-dir most-recent-k keep-last
ckpt-load-validate-sharding-integrity async-ckpt-cpu-priority async-ckpt-use-cpu-shm

data-path split train-data valid-data test-data train-data-path valid-data-path test-data-path
data-args-path per-split-data-args-path data-cache-path cache-dir data-impl mmap-warmup no-mmap-bin-files
mmap-bin-files mock-data num-workers dataloader-type dataloader-save dataloader-seq-length
reset-position-ids reset-attention-mask eod-mask-loss no-create-attention-mask-in-dataloader
create-attention-mask-in-dataloader num-dataset-builder-threads object-storage-cache-path s3-cache-path
mid-level-dataset-surplus allow-ambiguous-pad-tokens delim text-key eval-text-key lazy-loader loose-json use-tfrecords
max-preds-per-seq presplit-sentences input-data-sizes-file use-npy-data-loader train-data-exact-num-epochs
return-data-index train-idx-path train-desc-path train-doc-idx-path train-sample-idx-path train-shuffle-idx-path
repeated-dataloader aml-data-download-path weighted-split-paths train-weighted-split-paths valid-weighted-split-paths
test-weighted-split-paths train-weighted-split-paths-path valid-weighted-split-paths-path
test-weighted-split-paths-path fim-data fim-rate fim-spm-rate fim-split-sample fim-fragment-rate fim-no-prefix
fim-prefix-token fim-middle-token fim-suffix-token fim-pad-token fim-eod-token noncausal-prefix packing-buffer-size
sft-tokenizer-prompt-format legacy-sft dataset-impl use-external-dataloader blend-cache per-dataset-sequences-path
dataloader-fast-cache-load dataloader-defer-npy-index-mmap

vocab-file merge-file vocab-extra-ids tokenizer-model tokenizer-model-type tokenizer-path tokenizer-name-or-path
tokenizer-metadata tokenizer-prompt-format tokenizer-special-tokens tokenizer-sentencepiece-legacy tiktoken-pattern
tiktoken-num-special-tokens tiktoken-special-tokens legacy-tokenizer trust-remote-code special-tokens-file
special-tokens image-tag-type pad-token-id null-tokenizer-eod-id

log-interval tensorboard-dir tensorboard-log-interval tensorboard-queue-size log-timers-to-tensorboard
log-batch-size-to-tensorboard no-log-learnig-rate-to-tensorboard log-learning-rate-to-tensorboard
log-loss-scale-to-tensorboard no-log-loss-scale-to-tensorboard log-validation-ppl-to-tensorboard
log-memory-to-tensorboard log-world-size-to-tensorboard log-optimizer-states-to-tensorboard log-path log-throughput
log-progress log-energy log-straggler log-max-attention-logit log-memory-interval log-device-memory-used
log-overlap log-grad-norm codecarbon-dir logging-level logger-log-interval timing-log-option
no-barrier-with-level-1-timing barrier-with-l1-time wandb-project wandb-entity wandb-exp-name wandb-save-dir
wandb-group-name wandb-id wandb-api-key wandb-run-name wandb-logger wandb-name wandb-tags clearml
disable-straggler-on-startup straggler-ctrlr-port straggler-minmax-count
one-logger-project one-logger-run-name one-logger-async no-one-logger enable-one-logger app-tag-run-name
app-tag-run-version config-logger-dir profile use-pytorch-profiler profile-step-start profile-step-end profile-ranks
profile-backward profile-steps profile-execution-trace pytorch-profiler-collect-shapes
pytorch-profiler-collect-callstack pytorch-profiler-collect-chakra nvtx-ranges record-shapes record-memory-history
memory-snapshot-path run-workload-inspector-server print-args summary-dir experiment-name
log-level log-level-replica save-wgrads-interval save-dgrads-interval

distributed-backend distributed-timeout-minutes distributed-timeout-seconds-after-init ddp-impl local-rank rank
master-addr master-port node-rank nnodes nproc-per-node use-contiguous-buffers-in-local-ddp
ddp-num-buckets ddp-bucket-size ddp-pad-buckets-for-high-nccl-busbw
ddp-reduce-scatter-with-fp32-accumulation ddp-average-in-collective align-grad-reduce no-align-grad-reduce
align-param-gather no-align-param-gather delay-grad-reduce no-delay-grad-reduce delay-param-gather
gradient-reduce-div-fusion no-gradient-reduce-div-fusion suggested-communication-unit-size
torch-fsdp2-reshard-after-forward outer-dp-sharding-strategy megatron-fsdp-version fsdp-manual-registration
disable-symmetric-registration sharp-enabled-group nccl-communicator-config-path disable-gloo-process-groups
enable-gloo-process-groups high-priority-stream-groups pipeline-model-parallel-comm-backend tp-comm-overlap-cfg
tp-comm-overlap-ag tp-comm-overlap-rs tp-comm-bulk-dgrad tp-comm-bulk-wgrad tp-comm-split-ag tp-comm-split-rs
tp-comm-bootstrap-backend batch-p2p-comm batch-p2p-communication wgrad-deferral-limit
async-tensor-model-parallel-allreduce gradient-accumulation-fusion persist-layer-norm use-mcore-models
deprecated-use-mcore-models use-fsdp2-prefetch tp-comm-overlap-disable-qkv tp-comm-overlap-disable-fc1
use-persistent-buffers sequence-parallel-mode create-all-gather-group dist-url
transformer-pipeline-model-parallel-size data-parallel-size params-dtype dynamic-context-parallel
hybrid-context-parallel min-hybrid-context-parallel-size max-seqlen-per-dp-cp-rank

no-pipeline-parallel deepspeed-config deepspeed-mpi deepscale deepscale-config zero-reduce-scatter
zero-contigious-gradients zero-reduce-bucket-size zero-allgather-bucket-size tile-factor contigious-checkpointing
synchronize-each-layer pp-split-size force-ds-sequence-parallel use-ds-universal-ckpt reset-iteration
load-teacher num-layers-teacher num-experts-teacher hidden-size-teacher num-attention-heads-teacher mos kd kd-alpha-ce
kd-beta-ce kd-temp load-teacher compression-training curriculum-learning-min curriculum-seqlen
random-ltd-layer-num custom-token-counting hf-tokenizer-path abort-on-unmet-fused-kernel-constraints kill-switch-path
sync-tp-duplicated-parameters no-layer-norm-fusion reweight-loss-based-on-position-frequency ssh-tunnel
bf16-use-fp32-accumulation skip-last-layers aml-mount
zero-bubble-pipeline-timers-start-iter zero-bubble-pipeline-timers-end-iter
zero-bubble-adaptive-memory-limit-percentile enable-optimizer-post-validation enable-exactly-numeric-match
enable-zb-runtime no-pre-communication-optimization pre-communication-optimization allow-padding-num-layers
profile-memory-iter offload-time auto-offload-time offload-overlap-sr
disable-backward-fusion

adlr-autoresume adlr-autoresume-interval inprocess-restart inprocess-max-iterations inprocess-monitor-thread-interval
inprocess-monitor-process-interval inprocess-progress-watchdog-interval inprocess-heartbeat-interval
inprocess-soft-timeout inprocess-hard-timeout inprocess-heartbeat-timeout inprocess-barrier-timeout
inprocess-completion-timeout inprocess-last-call-wait inprocess-termination-grace-time inprocess-granularity
inprocess-active-world-size inprocess-empty-cuda-cache enable-ft-package calc-ft-timeouts ft-num-warmup-iters
error-injection-rate error-injection-type rerun-mode dump-param-to-param-group-map disable-msc enable-msc
enable-experimental yaml-cfg cuda-graph-scope cuda-graph-warmup-steps cuda-graph-modules symmetric-ar-type
nccl-all-reduce-for-prefill mlp-chunks-for-prefill disable-chunked-prefill use-legacy-static-engine flash-decode
decode-only-cuda-graphs max-tokens-to-oom output-bert-embeddings bert-embedder-type bert-load
inference-batch-times-seqlen-threshold inference-max-requests inference-max-seq-length inference-max-batch-size
inference-dynamic-batching inference-dynamic-batching-buffer-size-gb inference-dynamic-batching-block-size
inference-dynamic-batching-buffer-guaranteed-fraction inference-dynamic-batching-buffer-overflow-factor
inference-dynamic-batching-max-requests-override inference-dynamic-batching-max-tokens-override
inference-dynamic-batching-num-cuda-graphs inference-dynamic-batching-track-paused-request-events
inference-dynamic-batching-unified-memory-level inference-wandb-logging-step-interval

ict-head-size ict-load biencoder-projection-dim biencoder-shared-query-context-model titles-data-path
query-in-block-prob use-one-sent-docs evidence-data-path retriever-report-topk-accuracies retriever-score-scaling
retriever-seq-length block-data-path embedding-path indexer-batch-size indexer-log-interval num-classes img-h img-w
num-channels patch-dim classes-fraction data-per-class-fraction no-data-sharding data-sharding vision-pretraining
vision-pretraining-type vision-backbone-type swin-backbone-type iter-per-epoch dino-local-img-size
dino-local-crops-number dino-head-hidden-size dino-bottleneck-size dino-freeze-last-layer dino-norm-last-layer
dino-warmup-teacher-temp dino-teacher-temp dino-warmup-teacher-temp-epochs
retro-project-dir retro-workdir retro-return-doc-ids retro-cyclic-train-iters retro-encoder-layers
retro-encoder-hidden-dropout retro-encoder-attention-dropout retro-num-neighbors retro-num-retrieved-chunks
retro-attention-gate retro-no-verify-neighbor-count retro-verify-neighbor-count
rl-prompts-per-eval grpo-prompts-per-step grpo-group-size grpo-iterations grpo-clamp-eps-lower grpo-clamp-eps-upper
grpo-kl-beta grpo-entropy-term-weight grpo-filter-groups-with-same-reward grpo-default-temperature grpo-default-top-p
langrl-inference-server-type langrl-inference-server-conversation-template langrl-external-server langrl-env-config
rl-offload-optimizer-during-inference rl-offload-kv-cache-during-training rl-remove-kv-cache-during-training
rl-reset-cuda-graphs rl-partial-rollouts rl-inference-logprobs-is-correction
rl-importance-sampling-truncation-coef rl-calculate-intra-group-similarity rl-use-sequence-packing
rl-sequence-packing-bin-size rl-sequence-packing-algo

cuda consumed-train-samples consumed-valid-samples consumed-train-tokens curr-iteration iteration
variable-seq-lengths do-test model-type vpp-size start-iteration skipped-train-samples data-parallel-rank
)";

}  // namespace shardsim::input::megatron

#!/bin/bash
# Zero-bubble schedules: one of them is chosen by variables that the caller may set.

export CUDA_DEVICE_MAX_CONNECTIONS=8
if [ -z "$WORLD_SIZE" ]; then
  export WORLD_SIZE=1
fi
if [ -z "$GPUS_PER_NODE" ]; then
  GPUS_PER_NODE=8
fi
PIPELINE_SIZE=$(( 8 ))
ZERO_BUBBLE_MEM_LIMIT=$((2 * $PIPELINE_SIZE))
ENABLE_ZERO_BUBBLE=1

options=" \
  --pipeline-model-parallel-size $PIPELINE_SIZE --num-layers 22 --hidden-size 2304 --num-attention-heads 24 \
  --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 6 --global-batch-size 144 \
  --data-path $DATASET --use-legacy-models --transformer-impl local --use-flash-attn --no-bias-dropout-fusion \
  --untie-embeddings-and-output-weights --allow-padding-num-layers"

if [ -z "$FP32" ]; then
  options="$options --fp16"
fi

if [ ! -z "$ENABLE_ZERO_BUBBLE" ]; then
  options="$options --enable-zero-bubble \
  --zero-bubble-max-pending-backward $ZERO_BUBBLE_MEM_LIMIT"
fi

if [ ! -z "$INTERLEAVED_1F1B" ]; then
  options="$options --num-layers-per-virtual-pipeline-stage 1"
fi

run_cmd="torchrun --nnodes $WORLD_SIZE \
  --node_rank $RANK \
  --nproc_per_node=$GPUS_PER_NODE ${DIR}/pretrain_gpt.py $@ ${options}"

if [ ! -z "$PROFILED" ]; then
  run_cmd="nsys profile -s none $run_cmd"
fi

echo $run_cmd
eval $run_cmd

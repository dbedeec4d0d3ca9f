#!/bin/bash
#SBATCH -N 8
#SBATCH --gpus-per-node=8
#SBATCH --ntasks-per-node 8

export NVTE_FUSED_ATTN=${NVTE_FUSED_ATTN:-1}
TP=${TP:-8}
PP=${PP:-4}
MBS=${MBS:-1}
SEQ=$((4 * 1024))

ARGS="
    --use-mcore-models --transformer-impl transformer_engine
    --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672
    --num-attention-heads 64 --group-query-attention --num-query-groups 8
    --seq-length ${SEQ} --max-position-embeddings ${SEQ}
    --position-embedding-type rope --rotary-base=10000 --no-position-embedding
    --normalization RMSNorm --norm-epsilon 1e-5 --swiglu --disable-bias-linear
    --untie-embeddings-and-output-weights
    --attention-dropout 0.0 --hidden-dropout 0.0
    --tokenizer-type Llama2Tokenizer --tokenizer-model ${TOKENIZER}
    --vocab-size=32000 --make-vocab-size-divisible-by 1
    --micro-batch-size ${MBS} --global-batch-size $((MBS * 128))
    --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size ${PP} --sequence-parallel
    --num-virtual-stages-per-pipeline-rank 5
    --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
    --bf16 --fp8-format hybrid --fp8-amax-history-len 1024 --fp8-amax-compute-algo max
    --cross-entropy-loss-fusion --cross-entropy-fusion-impl te
    --train-iters 50 --lr 3e-4 --mock-data
"

srun --container-image=${IMAGE} python pretrain_gpt.py ${ARGS}

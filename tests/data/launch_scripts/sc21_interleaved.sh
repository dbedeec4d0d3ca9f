#!/bin/bash
# Interleaved schedule with scatter/gather, as in the SC21 study; sizes chosen at the top.

MODEL=145B
TP=8
PP=8
MBS=1
GBS=2304
INTERLEAVED=YES

case $MODEL in
  1.7B) NLS=24; HS=2304; NAH=24 ;;
  145B)
    NLS=80
    HS=12288
    NAH=96
    ;;
  *) echo "unknown model"; exit 1 ;;
esac

if [ "$INTERLEAVED" == "YES" ]; then
  EXTRA_OPTIONS="--num-layers-per-virtual-pipeline-stage 2"
else
  EXTRA_OPTIONS="--no-scatter-gather-tensors-in-pipeline"
fi

MEGATRON_PARAMS="--checkpoint-activations "
if [ -n "$MICRO_BATCH_OVERRIDE" ]; then
  MBS=$MICRO_BATCH_OVERRIDE
fi

options="--tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP} \
  --num-layers $NLS --hidden-size $HS --num-attention-heads $NAH \
  --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size $MBS --global-batch-size $GBS --train-iters 100 --lr 0.00015 --min-lr 0.00001 \
  --data-impl mmap --vocab-file vocab.json --merge-file merges.txt --DDP-impl local --fp16"

mpirun -np 1536 --hostfile hosts python -u pretrain_gpt.py ${options} ${MEGATRON_PARAMS} ${EXTRA_OPTIONS} 2>&1 | tee log.txt

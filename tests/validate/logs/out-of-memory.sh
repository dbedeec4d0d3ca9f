# Constructed: a 7.5 B GPT on one node, with a micro batch that does not fit.
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 36 --hidden-size 4096 --num-attention-heads 32 --bf16 \
  --seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --micro-batch-size 16 --global-batch-size 128 \
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 1 --use-distributed-optimizer --use-flash-attn

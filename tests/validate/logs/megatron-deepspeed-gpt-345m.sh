# Constructed: the configuration of vtrain-single-0001 of validate/published.
deepspeed --num_gpus 2 pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 \
  --max-position-embeddings 1024 --vocab-size 50257 --micro-batch-size 8 --global-batch-size 16 --fp16 \
  --tensor-model-parallel-size 1 --pipeline-model-parallel-size 2 --checkpoint-activations --world-size 2

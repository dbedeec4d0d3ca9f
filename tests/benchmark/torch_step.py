#!/usr/bin/env python3
"""Times the same training step in shardsim-train and in plain PyTorch, one after the other on one thread.

GPT-2 with 4 layers, hidden size 768, 12 heads, sequence 512, batch 4, fp32, dropout 0.1, Adam. Both vocabularies are
padded to 50,304. CPU seconds count (of the thread; other work on the machine disturbs them little), wall-clock seconds
are printed beside them. Not part of the tests: it needs python3-torch (Debian: 1.13) and an optimised libblas.so.3.

    ./run test -N && python3 tests/benchmark/torch_step.py [--program build/bin/shardsim-train] [--steps 4]
"""
import argparse
import os
import re
import resource
import subprocess
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

LAYERS, HIDDEN, HEADS, SEQUENCE, BATCH, VOCABULARY = 4, 768, 12, 512, 4, 50304
# Narayanan et al. 2021, eq. 3 without recompute: forward and backward of layers and logits.
FLOPS = (72 * BATCH * SEQUENCE * LAYERS * HIDDEN**2 * (1 + SEQUENCE / (6 * HIDDEN))
         + 6 * BATCH * SEQUENCE * HIDDEN * VOCABULARY)


def report(name, cpu, wall):
    print(f"{name:15} {cpu:8.3f} CPU s a step {FLOPS / cpu / 1e9:8.1f} GFLOP/s {wall:8.3f} wall s", flush=True)


def shardsim_run(program, steps):
    """CPU seconds of a whole run, and its fastest step by the clock."""
    flags = (f"--num-layers {LAYERS} --hidden-size {HIDDEN} --num-attention-heads {HEADS} --seq-length {SEQUENCE} "
             f"--max-position-embeddings {SEQUENCE} --micro-batch-size {BATCH} --global-batch-size {BATCH}").split()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = subprocess.run([program, *flags, "--train-iters", str(steps)], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    steps_ms = [float(ms) for ms in re.findall(r"elapsed time per iteration \(ms\): ([0-9.]+)", log.stdout)]
    return cpu, min(steps_ms) / 1e3


def time_shardsim(program, steps):
    """A step is what `steps` more of them add to a run of two."""
    short, _ = shardsim_run(program, 2)
    long, wall = shardsim_run(program, 2 + steps)
    return (long - short) / steps, wall


def time_torch(steps):
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(1)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
            self.qkv, self.proj = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
            self.fc1, self.fc2 = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)
            self.gelu = nn.GELU(approximate="tanh")
            self.dropout = nn.Dropout(0.1)
            self.register_buffer("mask", torch.ones(SEQUENCE, SEQUENCE, dtype=torch.bool).triu(1))

        def forward(self, x):
            def heads(t):
                return t.view(BATCH, SEQUENCE, HEADS, HIDDEN // HEADS).transpose(1, 2)

            q, k, v = (heads(t) for t in self.qkv(self.norm1(x)).split(HIDDEN, 2))
            scores = (q @ k.transpose(2, 3)) * (HIDDEN // HEADS) ** -0.5
            weights = self.dropout(scores.masked_fill(self.mask, float("-inf")).softmax(3))
            x = x + self.dropout(self.proj((weights @ v).transpose(1, 2).reshape(BATCH, SEQUENCE, HIDDEN)))
            return x + self.dropout(self.fc2(self.gelu(self.fc1(self.norm2(x)))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(VOCABULARY, HIDDEN)
            self.positions = nn.Embedding(SEQUENCE, HIDDEN)
            self.dropout = nn.Dropout(0.1)
            self.layers = nn.Sequential(*[Layer() for _ in range(LAYERS)])
            self.norm = nn.LayerNorm(HIDDEN)

        def forward(self, tokens, targets):
            x = self.dropout(self.words(tokens) + self.positions.weight)
            logits = self.norm(self.layers(x)) @ self.words.weight.t()
            return nn.functional.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1))

    model = Gpt()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE + 1))
    cpu, wall = [], []
    for _ in range(steps + 1):  # the first warms up
        start = time.process_time(), time.perf_counter()
        optimizer.zero_grad()
        model(tokens[:, :-1], tokens[:, 1:].reshape(-1)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        cpu.append(time.process_time() - start[0])
        wall.append(time.perf_counter() - start[1])
    return sum(cpu[1:]) / steps, min(wall[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bin/shardsim-train")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    for _ in range(arguments.rounds):
        report("PyTorch", *time_torch(arguments.steps))
        report("shardsim-train", *time_shardsim(arguments.program, arguments.steps))


if __name__ == "__main__":
    main()

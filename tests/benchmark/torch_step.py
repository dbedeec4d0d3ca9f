#!/usr/bin/env python3
"""Times the same training step in shardsim-train and in plain PyTorch, in turns: one thread against one rank, then as
many threads as ranks (data parallel, each with its share of the batch, and tensor parallel).

GPT-2 with 4 layers, hidden size 768, 12 heads, sequence 512, batch 4, fp32, dropout 0.1, Adam. Both vocabularies are
padded to 50,304. Steps by the clock, median of all rounds: the machine should have nothing else to do. Not part of the
tests: it needs python3-torch (Debian: 1.13) and an optimised libblas.so.3.

    ./run test -N && /usr/bin/python3 tests/benchmark/torch_step.py [--program build/bin/shardsim] [--ranks 1 2]
"""
import argparse
import multiprocessing
import os
import re
import statistics
import subprocess
import time

LAYERS, HIDDEN, HEADS, SEQUENCE, BATCH, VOCABULARY = 4, 768, 12, 512, 4, 50304
# Narayanan et al. 2021, eq. 3 without recompute: forward and backward of layers and logits.
FLOPS = (72 * BATCH * SEQUENCE * LAYERS * HIDDEN**2 * (1 + SEQUENCE / (6 * HIDDEN))
         + 6 * BATCH * SEQUENCE * HIDDEN * VOCABULARY)


def shardsim_steps(program, ranks, layout, steps):
    """Seconds of each step but the first, which warms up."""
    flags = (f"--num-layers {LAYERS} --hidden-size {HIDDEN} --num-attention-heads {HEADS} --seq-length {SEQUENCE} "
             f"--max-position-embeddings {SEQUENCE} --global-batch-size {BATCH} --micro-batch-size "
             f"{BATCH if layout else BATCH // ranks} --backend cpu {layout}").split()
    log = subprocess.run([program, "train", "-n", str(ranks), *flags, "--train-iters", str(steps + 1)], check=True,
                         capture_output=True, text=True)
    return [float(ms) / 1e3 for ms in re.findall(r"elapsed time per iteration \(ms\): ([0-9.]+)", log.stdout)][1:]


def torch_steps(threads, steps):
    """The same, in a process of its own: torch takes its threads from the environment when it is loaded."""
    with multiprocessing.get_context("spawn").Pool(1, initializer=set_threads, initargs=(threads,)) as pool:
        return pool.apply(time_torch, (threads, steps))


def set_threads(threads):
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)


def time_torch(threads, steps):
    import torch
    from torch import nn

    torch.set_num_threads(threads)
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
    seconds = []
    for _ in range(steps + 1):
        start = time.perf_counter()
        optimizer.zero_grad()
        model(tokens[:, :-1], tokens[:, 1:].reshape(-1)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - start)
    return seconds[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bin/shardsim")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    for ranks in arguments.ranks:
        runs = {f"PyTorch, {ranks} threads": lambda: torch_steps(ranks, arguments.steps)}
        layouts = {"data": ""} | ({"tensor": f"--tensor-model-parallel-size {ranks}"} if ranks > 1 else {})
        for name, layout in layouts.items():
            runs[f"shardsim, {ranks} ranks, {name} parallel"] = lambda layout=layout: shardsim_steps(
                arguments.program, ranks, layout, arguments.steps)
        seconds = {name: [] for name in runs}
        for _ in range(arguments.rounds):
            for name, run in runs.items():
                seconds[name] += run()
        torch = statistics.median(seconds[f"PyTorch, {ranks} threads"])
        for name, all_steps in seconds.items():
            median = statistics.median(all_steps)
            print(f"{name:35} {median:8.3f} s a step {FLOPS / median / 1e9:7.1f} GFLOP/s, "
                  f"PyTorch's time x {median / torch:.2f} (median of {len(all_steps)}, "
                  f"{min(all_steps):.3f} to {max(all_steps):.3f})", flush=True)


if __name__ == "__main__":
    main()

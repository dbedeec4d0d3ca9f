#!/usr/bin/env python3
"""Where the time of a training step goes, by operator, and how fast its matrix products run.

The step of torch_step.py on one rank. Rates are shares of the best that this core reaches in a product of 1024 x 1024
x 1024, measured by shardsim_kernel_benchmark just before and after: compare shares, not rates, between machines.

    ./run test -N && /usr/bin/python3 tests/benchmark/step_shares.py [--build build] [--steps 5]
"""
import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import tempfile

JOB = ("--num-layers 4 --hidden-size 768 --num-attention-heads 12 --seq-length 512 --max-position-embeddings 512 "
       "--micro-batch-size 4 --global-batch-size 4 --backend cpu").split()


def peak_rate(build):
    """FLOP/s of 1024³: what the benchmark divides by to get its share."""
    run = subprocess.run([build / "bin/shardsim_kernel_benchmark", "--benchmark_filter=gemm/proj/forward",
                          "--benchmark_format=json"], check=True, capture_output=True, text=True)
    result = json.loads(run.stdout)["benchmarks"][0]
    return result["FLOP/s"] / result["share"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--steps", type=int, default=5)
    arguments = parser.parse_args()
    before = peak_rate(arguments.build)
    with tempfile.NamedTemporaryFile("r") as record:
        subprocess.run([arguments.build / "bin/shardsim-train", *JOB, "--train-iters", str(arguments.steps + 1),
                        "--record", record.name], check=True, stdout=subprocess.DEVNULL)
        operators = [json.loads(line) for line in open(record.name)]
    peak = max(before, peak_rate(arguments.build))

    seconds = collections.defaultdict(lambda: collections.defaultdict(float))
    flops, spans = collections.Counter(), collections.defaultdict(float)
    for op in operators:
        if op["iteration"] == 1:  # warms up
            continue
        key = op["kind"], op["name"], op["pass"]
        seconds[key][op["iteration"]] += op["end"] - op["start"]
        spans[op["iteration"]] = max(spans[op["iteration"]], op["end"])
        if op["iteration"] == 2:
            flops[key] += op["flops"]
    step = statistics.median(spans.values())
    medians = {key: statistics.median(each.values()) for key, each in seconds.items()}
    print(f"peak {peak / 1e9:.1f} GFLOP/s, step {step * 1e3:.0f} ms, median of {len(spans)}")
    products = [key for key in medians if key[0] in ("gemm", "batched_gemm")]
    for key in sorted(medians, key=medians.get, reverse=True):
        rate = f"{flops[key] / medians[key] / peak:6.1%} of peak" if key in products else ""
        print(f"{medians[key] * 1e3:9.2f} ms {medians[key] / step:6.1%}  {' '.join(key):55} {rate}")
    time = sum(medians[key] for key in products)
    work = sum(flops[key] for key in products)
    print(f"matrix products: {time / step:.1%} of the step, at {work / time / peak:.1%} of peak")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Where the time of a training step goes, by operator, and how fast its matrix products run.

The step of torch_step.py on one rank. Times are medians over steps. Rates are those of an operator's fastest run, as
shares of the fastest product of 1024 x 1024 x 1024 that shardsim_kernel_benchmark finds just before and after: other
work on the machine slows both less often than their medians.

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
    flops, runs, fastest = collections.Counter(), collections.Counter(), {}
    spans = collections.defaultdict(float)
    for op in operators:
        if op["iteration"] == 1:  # warms up
            continue
        key = op["kind"], op["name"], op["pass"]
        took = op["end"] - op["start"]
        seconds[key][op["iteration"]] += took
        each = (*key, *op["shape"])
        fastest[each] = min(took, fastest.get(each, took))
        spans[op["iteration"]] = max(spans[op["iteration"]], op["end"])
        if op["iteration"] == 2:
            flops[key] += op["flops"]
            runs[each] += 1
    step = statistics.median(spans.values())
    medians = {key: statistics.median(each.values()) for key, each in seconds.items()}
    print(f"peak {peak / 1e9:.1f} GFLOP/s, step {step * 1e3:.0f} ms, median of {len(spans)}")
    best = collections.Counter()
    for each, took in fastest.items():
        best[each[:3]] += runs[each] * took
    products = [key for key in medians if key[0] in ("gemm", "batched_gemm")]
    for key in sorted(medians, key=medians.get, reverse=True):
        rate = f"{flops[key] / best[key] / peak:6.1%} of peak" if key in products else ""
        print(f"{medians[key] * 1e3:9.2f} ms {medians[key] / step:6.1%}  {' '.join(key):55} {rate}")
    time = sum(medians[key] for key in products)
    work = sum(flops[key] for key in products)
    at_best = sum(best[key] for key in products)
    print(f"matrix products: {time / step:.1%} of the step, at {work / at_best / peak:.1%} of peak")


if __name__ == "__main__":
    main()

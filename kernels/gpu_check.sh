#!/usr/bin/env bash
# kernels/gpu_check.sh [FOLDER]: on a machine with one GPU, builds the GPU backend, holds its operators against the
# reference, times matrix products, memory-bound kernels and GPT-2 345M and 1.2B training steps, and writes the tables
# into FOLDER (default: gpu_results). Needs nvcc, CMake, Ninja, a C++20 compiler and cuBLAS; no network, MPI, NCCL or
# Boost. GoogleTest: an installed one, or build/gpu-prebuilt, which `kernels/gpu_check.sh --pack` fills on another
# machine; without it operators cannot be checked, nothing is timed, and the exit code is 1.
set -euo pipefail

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
prebuilt=$root/build/gpu-prebuilt

# Headers and libraries of the installed GoogleTest (a few MB), to be carried to the GPU machine.
pack() {
  local header library
  header=$(find /usr/include /usr/local/include -path '*/gtest/gtest.h' -print -quit 2>/dev/null)
  library=$(find /usr/lib /usr/local/lib -name libgtest.a -print -quit 2>/dev/null)
  if [[ -z $header || -z $library ]]; then
    echo "gpu_check: no GoogleTest with a static library is installed (libgtest-dev)" >&2
    exit 2
  fi
  mkdir -p "$prebuilt/include" "$prebuilt/lib"
  cp -r "$(dirname -- "$header")" "$prebuilt/include/"
  cp "$library" "${library%gtest.a}gtest_main.a" "$prebuilt/lib/"
  du -sh "$prebuilt"
}

if [[ ${1-} == --pack ]]; then
  pack
  exit 0
fi

results=${1:-gpu_results}
build=$root/build/gpu-check
mkdir -p "$results"
options=()
if command -v nvidia-smi >/dev/null; then
  # Only this machine's architecture: a quarter of the compile time.
  options+=("-DCMAKE_CUDA_ARCHITECTURES=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)")
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit --format=csv >"$results/gpu.csv"
fi
if [[ -d $prebuilt ]]; then options+=("-DGTest_ROOT=$prebuilt" "-DGTEST_ROOT=$prebuilt"); fi

cmake -S "$root/kernels/gpu/standalone" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}"
cmake --build "$build"

if [[ ! -x $build/bin/gpu_backend_test ]]; then
  echo "gpu_check: GoogleTest not found: operators are not checked, and nothing is timed" >&2
  exit 1
fi
# Skipped tests are no passed ones: without a GPU the benchmark below says so and fails.
if ! "$build/bin/gpu_backend_test" --gtest_brief=1 >"$results/operators.txt" 2>&1; then
  cat "$results/operators.txt" >&2
  echo "gpu_check: no times are taken of operators that are not right" >&2
  exit 1
fi
tail -3 "$results/operators.txt"
"$build/bin/shardsim-gpu-benchmark" "$results"

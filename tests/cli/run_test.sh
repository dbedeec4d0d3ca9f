#!/usr/bin/env bash
# One test of ./run, named by the argument, in a copy of the repository's skeleton. Programs that ./run calls are
# stand-ins in $bin that write their arguments to $log; the one for cmake "builds" a shardsim that prints its own.
set -euo pipefail

repository=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$work/bin
tree=$work/tree
log=$work/log

stand_in() { # name, body
  printf '#!/bin/bash\necho "%s $*" >> %q\n%s\n' "$1" "$log" "$2" > "$bin/$1"
  chmod +x "$bin/$1"
}

make_tree() {
  mkdir -p "$bin" "$tree/sim/cost" "$tree/tests"
  cp "$repository/run" "$tree/run"
  touch "$tree/CMakeLists.txt" "$tree/sim/main.cpp" "$tree/sim/cost/gemm.cpp" "$tree/tests/test.cpp" "$log"
  stand_in cmake '
if [[ $1 == --build ]]; then
  sleep 0.2
  mkdir -p "$2/bin"
  for program in shardsim $(grep -o "shardsim-[a-z]*" <<< "$*"); do
    printf "#!/bin/bash\n[[ \$# == 0 ]] || printf \"<%%s>\" \"\$@\"\n" > "$2/bin/$program"
    chmod +x "$2/bin/$program"
  done
fi'
  stand_in ctest 'echo "100% tests passed"'
  stand_in dpkg-query 'echo installed'
  stand_in apt-get ''
  stand_in sudo '"$@"'
  stand_in ninja ''
}

run() { # arguments of ./run; leaves $out, $err and $code
  code=0
  PATH=$bin:$PATH "$tree/run" "$@" > "$work/out" 2> "$work/err" || code=$?
  out=$(< "$work/out")
  err=$(< "$work/err")
}

builds() { grep -c '^cmake --build' "$log" || true; }

expect() { # actual, expected, what
  [[ $1 == "$2" ]] || { printf '%s: got "%s", expected "%s"\nstderr: %s\n' "$3" "$1" "$2" "${err-}"; exit 1; }
}
expect_match() { # actual, pattern, what
  [[ $1 == $2 ]] || { printf '%s: got "%s", which does not match "%s"\n' "$3" "$1" "$2"; exit 1; }
}

builds_once_and_stays_silent() {
  run predict 'a b.toml' --format json
  expect "$out" '<predict><a b.toml><--format><json>' 'stdout holds only the program'"'"'s output'
  expect_match "$err" '*building shardsim*' 'the first call tells that it builds'
  expect "$(builds)" 1 'builds'
  : > "$log"
  run list
  expect "$out" '<list>' 'second output'
  expect "$err" '' 'the second call prints nothing of its own'
  expect "$(< "$log")" '' 'the second call starts no tool'
}

rebuilds_after_a_change() {
  run list
  local change
  for change in 'touch sim/cost/gemm.cpp' 'rm sim/cost/gemm.cpp' 'touch sim/new.hpp' 'touch CMakeLists.txt' \
                'rm build/bin/shardsim'; do
    sleep 0.02
    : > "$log"
    (cd "$tree" && $change)
    run list
    expect "$(builds)" 1 "builds after: $change"
    : > "$log"
    run list
    expect "$(builds)" 0 "builds when nothing changed after: $change"
  done
  touch "$tree/tests/test.cpp" "$tree/notes.txt"
  run list
  expect "$(builds)" 0 'builds after a change that the command does not need'
}

waits_for_one_build() {
  local rank
  for rank in 1 2 3 4; do
    PATH=$bin:$PATH "$tree/run" rank "$rank" > "$work/out.$rank" 2> "$work/err.$rank" &
  done
  wait
  for rank in 1 2 3 4; do expect "$(< "$work/out.$rank")" "<rank><$rank>" "rank $rank"; done
  expect "$(builds)" 1 'builds of four ranks that start at once'
}

failed_build_runs_nothing() {
  run list
  sleep 0.02
  touch "$tree/sim/main.cpp"
  stand_in cmake '[[ $1 != --build ]]'
  run list
  expect "$code" 1 'exit code'
  expect "$out" '' 'the stale program was run'
  expect_match "$err" '*the build failed*' 'message'
}

installs_what_a_command_needs() {
  stand_in dpkg-query 'exit 1'
  run predict
  local common='libtomlplusplus-dev nlohmann-json3-dev libyaml-cpp-dev libboost-program-options-dev'
  expect "$(grep -o 'libtoml.*' <(grep '^apt-get.*install' "$log"))" "$common" 'packages for predict'
  expect_match "$err" "*installing $common*" 'packages are named before they are installed'
  run test
  expect "$(grep -o 'libtoml.*' <(grep '^apt-get.*install' "$log" | tail -1))" "$common libgtest-dev libbenchmark-dev zlib1g-dev libeigen3-dev libopenmpi-dev openmpi-bin" \
    'packages for test'
}

without_root_or_sudo() {
  # As root, step down; the copy must then belong to that user.
  stand_in dpkg-query 'exit 1'
  rm "$bin/sudo"
  local path=$bin:$work/tools tool
  mkdir -p "$work/tools"
  for tool in bash dirname readlink find mkdir flock touch; do ln -s "$(command -v "$tool")" "$work/tools/$tool"; done
  chmod -R a+rwX "$work"
  local as_user=()
  if (( EUID == 0 )); then as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
  code=0
  err=$(CXX=c++ "${as_user[@]}" env "PATH=$path" "$tree/run" predict 2>&1) || code=$?
  expect "$code" 1 'exit code'
  expect_match "$err" '*install them as root: apt-get install libtomlplusplus-dev*' 'message'
}

test_builds_everything() {
  run test -L unit
  expect "$out" '100% tests passed' 'closing line'
  expect_match "$(grep '^cmake --build' "$log")" '*--target all*' 'target'
  expect_match "$(grep '^ctest' "$log")" '*--output-on-failure*-L unit' 'arguments of ctest'
  : > "$log"
  run predict
  expect "$(builds)" 0 'predict after test builds'
}

builds_the_program_of_a_command() {
  run validate
  expect_match "$(grep '^cmake --build' "$log")" '*--target shardsim -j*' 'target without a folder of that name'
  mkdir "$tree/validate"
  touch "$tree/validate/CMakeLists.txt"
  : > "$log"
  run validate x
  expect "$out" '<validate><x>' 'output'
  expect_match "$(grep '^cmake --build' "$log")" '*--target shardsim-validate shardsim -j*' 'targets'
  : > "$log"
  run predict
  run validate
  expect "$(builds)" 0 'builds when both are there'
}

builds_the_trainer() {
  mkdir -p "$tree/kernels/trainer"
  touch "$tree/kernels/trainer/CMakeLists.txt"
  run train -n 2 x
  expect_match "$(grep '^cmake --build' "$log")" '*--target shardsim-train shardsim -j*' 'targets'
  expect "$out" '<train><-n><2><x>' 'output'
  touch "$tree/kernels/trainer/train.cpp"
  : > "$log"
  run train x
  expect "$(builds)" 1 'builds after a change of the trainer'
}

builds_what_local_validation_starts() {
  local folder
  for folder in kernels/trainer calibrate validate; do
    mkdir -p "$tree/$folder"
    touch "$tree/$folder/CMakeLists.txt"
  done
  run validate x
  : > "$log"
  run validate --local --quick
  expect_match "$(grep '^cmake --build' "$log")" \
    '*--target shardsim-validate shardsim-train shardsim-calibrate shardsim -j*' 'targets'
  : > "$log"
  run validate --local --quick
  expect "$(builds)" 0 'builds when all are there'
}

starts_fast() {
  # The least of twenty calls, which a busy machine does not disturb; the bar is 50 ms.
  run list
  local best=1000000 start stop elapsed i
  for i in {1..20}; do
    start=${EPOCHREALTIME/./}
    PATH=$bin:$PATH "$tree/run" > /dev/null
    stop=${EPOCHREALTIME/./}
    elapsed=$(( stop - start ))
    if (( elapsed < best )); then best=$elapsed; fi
  done
  echo "a call that builds nothing takes $best us"
  (( best < 50000 ))
}

keeps_the_callers_folder() {
  run list
  ln -s "$tree/run" "$work/link"
  printf '#!/bin/bash\npwd\n' > "$tree/build/bin/shardsim"
  mkdir "$work/elsewhere"
  expect "$(cd "$work/elsewhere" && PATH=$bin:$PATH ../link)" "$work/elsewhere" 'folder'
}

make_tree
"$1"

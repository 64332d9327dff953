#!/bin/sh
# Runs the conformance suite and the experiments on the machine's first NVIDIA GPU, and keeps what they say in $OUT, or in
# results beside this script. It goes on after a failure, and nothing runs for ever. The exit code is how many programs failed.
cd "$(dirname "$0")" || exit 99
out=${OUT:-$PWD/results}
mkdir -p "$out"
failed=0

# run SECONDS FILE PROGRAM...
run() {
    limit=$1 file=$2
    shift 2
    begun=$(date +%s)
    timeout "$limit" "$@" >>"$out/$file" 2>>"$out/errors.txt"
    code=$?
    echo "$code $(($(date +%s) - begun))s $*" >>"$out/summary.txt"
    [ "$code" -eq 0 ] || failed=$((failed + 1))
}

run 20 machine.txt nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv
run 20 machine.txt uname -rm
run 20 machine.txt date -u
run 60 machine.txt ./ringfence doctor
export RINGFENCE_REQUIRE_CUDA=1
run 300 conformance.txt ./conformance_cuda --nocapture
run 300 histories.txt env RINGFENCE_CONFORMANCE=pool_random RINGFENCE_HISTORIES=20000 ./conformance_cuda --nocapture
run 60 tests.txt ./pool --nocapture
run 60 tests.txt ./streams --nocapture
run 150 streams.json ./ringfence bench streams --backend cuda --limit-s 20 --json
run 60 signals.json ./ringfence bench signals --backend cuda --json
run 60 signals.txt ./ringfence bench signals --backend cuda
run 240 report.txt ./ringfence bench --backend cuda --size small --report "$out/report.html"
cat "$out/summary.txt"
exit "$failed"

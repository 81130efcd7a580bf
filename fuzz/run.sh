#!/usr/bin/env bash
# Fuzzes one target, or `all` in turn, for so many seconds each: `fuzz/run.sh TARGET SECONDS`.
# libFuzzer guides the inputs by coverage and keeps them in fuzz/corpus/TARGET; an input that fails is kept in fuzz/artifacts and
# named. Needs a C++ compiler for libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-all} seconds=${2:-60}

OUT=target/fuzz/targets fuzz/oss-fuzz/build.sh
names=("$target")
if [[ $target == all ]]; then
    mapfile -t names < <(ls target/fuzz/targets)
fi
for name in "${names[@]}"; do
    echo "== $name =="
    mkdir -p "fuzz/corpus/$name" fuzz/artifacts
    "target/fuzz/targets/$name" "fuzz/corpus/$name" -max_total_time="$seconds" -max_len=4096 -timeout=30 \
        -rss_limit_mb=4096 -artifact_prefix="fuzz/artifacts/$name-" -print_final_stats=1
done

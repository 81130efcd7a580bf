#!/usr/bin/env bash
# Fuzzes one target, or `all` in turn, for so many seconds each: `fuzz/run.sh TARGET SECONDS`.
# With cargo-fuzz installed libFuzzer guides the inputs by coverage and keeps them in fuzz/corpus/TARGET; without it the bytes are
# random. An input that fails is kept and named.
set -euo pipefail
cd "$(dirname "$0")"
target=${1:-all} seconds=${2:-60}

targets=("$target")
if [[ $target == all ]]; then
    mapfile -t targets < <(sed -n 's/^path = "fuzz_targets\/\(.*\)\.rs"/\1/p' Cargo.toml)
fi
for name in "${targets[@]}"; do
    echo "== $name =="
    if command -v cargo-fuzz >/dev/null; then
        # Sanitizers need a nightly toolchain, and the libraries have no unsafe code for them to check.
        cargo fuzz run --fuzz-dir . --sanitizer none --features libfuzzer "$name" -- \
            -max_total_time="$seconds" -max_len=4096 -timeout=30 -rss_limit_mb=4096
    else
        cargo run --release --example soak -- "$name" --seconds "$seconds"
    fi
done

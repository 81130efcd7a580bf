#!/usr/bin/env bash
# Builds every fuzz target into $OUT, with the coverage that libFuzzer reads: `OUT=folder fuzz/oss-fuzz/build.sh`.
# The flags are those of cargo-fuzz without a sanitizer; the libraries forbid unsafe code, and a stable toolchain is enough.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ -n ${OUT:-} ]] || { echo "fuzz: name the folder for the targets: OUT=FOLDER fuzz/oss-fuzz/build.sh" >&2; exit 64; }
out=$OUT
for pair in "rustc:rustup, https://rustup.rs" "cargo:rustup, https://rustup.rs" "c++:apt-get install g++"; do
    command -v "${pair%%:*}" >/dev/null || { echo "fuzz: ${pair%%:*} is not installed: ${pair#*:}" >&2; exit 69; }
done
mkdir -p "$out"

host=$(rustc -vV | sed -n 's/^host: //p')
coverage=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions
    -Ccodegen-units=1)
# A target of its own: build scripts and procedural macros are built without coverage.
RUSTFLAGS="${coverage[*]}" cargo build --release --package agx-fuzz --features libfuzzer --bins \
    --target "$host" --target-dir target/fuzz
while read -r name; do
    cp "target/fuzz/$host/release/$name" "$out/"
done < <(sed -n 's/^path = "fuzz_targets\/\(.*\)\.rs"/\1/p' fuzz/Cargo.toml)

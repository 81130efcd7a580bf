//! The compiler's cost grows with the size of a shader and hardly faster: host instructions, counted by callgrind, of
//! generated shaders with N loads, blocks, branches, phis, live values, cases, functions, loops.
//!
//! The test runs itself under callgrind, which writes a count after every compile.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

mod spirv_builder;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use agx_abi::Target;
use agx_compiler::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};
use spirv_builder::{Builder, SHAPES};

/// Set in the process that callgrind watches.
const PROBE: &str = "AGX_SCALING_PROBE";

/// Sizes that are compared; the first only says what a shader costs that does next to nothing.
/// From the second on, live values exceed the registers. An unoptimised compiler would take minutes for the largest.
const SIZES: [u32; 3] = if cfg!(debug_assertions) { [1, 192, 768] } else { [1, 256, 4096] };

/// Most that the cost of one element may grow from the second size to the third, which is 4 or 16 times as large: far
/// below what a quadratic pass brings, with room for tables that grow and sets of bits.
const GROWTH: f64 = 1.4;

/// What is counted. Not inlined: callgrind finds it by its name.
#[inline(never)]
fn compile_counted(compiler: &Compiler, module: &[u8]) -> Result<CompiledShader, CompileError> {
    compiler.compile(&mut Scratch::default(), Input::SpirV(module), &CompileKey::default())
}

/// Compiles every shape in every size.
fn probe() {
    let compiler = Compiler::new(Target::default());
    for (name, shape) in SHAPES {
        for size in SIZES {
            let module = Builder::module(*shape, size);
            let result = black_box(compile_counted(&compiler, &module));
            assert!(result.is_ok(), "{name}, {size}: {result:?}");
        }
    }
}

/// The counts of a run of [`probe`] under callgrind, in its order.
fn counts(folder: &Path) -> Vec<u64> {
    let output = folder.join("callgrind");
    let run = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--toggle-collect=scaling::compile_counted",
            "--dump-after=scaling::compile_counted",
        ])
        .arg(format!("--callgrind-out-file={}", output.display()))
        .arg(std::env::current_exe().expect("a running program has a name"))
        .args(["--exact", "cost_grows_with_size", "--test-threads=1"])
        .env(PROBE, "1")
        .output()
        .expect("valgrind was found before");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    (1..=SHAPES.len() * SIZES.len())
        .map(|index| {
            let path = output.with_extension(index.to_string());
            let text = std::fs::read_to_string(&path).expect("callgrind wrote a count for every compile");
            let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
            total.and_then(|total| total.trim().parse().ok()).expect("a total in callgrind's output")
        })
        .collect()
}

#[test]
fn cost_grows_with_size() {
    if std::env::var_os(PROBE).is_some() {
        return probe();
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: valgrind is not installed (Debian package valgrind)");
        return probe();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scaling-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the counts");
    let counts = counts(&folder);
    std::fs::remove_dir_all(&folder).expect("ours");
    let mut complaints = Vec::new();
    for ((name, _), counts) in SHAPES.iter().zip(counts.chunks(SIZES.len())) {
        let each = |index: usize| (counts[index] - counts[0]) as f64 / f64::from(SIZES[index] - SIZES[0]);
        let growth = each(2) / each(1);
        eprintln!("{name}: {:.0} and {:.0} instructions each, growth {growth:.2}", each(1), each(2));
        if growth > GROWTH {
            complaints
                .push(format!("{name}: each of {} costs {growth:.2} of each of {}", SIZES[2], SIZES[1]));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

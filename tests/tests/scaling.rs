//! The compiler's cost is nearly linear in the size of a shader: host instructions, counted by callgrind, for generated
//! shaders with N loads, blocks, branches, phis, live values, cases, functions, loops.
//!
//! The test runs itself under callgrind, which writes a count after every compile.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

use std::hint::black_box;

use agx_abi::Target;
use agx_compiler::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_tests::callgrind::Callgrind;
use agx_tests::shapes::{Builder, SHAPES};
use agx_tests::tools::Tools;

/// Set in the process under callgrind.
const PROBE: &str = "AGX_SCALING_PROBE";

/// The compared sizes. The first only measures the cost of a nearly empty shader. From the second on, the number of
/// live values exceeds the registers.
const SIZES: [u32; 3] = [1, 256, 4096];

/// Maximum growth of the cost of one element from the second size to the third, which is 16 times as large. It is far
/// below that of a quadratic pass, with room for growing tables and bit sets. Phis of loops grow most: of 256 joining
/// values half find registers, of 4096 hardly any.
const GROWTH: f64 = 1.3;

/// The function to count. It is not inlined, because callgrind finds it by name.
#[inline(never)]
fn compile_counted(compiler: &Compiler, module: &[u8]) -> Result<CompiledShader, CompileError> {
    compiler.compile(&mut Scratch::default(), Input::spirv(module), &CompileKey::default())
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
fn counts(tools: &Tools) -> Vec<u64> {
    let counts = Callgrind {
        tools,
        function: "scaling::compile_counted",
        program: &std::env::current_exe().expect("a running program has a name"),
        arguments: &["--exact", "cost_grows_with_size", "--test-threads=1"],
        environment: &[(PROBE, "1")],
    }
    .each()
    .expect("valgrind counts");
    assert_eq!(counts.len(), SHAPES.len() * SIZES.len(), "a count for every compile");
    counts
}

#[test]
fn cost_grows_with_size() {
    if std::env::var_os(PROBE).is_some() {
        return probe();
    }
    let tools = Tools::find(env!("CARGO_TARGET_TMPDIR"));
    if let Err(absent) = tools.valgrind() {
        eprintln!("skipped: {absent}");
        return probe();
    }
    let counts = counts(&tools);
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

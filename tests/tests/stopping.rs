//! Compilations can be stopped frequently, at any point, and without side effects.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agx_compiler::{
    CompileError, CompileKey, CompileLimits, CompiledShader, Compiler, ErrorKind, Input, Scratch,
};
use agx_tests::shapes::{Builder, SHAPES};

/// Size of the shapes whose compilations are stopped at many points.
const SMALL: u32 = 48;

/// Number of points at which the compilation of each shape is stopped.
const PLACES: u64 = 40;

/// Size of the shapes for which calls are counted.
const LARGE: u32 = 2048;

/// Compiles `module` and stops at the call with this number; counts the calls.
fn compile(
    scratch: &mut Scratch,
    module: &[u8],
    stop_at: Option<u64>,
) -> (Result<CompiledShader, CompileError>, u64) {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let mut key = CompileKey::default();
    key.limits = CompileLimits::default()
        .with_should_stop(move || Some(count.fetch_add(1, Ordering::Relaxed)) == stop_at);
    let result = Compiler::default().compile(scratch, Input::spirv(module), &key);
    (result, asked.load(Ordering::Relaxed))
}

#[test]
fn what_is_stopped_anywhere_leaves_nothing_behind() {
    for (name, shape) in SHAPES {
        let module = Builder::module(*shape, SMALL);
        let mut scratch = Scratch::default();
        let (whole, questions) = compile(&mut scratch, &module, None);
        let whole = whole.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(questions > PLACES, "{name}: {questions}");
        for place in 0..PLACES {
            let at = place * (questions - 1) / (PLACES - 1);
            let (result, asked) = compile(&mut scratch, &module, Some(at));
            let error = result.expect_err("stopped");
            assert_eq!(
                (error.kind(), error.message().as_str()),
                (ErrorKind::Limit, "the compilation was stopped")
            );
            assert_eq!(asked, at + 1, "{name}: nothing is asked afterwards");
        }
        let again = Compiler::default().compile(&mut scratch, Input::spirv(&module), &CompileKey::default());
        assert_eq!(again.as_ref(), Ok(&whole), "{name}");
    }
}

/// The number of calls grows with the work: for a shader with many elements, `should_stop` is called many times within
/// passes, and not only between them.
#[test]
fn large_shaders_ask_within_passes() {
    for (name, shape) in SHAPES {
        let questions = |size| compile(&mut Scratch::default(), &Builder::module(*shape, size), None).1;
        let (few, many) = (questions(1), questions(LARGE));
        assert!(many > few + u64::from(LARGE) / 8, "{name}: {few} and {many}");
    }
}

#[test]
fn a_question_that_panics_is_not_taken_for_an_answer() {
    let mut key = CompileKey::default();
    key.limits = CompileLimits::default().with_should_stop(|| std::panic::panic_any(7_u32));
    let module = Builder::module(SHAPES[0].1, SMALL);
    let compile = || Compiler::default().compile(&mut Scratch::default(), Input::spirv(&module), &key);
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile)).expect_err("goes on to the caller");
    assert_eq!(panic.downcast_ref(), Some(&7_u32));
}

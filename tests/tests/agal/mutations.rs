//! Mutated programs through the compiler: an error, or code that obeys the rules of the instruction set; never a panic.

use agx_compiler::{CompileKey, ErrorKind};
use agx_tests::agal::input;
use agx_tests::driver::compile;
use agx_tests::outcome::Outcome;
use libtest_mimic::Failed;

use super::programs::bundled;

/// Mutations in a plain run, and under stress.
const COUNT: usize = if cfg!(feature = "stress") { 100_000 } else { 200 };

/// Compiles mutations of the shorter programs.
pub fn compile_or_are_refused() -> Result<(), Failed> {
    let programs: Vec<Vec<u8>> = bundled()
        .iter()
        .filter(|bundled| bundled.program.tokens.len() < 24)
        .map(|bundled| bundled.program.write())
        .collect();
    let mut seed = 0x5eed_u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let (mut compiled, mut refused) = (0, 0);
    for _ in 0..COUNT {
        let mut bytes = programs[next() % programs.len()].clone();
        for _ in 0..=next() % 3 {
            let at = next() % bytes.len();
            bytes[at] = if next() % 2 == 0 { next() as u8 } else { bytes[at] ^ 1 << (next() % 8) };
        }
        // A text is another matter.
        bytes[0] = 0xa0;
        match compile(input(&bytes), &CompileKey::default()) {
            Ok(_) => compiled += 1,
            Err(Outcome::Fail(reason)) if reason.contains(ErrorKind::Internal.name()) => {
                return Err(format!("{reason}: {bytes:02x?}").into());
            }
            Err(_) => refused += 1,
        }
    }
    if compiled * 10 < refused || refused * 20 < compiled {
        return Err(format!("{compiled} compile and {refused} are refused: the mutations say little").into());
    }
    Ok(())
}

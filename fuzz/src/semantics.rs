//! Compiled kernels compute what the interpreter says the source means: front to back, all passes, the real bytes on the
//! reference machine.

use agx_abi::PartRole;
use agx_compiler::ir::interpret::{FlatMemory, Limits};
use agx_compiler::ir::{self, interpret};
use agx_compiler::pipeline::PASSES;
use agx_compiler::{CompileKey, Compiler, ErrorKind, Input, Scratch};
use agx_emulator::Options;
use agx_emulator::launch::Launch;
use bumpalo::Bump;

use crate::entropy::Entropy;
use crate::kernel::{Kernel, any_kernel};

/// Words that arithmetic likes to get wrong, integers first.
const ARGUMENTS: [u32; 12] = [
    0,
    1,
    5,
    0xffff_ffff,
    0x8000_0000,
    0x7fff_ffff,
    0x3f80_0000,
    0xc020_0000,
    0x7f80_0000,
    0x7fc0_0000,
    0x0000_0001,
    0x8000_0000,
];

/// Half registers a kernel may use: few, so that values are spilled, or as many as there are.
const REGISTER_LIMITS: [Option<u16>; 4] = [Some(18), Some(20), Some(26), None];

/// Treats `data` as choices for a kernel and its arguments.
pub fn semantics(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    let arguments: Vec<u64> = (0..4).map(|_| argument(&mut entropy)).collect();
    let mut key = CompileKey::default();
    key.validate = true;
    key.disabled_passes = left_out(&mut entropy);
    key.max_gpr_halves = REGISTER_LIMITS[entropy.below(REGISTER_LIMITS.len())];
    let kernel = any_kernel(&mut entropy);
    let wanted = interpreted(&kernel, &arguments);
    let Some(found) = executed(&kernel, &arguments, &key) else { return };
    for (index, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
        let same = match index < kernel.integers {
            true => wanted == found,
            false => same_float(*wanted, *found),
        };
        assert!(
            same,
            "result {index} is {found:#x} and should be {wanted:#x}; arguments {arguments:x?}, without {:?}, registers {:?}\n{}",
            key.disabled_passes, key.max_gpr_halves, kernel.text
        );
    }
}

fn argument(entropy: &mut Entropy<'_>) -> u64 {
    let word = match entropy.below(3) {
        0 => entropy.word(),
        _ => ARGUMENTS[entropy.below(ARGUMENTS.len())],
    };
    u64::from(word)
}

/// Now and then an optional pass, without which the code must be right as well.
fn left_out(entropy: &mut Entropy<'_>) -> Vec<String> {
    let optional: Vec<&str> = PASSES.iter().filter(|pass| pass.optional).map(|pass| pass.name).collect();
    match entropy.flip() {
        true => vec![optional[entropy.below(optional.len())].to_owned()],
        false => Vec::new(),
    }
}

/// Any NaN is a NaN, and whether a sign operation alone flushes a denormal is up to the code.
fn same_float(wanted: u64, found: u64) -> bool {
    let flushed = |bits: u64| {
        let float = f32::from_bits(bits as u32);
        if float.is_subnormal() { 0.0 } else { float }
    };
    let (wanted, found) = (flushed(wanted), flushed(found));
    wanted == found || (wanted.is_nan() && found.is_nan())
}

fn interpreted(kernel: &Kernel, arguments: &[u64]) -> Vec<u64> {
    let bump = Bump::new();
    let functions = ir::parse(&bump, &kernel.text).unwrap_or_else(|error| panic!("{error}\n{}", kernel.text));
    let outcome = interpret(&functions[0], arguments, &[], &mut FlatMemory::default(), Limits::default());
    outcome.unwrap_or_else(|error| panic!("{error}\n{}", kernel.text)).kept
}

/// What the machine computes; nothing when the kernel needs more registers than the key allows.
fn executed(kernel: &Kernel, arguments: &[u64], key: &CompileKey) -> Option<Vec<u64>> {
    let shader = Compiler::default().compile(&mut Scratch::default(), Input::Ir(&kernel.text), key);
    let shader = match shader {
        Err(error) if error.kind == ErrorKind::Limit && key.max_gpr_halves.is_some() => return None,
        other => other.unwrap_or_else(|error| panic!("{error}\n{}", kernel.text)),
    };
    let mut results = vec![0; kernel.results];
    let launch = Launch {
        code: shader.part(PartRole::Main).unwrap_or_default(),
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        buffers: &mut [],
        textures: &mut [],
        samplers: &[],
        push_constants: &[],
        arguments,
        results: &mut results,
        workgroups: [1; 3],
        options: Options::default(),
    };
    let report = launch.run().unwrap_or_else(|error| panic!("{error}\n{}", kernel.text));
    assert!(report.findings.is_empty(), "{}\n{}", report.findings[0], kernel.text);
    Some(results)
}

//! Compiled kernels compute the same results as the interpreter, with the whole compiler, all passes, and the
//! encoded instructions on the reference emulator.

use agx_abi::{PartRole, ShaderInfo};
use agx_compiler::internal::ir::interpret::{FlatMemory, Limits};
use agx_compiler::internal::ir::{self, interpret};
use agx_compiler::internal::pipeline::PASSES;
use agx_compiler::{CompileKey, Compiler, ErrorKind, Input, Scratch};
use agx_emulator::Options;
use agx_emulator::launch::{BufferBinding, FIRST_ADDRESS, Launch};
use agx_random::Random;
use bumpalo::Bump;

use agx_random::Entropy;
use agx_random::kernel::{
    Kernel, LANE_REGISTER, LANES, MEMORY_WORDS, OWN_WORDS, RESULTS, SHARED_WORDS, any_kernel,
};

/// Edge cases of arithmetic, integers first.
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

/// Maximum number of half registers of a kernel: small ones cause spills.
const REGISTER_LIMITS: [Option<u16>; 4] = [Some(12), Some(16), Some(26), None];

/// Tests `data` as choices for a kernel, its arguments and the contents of its memory.
pub fn semantics(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    let words: Vec<u64> = (0..4).map(|_| argument(&mut entropy)).collect();
    let arguments = [&[FIRST_ADDRESS], words.as_slice()].concat();
    let mut key = CompileKey::default();
    key.validate = true;
    key.disabled_passes = left_out(&mut entropy);
    key.max_gpr_halves = REGISTER_LIMITS[entropy.below(REGISTER_LIMITS.len())];
    let memory = memory(&mut entropy);
    key.spill_everything = entropy.below(4) == 0;
    key.schedule_seed = (entropy.below(3) == 0).then(|| entropy.below(1 << 16) as u64);
    let kernel = any_kernel(&mut entropy);
    let wanted = interpreted(&kernel, &arguments, &memory);
    let Some(found) = executed(&kernel, &arguments, &memory, &key) else { return };
    if let Some(difference) = difference(&wanted, &found) {
        panic!(
            "{difference}; arguments {arguments:x?}, without {:?}, registers {:?}\n{}",
            key.disabled_passes, key.max_gpr_halves, kernel.text
        );
    }
}

/// Memory before the run: edge cases of arithmetic, in the lanes' own words too, and zeros in place of the
/// results.
fn memory(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let mut random = Random::new(entropy.word().into());
    let filled = SHARED_WORDS + LANES * OWN_WORDS;
    let word = |index: usize| {
        let word = random.next_u64();
        match word >> 61 {
            _ if index >= filled => 0,
            0..3 => ARGUMENTS[word as usize % ARGUMENTS.len()],
            3..5 => word as u32 & 0xff,
            _ => word as u32,
        }
    };
    (0..MEMORY_WORDS).map(word).flat_map(u32::to_le_bytes).collect()
}

/// Describes the first difference; the lanes' own words come first.
fn difference(wanted: &[u8], found: &[u8]) -> Option<String> {
    let first = SHARED_WORDS + LANES * OWN_WORDS;
    let (own_wanted, wanted) = wanted.split_at(first * 4);
    let (own_found, found) = found.split_at(first * 4);
    if let Some(at) = own_wanted.iter().zip(own_found).position(|(wanted, found)| wanted != found) {
        return Some(format!(
            "byte {at} of the memory is {:#x}; expected {:#x}",
            own_found[at], own_wanted[at]
        ));
    }
    let quads = |bytes: &[u8]| -> Vec<u64> {
        bytes.as_chunks::<8>().0.iter().copied().map(u64::from_le_bytes).collect()
    };
    quads(wanted).into_iter().zip(quads(found)).enumerate().find_map(|(index, (wanted, found))| {
        let (lane, kind) = (index / RESULTS.len(), RESULTS[index % RESULTS.len()]);
        let text = || {
            format!(
                "result {} ({kind:?}) of lane {lane} is {found:#x}; expected {wanted:#x}",
                index % RESULTS.len()
            )
        };
        (kind.canonical(wanted) != kind.canonical(found)).then(text)
    })
}

fn argument(entropy: &mut Entropy<'_>) -> u64 {
    let word = match entropy.below(3) {
        0 => entropy.word(),
        _ => ARGUMENTS[entropy.below(ARGUMENTS.len())],
    };
    u64::from(word)
}

/// Optional passes to disable, sometimes: the code must be correct without them.
pub(crate) fn left_out(entropy: &mut Entropy<'_>) -> Vec<String> {
    let optional: Vec<&str> = PASSES.iter().filter(|pass| pass.optional).map(|pass| pass.name).collect();
    match entropy.flip() {
        true => vec![optional[entropy.below(optional.len())].to_owned()],
        false => Vec::new(),
    }
}

/// The memory after all lanes have run in the interpreter.
fn interpreted(kernel: &Kernel, arguments: &[u64], memory: &[u8]) -> Vec<u8> {
    let bump = Bump::new();
    let functions = ir::parse(&bump, &kernel.text).unwrap_or_else(|error| panic!("{error}\n{}", kernel.text));
    let mut memory = FlatMemory { base: FIRST_ADDRESS, device: memory.to_vec(), ..FlatMemory::default() };
    for lane in 0..LANES as u32 {
        memory.special = vec![(LANE_REGISTER, lane)];
        let outcome = interpret(&functions[0], arguments, &[], &mut memory, Limits::default());
        outcome.unwrap_or_else(|error| panic!("{error}\n{}", kernel.text));
    }
    memory.device
}

/// The memory after the emulator's run; `None` if the kernel needs more registers than the key allows.
fn executed(kernel: &Kernel, arguments: &[u64], memory: &[u8], key: &CompileKey) -> Option<Vec<u8>> {
    let shader = Compiler::default().compile(&mut Scratch::default(), Input::ir(&kernel.text), key);
    let shader = match shader {
        Err(error) if error.kind() == ErrorKind::Limit && key.max_gpr_halves.is_some() => return None,
        other => other.unwrap_or_else(|error| panic!("{error}\n{}", kernel.text)),
    };
    let info = ShaderInfo { workgroup_size: [LANES as u32, 1, 1], ..shader.info.clone() };
    let mut buffers =
        [BufferBinding { set: 0, binding: 0, element: 0, bytes: memory.to_vec(), writable: true }];
    let launch = Launch {
        code: shader.part(PartRole::Main).unwrap_or_default(),
        preamble: shader.part(PartRole::Preamble),
        info: &info,
        buffers: &mut buffers,
        textures: &mut [],
        samplers: &[],
        push_constants: &[],
        arguments,
        results: &mut [],
        workgroups: [1; 3],
        options: Options::default(),
    };
    let report = launch.run().unwrap_or_else(|error| panic!("{error}\n{}", kernel.text));
    assert!(report.findings.is_empty(), "{}\n{}", report.findings[0], kernel.text);
    let [buffer] = buffers;
    Some(buffer.bytes)
}

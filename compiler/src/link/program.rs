//! The linker: concatenates parts and appends the end.
//!
//! It runs at draw time, so it only copies bytes and compares a few numbers.

use agx_abi::fragment::CoefficientSource;
use agx_abi::layout::InterfaceReads;
use agx_abi::varyings::OutputLayout;
use agx_abi::words::{FragmentControl, FragmentEffects};
use agx_abi::{SamplerBinding, ShaderInfo};
use agx_isa::decode::decode;
use agx_isa::encode::encode;
use agx_isa::inst::{Inst, Operand};
use agx_isa::table::Opcode;

use super::check::check;
use super::{LinkError, LinkPart};
use crate::lower::frame_words;

/// A complete program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LinkedProgram {
    /// Machine code including `stop` and padding, to be placed at a multiple of 128 bytes.
    pub code: Vec<u8>,
    /// First byte of the main part, after a prolog.
    pub main_start: u32,
    /// Highest half-register used, plus one.
    pub gpr_halves: u16,
    /// Uniform half-words in use.
    pub uniform_halves: u16,
    /// Stack memory per lane in bytes.
    pub scratch_bytes: u32,
    /// The program determines when samples are tested.
    pub late_tests: bool,
    /// The program writes device memory: it must run even if its fragments are overdrawn.
    pub writes_memory: bool,
    /// Render targets that the program reads, for instance to blend, or leaves as they are; bit 0 the first.
    pub reads_targets: u8,
    /// The program stores to render targets in the tile.
    pub stores_targets: bool,
    /// Adjacent triangles may be shaded together.
    pub merges_triangles: bool,
    /// The program loops over samples.
    pub sample_loop: bool,
    /// The uniforms with a fixed place that the program reads.
    pub reads: InterfaceReads,
    /// Resources that the program needs in addition to its main part's.
    pub appended: Appended,
}

/// Resources that prolog and epilog need, numbered after those of the main part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Appended {
    /// Coefficient registers after those of the main part.
    pub coefficients: Vec<CoefficientSource>,
    /// Sampler state registers after those of the main part.
    pub samplers: Vec<SamplerBinding>,
}

impl LinkedProgram {
    /// The rasteriser state that a fragment program requires.
    pub fn fragment_control(&self) -> FragmentControl {
        FragmentControl::new(&FragmentEffects {
            reads_targets: self.reads_targets != 0,
            stores_targets: self.stores_targets,
            late_tests: self.late_tests,
            writes_memory: self.writes_memory,
            merges_triangles: self.merges_triangles,
        })
    }

    /// The driver information of the program whose main part `main` describes.
    pub fn info(&self, main: &ShaderInfo) -> ShaderInfo {
        let mut info = main.clone();
        info.fragment.coefficients.extend(&self.appended.coefficients);
        info.samplers.extend(&self.appended.samplers);
        (info.gpr_halves, info.scratch_bytes) = (self.gpr_halves, self.scratch_bytes);
        info.writes_memory = self.writes_memory;
        info.reads = self.reads;
        (info.fragment.late_tests, info.fragment.reads_targets) = (self.late_tests, self.reads_targets);
        info.fragment.stores_targets = self.stores_targets;
        info.output_stores.iter_mut().for_each(|store| store.offset += self.main_start);
        info
    }
}

/// The parts to link.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'p> {
    /// Code of the main part, with or without an end.
    pub main: &'p [u8],
    /// The info of the main part.
    pub info: &'p ShaderInfo,
    /// The prolog, if any.
    pub prolog: Option<&'p LinkPart>,
    /// The epilog, if any.
    pub epilog: Option<&'p LinkPart>,
    /// All parts run in turn for each of this many samples.
    pub sample_loop: Option<u8>,
    /// Slots of the outputs of a vertex shader, if they differ from those of its main part.
    pub outputs: Option<&'p OutputLayout>,
}

/// Maximum number of bytes that belong to no part: loop header, end of the loop, end of the program.
const EXTRA_BYTES: usize = 64;

/// `stop` and the traps after it, as Apple's compiler ends programs (Mesa 25.0 does the same).
const END: [u8; 18] = [0x88, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0];

/// Links parts into a program.
///
/// # Errors
/// Parts that do not belong together.
pub fn link(parts: &Parts<'_>) -> Result<LinkedProgram, LinkError> {
    check(parts)?;
    let info = parts.info;
    let before = parts.prolog.into_iter();
    let after = parts.epilog.into_iter();
    let others = || before.clone().chain(after.clone());
    let size = parts.main.len() + others().map(|part| part.code.len()).sum::<usize>();
    let mut code = Vec::with_capacity(size + EXTRA_BYTES);
    if parts.sample_loop.is_some() {
        code.extend_from_slice(&BEGIN_LOOP);
    }
    let start = code.len();
    before.clone().for_each(|part| code.extend_from_slice(body(&part.code)));
    let main = code.len();
    code.extend_from_slice(body(parts.main));
    if let Some(outputs) = parts.outputs {
        place_outputs(&mut code[main..], info, outputs)?;
    }
    after.clone().for_each(|part| code.extend_from_slice(body(&part.code)));
    let main_frame = if info.frame_from_prolog() { 0 } else { info.scratch_bytes };
    let stacks = || std::iter::once(main_frame).chain(others().map(|part| part.scratch_bytes));
    if let Some(samples) = parts.sample_loop {
        end_loop(&mut code, start, samples, stacks().map(frame_words).sum());
    }
    code.extend_from_slice(&END);
    Ok(LinkedProgram {
        code,
        main_start: main as u32,
        gpr_halves: others().map(|part| part.gpr_halves).fold(info.gpr_halves, u16::max),
        uniform_halves: info.uniform_halves,
        scratch_bytes: stack_bytes(stacks()),
        late_tests: info.fragment.late_tests || others().any(|part| part.late_tests),
        writes_memory: info.writes_memory || others().any(|part| part.writes_memory),
        reads_targets: others()
            .map(|part| part.reads_targets)
            .fold(info.fragment.reads_targets, |all, reads| all | reads),
        stores_targets: info.fragment.stores_targets || others().any(|part| part.stores_targets),
        merges_triangles: info.merges_triangles() && !others().any(|part| part.writes_memory),
        reads: others().map(|part| part.reads).fold(info.reads, |all, of| all | of),
        sample_loop: parts.sample_loop.is_some(),
        appended: Appended::default(),
    })
}

/// Moves the output stores of a main part, or of a program ([`LinkedProgram::info`]), to the slots of another
/// layout.
///
/// # Errors
/// The layout lacks an output that is stored, or `info` describes other code.
pub fn place_outputs(main: &mut [u8], info: &ShaderInfo, outputs: &OutputLayout) -> Result<(), LinkError> {
    for store in &info.output_stores {
        let missing = LinkError::Store { offset: store.offset };
        let known = info.varyings.iter().find(|varying| varying.slot == store.slot);
        let output = known.ok_or(missing.clone())?.output;
        let slot = outputs.slot(output).ok_or(LinkError::Output { output })?;
        if slot == store.slot {
            continue;
        }
        let place = main.get_mut(store.offset as usize..).ok_or(missing.clone())?;
        let (mut inst, _) = decode(place).map_err(|_| missing.clone())?;
        if inst.op != Opcode::StVar {
            return Err(missing);
        }
        inst.set("index", Operand::imm(slot.into()));
        let encoded = encode(&inst).map_err(|_| LinkError::Output { output })?;
        place.get_mut(..encoded.len()).ok_or(missing)?.copy_from_slice(&encoded);
    }
    Ok(())
}

/// A part without its end. Parts contain no other `stop`, so the pattern is unique.
fn body(code: &[u8]) -> &[u8] {
    code.strip_suffix(&END).unwrap_or(code)
}

/// The stack need of the program: every part has its own frame, so frames add up, including the words that
/// each reserves in addition.
fn stack_bytes(stacks: impl Iterator<Item = u32> + Clone) -> u32 {
    let used = stacks.clone().filter(|bytes| *bytes != 0).count();
    if used <= 1 { stacks.sum() } else { 4 * stacks.map(frame_words).sum::<u32>() }
}

fn append(code: &mut Vec<u8>, inst: &Inst) {
    let encoded = encode(inst).expect("invariant: the linker's own instructions can be encoded");
    code.extend_from_slice(&encoded);
}

/// Starts with all lanes active and the first sample shaded: constants in r0l and r0h. Code that is the same
/// in every program is stored encoded, because linking happens at draw time.
const BEGIN_LOOP: [u8; 8] = [0x62, 0, 0, 0, 0x62, 2, 1, 0];

/// Waits for both groups. Main parts may end with outstanding stores, which would otherwise accumulate over
/// the samples.
const WAITS: [u8; 4] = [0x38, 0, 0x38, 1];

/// The mask of the next sample: doubles r0h.
const NEXT_SAMPLE: [u8; 8] = [0x0e, 2, 0x41, 0x10, 4, 0, 0, 0];

/// Loops while r0h < 1 << samples.
const fn while_sample(samples: u8) -> [u8; 6] {
    let end = 1_u16 << samples;
    [0x52, 0x2c, 0x41, (end << 4) as u8, (end >> 4) as u8, 0]
}

/// Leaves the nesting level of the loop.
const END_LOOP: [u8; 6] = [0x52, 0x0e, 0, 0, 0, 0];

/// Continues with the next sample while there is one.
fn end_loop(code: &mut Vec<u8>, start: usize, samples: u8, stack_words: u32) {
    if stack_words != 0 {
        let mut inst = Inst::new(Opcode::StackAdjust);
        inst.set("index", Operand::imm(stack_words.wrapping_neg()));
        append(code, &inst);
    }
    code.extend_from_slice(&WAITS);
    code.extend_from_slice(&NEXT_SAMPLE);
    code.extend_from_slice(&while_sample(samples));
    let mut jump = Inst::new(Opcode::JmpAny);
    jump.set("target", Operand::imm((start as i64 - code.len() as i64) as u32));
    append(code, &jump);
    code.extend_from_slice(&END_LOOP);
}

#[cfg(test)]
mod tests {
    use agx_abi::fragment::SAMPLES;
    use agx_abi::registers::NESTING_COUNTER;
    use agx_isa::inst::Size;

    use super::*;

    fn encoded(op: Opcode, operands: &[(&str, Operand)]) -> Vec<u8> {
        let mut inst = Inst::new(op);
        operands.iter().for_each(|(name, operand)| inst.set(name, *operand));
        encode(&inst).expect("encodes").to_vec()
    }

    #[test]
    fn encoded_constants_match_their_instructions() {
        let constant = |half, value| {
            encoded(Opcode::Ldimm16, &[("dst", Operand::reg(half, Size::B16)), ("a", Operand::imm(value))])
        };
        assert_eq!(BEGIN_LOOP.to_vec(), [constant(NESTING_COUNTER, 0), constant(SAMPLES, 1)].concat());
        let wait = |group| encoded(Opcode::Wait, &[("group", Operand::imm(group))]);
        assert_eq!(WAITS.to_vec(), [wait(0), wait(1)].concat());
        let mask = Operand::reg(SAMPLES, Size::B16);
        assert_eq!(NEXT_SAMPLE.to_vec(), encoded(Opcode::Iadd, &[("dst", mask), ("a", mask), ("b", mask)]));
        for samples in [1, 2, 4] {
            let one = Operand::imm(1);
            let operands = [("cond", one), ("nest", one), ("a", mask), ("b", Operand::imm(1 << samples))];
            assert_eq!(while_sample(samples).to_vec(), encoded(Opcode::WhileIcmp, &operands));
        }
        assert_eq!(END_LOOP.to_vec(), encoded(Opcode::PopExec, &[("nest", Operand::imm(1))]));
        let ends = [encoded(Opcode::Stop, &[]), encoded(Opcode::Trap, &[]).repeat(8)];
        assert_eq!(END.to_vec(), ends.concat());
    }
}

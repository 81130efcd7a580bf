//! What the words of a program are, except for the addresses of the contents of registers.
//!
//! A plan is made with its program. Whoever uses the program copies the words and enters the addresses.

use std::ops::Range;

use agx_abi::layout::{InterfaceUniform, UniformRange, UniformSource};
use agx_abi::words::{LocalUse, ProgramKind, Resources, ShaderWords};
use agx_abi::{DescriptorKind, SamplerBinding, ShaderInfo, TextureBinding};

use crate::Error;
use crate::dirty::{Dirty, of_source};
use crate::scratch;

/// Where a program takes its registers from, apart from what its information names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// A program of the application: descriptors are in sets.
    Sets,
    /// A program of the driver: descriptors are given directly.
    Direct,
    /// A program of tiles, with the render targets whose bit is set in its texture state registers, and the word for the tile.
    Tile(u8, DescriptorKind, u32),
}

/// Addresses relative to the shader base, and fixed addresses, of a program in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// The code.
    pub code: u64,
    /// The preamble.
    pub preamble: Option<u64>,
    /// The promoted constants.
    pub promoted: u64,
    /// The address of the constant section, as a number in memory.
    pub constants: u64,
    /// The address of zeros, likewise.
    pub zeros: u64,
    /// Address of the sampler for loads.
    pub loads: u64,
    /// Whether the samplers of all programs have border colours.
    pub borders: bool,
}

impl Placed {
    /// The address of the contents of uniforms that never change.
    fn address(&self, source: UniformSource) -> Option<u64> {
        match source {
            UniformSource::Promoted { offset } => Some(self.promoted + u64::from(offset)),
            UniformSource::ConstantAddress => Some(self.constants),
            UniformSource::Zeros => Some(self.zeros),
            _ => None,
        }
    }
}

/// The contents of registers whose address is entered when a program is used.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Contents {
    /// A uniform that may be in memory.
    Uniform(UniformRange),
    /// Numbers that are uploaded together: ranges that follow each other.
    Numbers(Vec<UniformRange>),
    /// A texture or image.
    Texture(TextureBinding),
    /// A render target.
    Target(u32, DescriptorKind),
    /// A sampler.
    Sampler(SamplerBinding),
}

/// An address to enter.
#[derive(Debug)]
pub(super) struct Step {
    /// The part of the state that the contents come from.
    pub part: Dirty,
    pub contents: Contents,
    /// Words of numbers that are uploaded.
    pub numbers: usize,
}

/// A word of 64 bits with the address of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// The number of the step.
    pub step: usize,
    /// The first of its two words.
    pub place: usize,
    /// The word without the address ([`agx_abi::words::with_address`]).
    pub word: u64,
}

/// The words of a program.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The words, without addresses.
    pub(super) words: Vec<u32>,
    /// The addresses.
    pub(super) steps: Vec<Step>,
    /// Where they go.
    pub(super) patches: Vec<Patch>,
    /// Words of numbers of all steps.
    pub(super) numbers: usize,
    /// The word for local memory.
    pub(super) local: usize,
    /// The resources word.
    pub(super) resources: u32,
    /// The parts of the state that the words depend on.
    pub uses: Dirty,
}

/// Words that the numbers of a range take.
pub(super) fn word_count(range: &UniformRange) -> usize {
    usize::from(range.halves).div_ceil(2)
}

/// Whether the contents are numbers that are never in memory before.
fn is_number(source: UniformSource, of: Use) -> bool {
    use InterfaceUniform as I;
    use UniformSource as U;
    match source {
        U::DescriptorTable { .. }
        | U::TextureTable { .. }
        | U::SamplerTable { .. }
        | U::SamplerBiasTable { .. }
        | U::PushConstantAddress
        | U::PushConstants { .. }
        | U::WorkgroupBase
        | U::ViewIndex
        | U::SampleMask
        | U::SamplePositions => true,
        U::BufferAddress { .. } | U::BufferSize { .. } | U::SamplerBias { .. } => of == Use::Direct,
        U::Interface(interface) => !matches!(interface, I::BaseVertexAndInstance),
        _ => false,
    }
}

/// The numbers of draws that a program has room for, but does not read.
fn is_unread(source: UniformSource, info: &ShaderInfo) -> bool {
    match source {
        UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance) => !info.draw_numbers.base,
        UniformSource::Interface(InterfaceUniform::DrawNumber) => !info.draw_numbers.draw,
        _ => false,
    }
}

impl Contents {
    /// Adds a range after those that are uploaded together; false if it cannot be among them.
    fn join(&mut self, range: UniformRange) -> bool {
        let Contents::Numbers(ranges) = self else { return false };
        let Some(last) = ranges.last() else { return false };
        let follows = last.start + last.halves == range.start && last.halves.is_multiple_of(2);
        if follows {
            ranges.push(range);
        }
        follows
    }
}

impl Plan {
    /// The words of a program in memory.
    ///
    /// # Errors
    /// More than the hardware has registers or memory for.
    pub(crate) fn new(info: &ShaderInfo, of: Use, placed: Placed) -> Result<Plan, Error> {
        let mut words = ShaderWords::new();
        let mut steps = Vec::new();
        uniforms(info, of, placed, &mut words, &mut steps)?;
        let textures = registers(info, of, placed, &mut words, &mut steps)?;
        let local = words.byte_count() / 4;
        let mut words = program(info, of, placed, words)?;
        if let (Use::Tile(_, _, tile), Some(word)) = (of, words.get_mut(local)) {
            *word = tile;
        }
        let resources = Resources {
            uniform_halves: info.uniform_halves,
            textures,
            samplers: info.samplers.len() as u32,
            borders: placed.borders,
            preamble_gpr_halves: info.preamble_gpr_halves,
        };
        let patches = patches(&words, &steps);
        let steps: Vec<Step> = steps.into_iter().map(|(step, _)| step).collect();
        let uses = steps.iter().fold(Dirty::NONE, |uses, step| uses | step.part);
        let numbers = steps.iter().map(|step| step.numbers).sum();
        Ok(Plan { words, steps, patches, numbers, local, resources: resources.to_word()?, uses })
    }
}

/// A step, and the words of 64 bits that have its address.
type Placing = (Step, Range<usize>);

/// Where the addresses of steps go.
fn patches(words: &[u32], steps: &[Placing]) -> Vec<Patch> {
    let pairs = words.as_chunks::<2>().0;
    let of = |(step, (_, places)): (usize, &Placing)| {
        let known = places.clone().zip(pairs.get(places.clone()).into_iter().flatten());
        known.map(move |(place, [low, high])| Patch {
            step,
            place: 2 * place,
            word: u64::from(*low) | u64::from(*high) << 32,
        })
    };
    steps.iter().enumerate().flat_map(of).collect()
}

/// Adds the words for state registers; returns the number of texture registers.
fn registers(
    info: &ShaderInfo,
    of: Use,
    placed: Placed,
    words: &mut ShaderWords,
    steps: &mut Vec<Placing>,
) -> Result<u32, Error> {
    let mut add = |words: &mut ShaderWords, part: Dirty, contents: Contents| {
        let at = words.byte_count() / 8 - 1;
        steps.push((Step { part, contents, numbers: 0 }, at..at + 1));
    };
    let mut textures = info.textures.len() as u32;
    match of {
        Use::Tile(bound, kind, _) => {
            textures = if bound == 0 { 0 } else { u8::BITS };
            for target in (0..u8::BITS).filter(|target| bound >> target & 1 != 0) {
                words.textures(agx_abi::pass::state_register(target).into(), 1, 0)?;
                add(words, Dirty::NONE, Contents::Target(target, kind));
            }
        }
        Use::Sets | Use::Direct => {
            for (register, texture) in (0..).zip(&info.textures) {
                words.textures(register, 1, 0)?;
                add(words, Dirty::SETS, Contents::Texture(*texture));
            }
        }
    }
    for (register, sampler) in (0..).zip(&info.samplers) {
        if *sampler == SamplerBinding::Loads {
            words.samplers(register, 1, placed.loads)?;
            continue;
        }
        words.samplers(register, 1, 0)?;
        add(words, Dirty::SETS, Contents::Sampler(*sampler));
    }
    Ok(textures)
}

/// Adds the words for uniforms.
fn uniforms(
    info: &ShaderInfo,
    of: Use,
    placed: Placed,
    words: &mut ShaderWords,
    steps: &mut Vec<Placing>,
) -> Result<(), Error> {
    // Contents, and the uniforms that they fill.
    let mut found: Vec<(Dirty, Contents, UniformRange)> = Vec::new();
    // First half-word, half-words and address of what is in memory already.
    let mut fixed: Vec<(u16, u16, u64)> = Vec::new();
    for range in info.uniforms.iter().filter(|range| !is_unread(range.source, info)) {
        // Everything is new for programs that are used once.
        let part = if of == Use::Direct { Dirty::ALL } else { of_source(range.source) };
        if let Some(address) = placed.address(range.source) {
            match fixed.last_mut() {
                Some((start, halves, known))
                    if *start + *halves == range.start && *known + 2 * u64::from(*halves) == address =>
                {
                    *halves += range.halves;
                }
                _ => fixed.push((range.start, range.halves, address)),
            }
            continue;
        }
        if is_number(range.source, of) {
            if let Some((known, contents, all)) = found.last_mut()
                && *known == part
                && contents.join(*range)
            {
                all.halves += range.halves;
                continue;
            }
            found.push((part, Contents::Numbers(vec![*range]), *range));
            continue;
        }
        found.push((part, Contents::Uniform(*range), *range));
    }
    for (start, halves, address) in fixed {
        words.uniforms(start, halves, address)?;
    }
    for (part, contents, UniformRange { start, halves, .. }) in found {
        let numbers = match &contents {
            Contents::Numbers(ranges) => ranges.iter().map(word_count).sum(),
            _ => 0,
        };
        let first = words.byte_count() / 8;
        words.uniforms(start, halves, 0)?;
        steps.push((Step { part, contents, numbers }, first..words.byte_count() / 8));
    }
    Ok(())
}

/// Adds local memory, the program and its registers.
fn program(info: &ShaderInfo, of: Use, placed: Placed, mut words: ShaderWords) -> Result<Vec<u32>, Error> {
    let (kind, local) = match (of, info.stage, info.local_bytes) {
        (Use::Tile(..), ..) => (ProgramKind::Tile, LocalUse::Nothing),
        // The tile of a pass is entered when the program is used.
        (_, agx_abi::Stage::Fragment, _) => (ProgramKind::Fragment, LocalUse::Nothing),
        (.., 0) => (ProgramKind::VertexOrCompute, LocalUse::Nothing),
        (.., bytes) => (ProgramKind::VertexOrCompute, LocalUse::Bytes(bytes)),
    };
    let stack = scratch::size_code(info.scratch_bytes.max(info.preamble_scratch_bytes));
    words.local(local)?.program(kind, placed.code, info.gpr_halves, stack)?;
    if kind == ProgramKind::Fragment {
        words.fragment(info.fragment.late_tests);
    }
    let mut bytes = words.end(placed.preamble)?;
    // Memory is written in whole words.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

#[cfg(test)]
mod tests {
    use agx_abi::record as r;

    use super::*;

    const PLACED: Placed = Placed {
        code: 0x80,
        preamble: None,
        promoted: 0x1000,
        constants: 0x2000,
        zeros: 0x3000,
        loads: 0x4000,
        borders: false,
    };

    fn range(start: u16, halves: u16, source: UniformSource) -> UniformRange {
        UniformRange { start, halves, source }
    }

    #[test]
    fn numbers_from_the_same_part_of_the_state_are_uploaded_together() {
        let base = |attribute| UniformSource::Interface(InterfaceUniform::AttributeBase { attribute });
        let mut info = ShaderInfo { uniform_halves: 40, gpr_halves: 8, ..ShaderInfo::default() };
        info.uniforms = vec![
            range(0, 4, base(0)),
            range(4, 4, base(1)),
            range(8, 4, UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance)),
            range(12, 8, UniformSource::PushConstants { offset: 16 }),
            range(20, 4, UniformSource::Promoted { offset: 8 }),
            range(24, 4, UniformSource::BufferAddress { set: 0, binding: 1, element: 0 }),
            range(28, 4, UniformSource::BufferAddress { set: 0, binding: 2, element: 0 }),
        ];
        let plan = Plan::new(&info, Use::Sets, PLACED).expect("fits");
        let found: Vec<(Dirty, usize)> = plan
            .steps
            .iter()
            .map(|step| match &step.contents {
                Contents::Numbers(ranges) => (step.part, 10 * ranges.len() + step.numbers),
                _ => (step.part, 0),
            })
            .collect();
        let sets = (Dirty::SETS, 0);
        assert_eq!(found, [(Dirty::BUFFERS, 24), (Dirty::PUSH, 14), sets, sets], "the base is not read");
        assert_eq!(plan.uses, Dirty::BUFFERS | Dirty::PUSH | Dirty::SETS);
        let bytes: Vec<u8> = plan.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // The address of the promoted constants is known.
        use r::usc_uniform::{ADDRESS, COUNT, START};
        let places = [START, COUNT, ADDRESS].map(|field| field.get(&bytes));
        assert_eq!(places, [20, 4, 0x1008]);
        let places = [START, COUNT, ADDRESS].map(|field| field.get(&bytes[8..]));
        assert_eq!((places, plan.patches[0].place), ([0, 8, 0], 2));
        assert_eq!(r::usc_shared::TAG.get(&bytes[4 * plan.local..]), r::USC_SHARED);
        info.draw_numbers.base = true;
        let plan = Plan::new(&info, Use::Direct, PLACED).expect("fits");
        assert_eq!(plan.steps.len(), 4, "both addresses are given directly");
        assert!(plan.uses.intersects(Dirty::NUMBERS));
    }
}

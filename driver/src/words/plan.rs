//! What the words of a program are, except for the addresses of the contents of registers.
//!
//! A plan is made with its program. Whoever uses the program copies the words and enters the addresses.

use std::ops::Range;

use agx_abi::layout::{InterfaceUniform, UniformRange, UniformSource};
use agx_abi::words::{LocalUse, ProgramKind, Resources, ShaderWords, with_address};
use agx_abi::{DescriptorKind, SamplerBinding, ShaderInfo, TextureBinding};

use crate::Error;
use crate::dirty::{Dirty, of_source};
use crate::{sampler, scratch, view};

/// Where a program takes its registers from, apart from what its information names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// A program of the application: descriptors are in sets.
    Sets,
    /// As [`Use::Sets`], in draws whose numbers may be in memory ([`super::InMemory`]): they are apart, unless they follow each other there.
    Memory,
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
    /// The record of a buffer, which is in memory: its address, then its size.
    Buffer { set: u32, binding: u32, element: u32 },
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
    /// The parts of the state that the contents come from. In another program, everything is new.
    pub part: Dirty,
    pub contents: Contents,
    /// Words of numbers that are uploaded.
    pub numbers: usize,
    /// Where the address goes.
    pub patches: Vec<Patch>,
}

/// A word of 64 bits with the address of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// Its number among the pairs of words.
    pub pair: usize,
    /// The word without the address ([`agx_abi::words::with_address`]).
    pub word: u64,
}

/// The words of a program.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The words, without addresses.
    pub(super) words: Vec<u32>,
    /// The addresses; those of a program of the driver are in its block.
    pub(super) steps: Vec<Step>,
    /// What is uploaded with the words of a program of the driver.
    pub(super) block: Block,
    /// The words of a program of the driver that reads nothing but words.
    pub(super) short: Option<Short>,
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
        | U::TextureTableLow { .. }
        | U::TableBase
        | U::SamplerTable { .. }
        | U::SamplerBiasTable { .. }
        | U::PushConstantAddress
        | U::PushConstants { .. }
        | U::WorkgroupBase
        | U::ViewIndex
        | U::SampleMask
        | U::PrimitiveVertices
        | U::SamplePositions => true,
        U::BufferAddress { .. } | U::BufferSize { .. } | U::SamplerBias { .. } | U::TextureWords { .. } => {
            of == Use::Direct
        }
        U::Interface(interface) => !matches!(interface, I::BaseVertexAndInstance),
        _ => false,
    }
}

/// Whether numbers follow those of a range if they are in memory ([`super::InMemory`]).
fn follow(before: &UniformRange, source: UniformSource, info: &ShaderInfo) -> bool {
    use InterfaceUniform::{AttributeBase, AttributeClamp};
    use UniformSource::{Interface, PushConstants};
    match (before.source, source) {
        (PushConstants { offset }, PushConstants { offset: next }) => {
            offset + 2 * u32::from(before.halves) == next
        }
        (Interface(AttributeBase { attribute }), Interface(AttributeBase { attribute: next }))
        | (Interface(AttributeClamp { attribute }), Interface(AttributeClamp { attribute: next })) => {
            let location =
                |attribute: u32| info.attributes.get(attribute as usize).map(|known| known.location);
            attribute + 1 == next && location(attribute).map(|at| at + 1) == location(next)
        }
        (PushConstants { .. } | Interface(AttributeBase { .. } | AttributeClamp { .. }), _)
        | (_, PushConstants { .. } | Interface(AttributeBase { .. } | AttributeClamp { .. })) => false,
        _ => true,
    }
}

impl Contents {
    /// The contents of a range.
    fn new(range: UniformRange, of: Use) -> Contents {
        match range.source {
            source if is_number(source, of) => Contents::Numbers(vec![range]),
            UniformSource::BufferAddress { set, binding, element } => {
                Contents::Buffer { set, binding, element }
            }
            _ => Contents::Uniform(range),
        }
    }

    /// Adds a range that follows in the uniform file; false if it does not follow in memory.
    fn join(&mut self, range: UniformRange, (of, info): (Use, &ShaderInfo)) -> bool {
        match (self, range.source) {
            (Contents::Numbers(ranges), source) if is_number(source, of) => {
                let is_even = ranges.iter().all(|range| range.halves.is_multiple_of(2));
                let follows = is_even
                    && (of != Use::Memory || ranges.last().is_none_or(|last| follow(last, source, info)));
                if follows {
                    ranges.push(range);
                }
                follows
            }
            (known @ Contents::Buffer { .. }, UniformSource::BufferSize { set, binding, element }) => {
                *known == Contents::Buffer { set, binding, element }
            }
            _ => false,
        }
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
        // A block follows at a multiple of eight bytes.
        words.resize(words.len().next_multiple_of(2), 0);
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
        let mut steps: Vec<Step> = steps.into_iter().map(|placing| step(&words, placing)).collect();
        let block = match of {
            Use::Direct => Block::new(std::mem::take(&mut steps))?,
            Use::Sets | Use::Memory | Use::Tile(..) => Block::default(),
        };
        let short = Short::new(&words, &block);
        let uses = steps.iter().fold(Dirty::PROGRAMS, |uses, step| uses | step.part);
        Ok(Plan { words, steps, block, short, local, resources: resources.to_word()?, uses })
    }
}

/// What follows the words of a program of the driver. Places are numbers of words in it; descriptors are given by their numbers.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Push constants.
    pub push: Vec<Pushed>,
    /// Addresses of buffers: place and number.
    pub addresses: Vec<(usize, usize)>,
    /// Other parts.
    pub others: Vec<(usize, Item)>,
    /// The words with the addresses of the parts, which are relative to the start of the block.
    pub patches: Vec<Patch>,
    /// Number of words.
    pub words: usize,
    /// Whether the program has the address of the push constants.
    pub is_pointed: bool,
}

/// The words of a program of the driver that reads the addresses of its buffers, in order, then all of its push constants, and
/// nothing else: a word for its registers, and the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Short {
    /// The word for the registers, without the address of what the program reads.
    pub first: u64,
    /// The others.
    pub others: [u32; Short::WORDS - 2],
    /// Number of words that the program reads.
    pub read: usize,
}

impl Short {
    /// Number of words.
    pub const WORDS: usize = 6;

    /// The words, if the program is one of those.
    fn new(words: &[u32], block: &Block) -> Option<Short> {
        let [Patch { pair: 0, word: first }] = block.patches[..] else { return None };
        let mut next = 0;
        for (number, (place, of)) in block.addresses.iter().enumerate() {
            (*of == number && *place == next).then_some(())?;
            next += 2;
        }
        match block.push[..] {
            [] => {}
            [Pushed { place, first: 0, count }] if place == next => next += count,
            _ => return None,
        }
        let (_, others) = words.split_first_chunk::<2>()?;
        let others = others.try_into().ok().filter(|_| block.others.is_empty())?;
        Some(Short { first, others, read: next })
    }
}

/// Push constants in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pushed {
    /// Where they are in the block.
    pub place: usize,
    /// The first word.
    pub first: usize,
    /// Number of words.
    pub count: usize,
}

/// A part of a block that is neither push constants nor an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// The address of the push constants.
    PushAddress,
    /// The bytes of a buffer.
    Bytes(usize),
    /// The descriptor of a texture for loads.
    Loaded(usize),
    /// The descriptor of an image for stores.
    Stored(usize),
    /// A sampler.
    Sampler(usize),
    /// The level bias of a sampler.
    Bias(usize),
}

impl Item {
    /// Words that it takes.
    fn words(self) -> usize {
        match self {
            Item::PushAddress | Item::Bytes(_) => 2,
            Item::Loaded(_) | Item::Stored(_) => view::BYTES / 4,
            Item::Sampler(_) => sampler::BORDERED_BYTES / 4,
            Item::Bias(_) => 1,
        }
    }
}

/// The error for what no program of the driver reads.
const UNKNOWN: Error = Error::Unsupported { what: "a program of the driver with this input" };

impl Block {
    fn new(steps: Vec<Step>) -> Result<Block, Error> {
        let mut block = Block::default();
        for Step { contents, patches, .. } in steps {
            let start = 4 * block.words as u64;
            let of = |Patch { pair, word }| Patch { pair, word: with_address(word, start) };
            block.patches.extend(patches.into_iter().map(of));
            match contents {
                Contents::Numbers(ranges) => ranges.iter().try_for_each(|range| block.add_range(range))?,
                Contents::Texture(TextureBinding { set: 0, binding, kind, .. }) => {
                    let of = if kind == DescriptorKind::Image { Item::Stored } else { Item::Loaded };
                    block.add(of(binding as usize));
                }
                Contents::Sampler(
                    SamplerBinding::Bound { set: 0, binding, .. }
                    | SamplerBinding::Paired { set: 0, binding, .. },
                ) => block.add(Item::Sampler(binding as usize)),
                _ => return Err(UNKNOWN),
            }
            // Descriptors begin at multiples of eight bytes.
            block.words = block.words.next_multiple_of(2);
        }
        Ok(block)
    }

    fn add(&mut self, item: Item) {
        self.others.push((self.words, item));
        self.words += item.words();
        self.is_pointed |= item == Item::PushAddress;
    }

    /// Adds the numbers of a range.
    fn add_range(&mut self, range: &UniformRange) -> Result<(), Error> {
        let (place, count) = (self.words, word_count(range));
        match range.source {
            UniformSource::PushConstants { offset } => {
                self.push.push(Pushed { place, first: offset as usize / 4, count });
                self.words += count;
            }
            UniformSource::BufferAddress { set: 0, binding, .. } => {
                self.addresses.push((place, binding as usize));
                self.words += 2;
            }
            UniformSource::PushConstantAddress => self.add(Item::PushAddress),
            UniformSource::BufferSize { set: 0, binding, .. } => self.add(Item::Bytes(binding as usize)),
            UniformSource::SamplerBias { set: 0, binding, .. } => self.add(Item::Bias(binding as usize)),
            UniformSource::TextureWords { set: 0, binding, .. } => self.add(Item::Loaded(binding as usize)),
            _ => return Err(UNKNOWN),
        }
        if self.words == place + count { Ok(()) } else { Err(UNKNOWN) }
    }
}

/// The contents of registers with the part of the state that they come from, the number of words that are uploaded, and the
/// pairs of words that have their address.
type Placing = (Dirty, Contents, usize, Range<usize>);

/// The step for contents.
fn step(words: &[u32], (part, contents, numbers, places): Placing) -> Step {
    let pairs = words.as_chunks::<2>().0.get(places.clone()).into_iter().flatten();
    let of = |(pair, [low, high]): (usize, &[u32; 2])| Patch {
        pair,
        word: u64::from(*low) | u64::from(*high) << 32,
    };
    Step { part: part | Dirty::PROGRAMS, contents, numbers, patches: places.zip(pairs).map(of).collect() }
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
        steps.push((part, contents, 0, at..at + 1));
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
        Use::Sets | Use::Memory | Use::Direct => {
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
    for range in info.uniforms.iter().filter(|range| info.reads.may_read(range.source)) {
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
        if let Some((known, contents, all)) = found.last_mut()
            && (*known, all.start + all.halves) == (part, range.start)
            && contents.join(*range, (of, info))
        {
            all.halves += range.halves;
            continue;
        }
        found.push((part, Contents::new(*range, of), *range));
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
        steps.push((part, contents, numbers, first..words.byte_count() / 8));
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
            range(32, 2, UniformSource::BufferSize { set: 0, binding: 2, element: 0 }),
            range(34, 2, UniformSource::BufferSize { set: 0, binding: 1, element: 0 }),
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
        let of = |part, numbers| (part | Dirty::PROGRAMS, numbers);
        let sets = of(Dirty::SETS, 0);
        let expected = [of(Dirty::BUFFERS, 24), of(Dirty::PUSH, 14), sets, sets, sets];
        assert_eq!(found, expected, "the base is not read, and a size follows its address");
        assert_eq!(plan.uses, Dirty::BUFFERS | Dirty::PUSH | Dirty::SETS | Dirty::PROGRAMS);
        let bytes: Vec<u8> = plan.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // The address of the promoted constants is known.
        use r::usc_uniform::{ADDRESS, COUNT, START};
        let places = [START, COUNT, ADDRESS].map(|field| field.get(&bytes));
        assert_eq!(places, [20, 4, 0x1008]);
        let places = [START, COUNT, ADDRESS].map(|field| field.get(&bytes[8..]));
        assert_eq!((places, plan.steps[0].patches[0].pair), ([0, 8, 0], 1));
        assert_eq!(r::usc_shared::TAG.get(&bytes[4 * plan.local..]), r::USC_SHARED);
        info.reads.base = true;
        let plan = Plan::new(&info, Use::Sets, PLACED).expect("fits");
        assert!(plan.uses.intersects(Dirty::NUMBERS));
    }

    #[test]
    fn numbers_in_memory_are_apart_unless_they_follow_each_other_there() {
        let mut info = ShaderInfo { uniform_halves: 12, gpr_halves: 8, ..ShaderInfo::default() };
        info.uniforms = [0, 16, 24]
            .into_iter()
            .zip([0, 4, 8])
            .map(|(offset, start)| range(start, 4, UniformSource::PushConstants { offset }))
            .collect();
        let ranges = |of| {
            let plan = Plan::new(&info, of, PLACED).expect("fits");
            let counts = plan.steps.iter().map(|step| match &step.contents {
                Contents::Numbers(ranges) => ranges.len(),
                _ => 0,
            });
            counts.collect::<Vec<_>>()
        };
        assert_eq!((ranges(Use::Sets), ranges(Use::Memory)), (vec![3], vec![1, 2]));
    }

    #[test]
    fn what_a_program_of_the_driver_reads_follows_its_words() {
        let image = TextureBinding { set: 0, binding: 2, element: 0, kind: DescriptorKind::Image };
        let mut info = ShaderInfo { uniform_halves: 40, gpr_halves: 8, ..ShaderInfo::default() };
        info.uniforms = vec![
            range(0, 4, UniformSource::BufferAddress { set: 0, binding: 1, element: 0 }),
            range(4, 6, UniformSource::PushConstants { offset: 16 }),
            range(12, 4, UniformSource::BufferSize { set: 0, binding: 1, element: 0 }),
            range(16, 12, UniformSource::TextureWords { set: 0, binding: 3, element: 0 }),
        ];
        info.textures = vec![image];
        let Plan { words, steps, block, .. } = Plan::new(&info, Use::Direct, PLACED).expect("fits");
        assert_eq!((block.addresses.as_slice(), block.words), ([(0, 1)].as_slice(), 2 + 3 + 1 + 2 + 6 + 6));
        assert_eq!(block.push, [Pushed { place: 2, first: 4, count: 3 }]);
        assert_eq!(block.others, [(6, Item::Bytes(1)), (8, Item::Loaded(3)), (14, Item::Stored(2))]);
        assert!(steps.is_empty() && words.len().is_multiple_of(2) && !block.is_pointed);
        // What follows each other in registers and in memory takes one word.
        use r::usc_uniform::{ADDRESS, COUNT, START};
        let shown = |patch: &Patch| [START, COUNT, ADDRESS].map(|field| field.get(&patch.word.to_le_bytes()));
        let [first, second, texture] = &block.patches[..] else { panic!("{:?}", block.patches) };
        assert_eq!([shown(first), shown(second)], [[0, 10, 0], [12, 16, 4 * 6]]);
        assert_eq!(r::usc_texture::ADDRESS.get(&texture.word.to_le_bytes()), 4 * 14);
        info.uniforms = vec![range(0, 4, UniformSource::WorkgroupCount)];
        assert!(Plan::new(&info, Use::Direct, PLACED).is_err());
    }
}

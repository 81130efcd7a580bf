//! The words of a shader, which load its state before it starts.
//!
//! This module determines the sources of uniforms, textures and samplers. Data that is already in memory, in a set or
//! with a program, is referenced by address; other data is uploaded.

mod plan;
mod portable;
mod registers;
mod uniforms;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agx_abi::layout::{InterfaceUniform, UniformRange, UniformSource};
use agx_abi::words::with_address;
use agx_abi::{DescriptorKind, ShaderInfo};

use crate::Error;
use crate::descriptor::{Binding, Set};
use crate::dirty::Dirty;
use crate::gpu::SHADER_BASE;
use crate::memory::store;
use crate::program::Program;
use crate::sampler::Sampler;
use crate::upload::Upload;
use crate::view;
use plan::{Contents, Item, Patch, Pushed, Short, Step, word_count};
pub(crate) use plan::{Placed, Plan, Use};
pub(crate) use portable::Portable;

/// Alignment of the words of a shader in bytes.
const ALIGNMENT: u64 = 64;
/// Maximum number of bound sets.
pub const MAX_SETS: usize = 8;
/// Words of push constants.
pub const PUSH_WORDS: usize = 64;
/// Words of the places of attributes in memory: two for the address of the one at each location, with its stride, then one for its last
/// element.
pub(crate) const ATTRIBUTE_WORDS: u32 = 3 * LOCATIONS;
/// Maximum number of locations of attributes.
pub(crate) const LOCATIONS: u32 = 32;

/// Parameters of a dispatch or a draw, which may be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers<const N: usize> {
    /// Known values.
    Known([u32; N]),
    /// At an address.
    Memory(u64),
}

/// A descriptor that an internal program provides directly.
#[derive(Clone, Copy, Debug)]
pub enum Direct {
    /// A buffer: address and bytes.
    Buffer(u64, u64),
    /// Descriptors for loads and stores.
    Texture([[u8; 24]; 2]),
    /// A sampler.
    Sampler(Sampler),
}

/// A bound set, with its dynamic offsets.
#[derive(Clone)]
pub struct Bound {
    /// The set.
    pub set: Arc<Set>,
    /// The offsets.
    pub offsets: Vec<u32>,
}

/// The parameters of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchNumbers {
    /// Workgroups.
    pub groups: Numbers<3>,
    /// Number of the first workgroup.
    pub first_group: [u32; 3],
    /// Address of the data for a vertex shader that captures its outputs (`render::record`).
    pub capture: u64,
    /// Address of the data for tessellation shaders (`render::patch_record`).
    pub patches: u64,
    /// Address of the root descriptor, for fragment programs that read it.
    pub root: u64,
}

impl LaunchNumbers {
    /// One workgroup.
    pub(crate) const ONE: LaunchNumbers = LaunchNumbers {
        groups: Numbers::Known([1; 3]),
        first_group: [0; 3],
        capture: 0,
        patches: 0,
        root: 0,
    };
}

/// What programs read of a view of a render pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ViewState<'p> {
    /// Its number.
    pub number: u32,
    /// Address of the texture heap of its render targets.
    pub heap: u64,
    /// Address of the descriptors of its render targets ([`target_address`]).
    pub targets: u64,
    /// Positions of the samples of a pixel: see [`agx_abi::fragment::pack_sample_positions`].
    pub sample_positions: u32,
    /// Samples that may be covered.
    pub sample_mask: u32,
    /// Vertices of a primitive.
    pub primitive_vertices: u32,
    /// Blend constant.
    pub blend: [f32; 4],
    /// The clear value of a target, as bits.
    pub clear: &'p [[u32; 4]],
}

impl ViewState<'_> {
    /// That of programs outside of render passes.
    pub(crate) const NONE: ViewState<'static> = ViewState {
        number: 0,
        heap: 0,
        targets: 0,
        sample_positions: 0,
        sample_mask: u32::MAX,
        primitive_vertices: 3,
        blend: [0.0; 4],
        clear: &[],
    };
}

/// Address of a descriptor of a render target: for each, one for loads and one for stores.
pub(crate) fn target_address(targets: u64, number: u32, kind: DescriptorKind) -> u64 {
    let stored = u64::from(kind == DescriptorKind::Image);
    targets + (2 * u64::from(number) + stored) * view::BYTES as u64
}

/// Parts of the state that are in memory, because the device writes them: their addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InMemory {
    /// Push constants.
    pub push: Option<u64>,
    /// Places of attributes.
    pub attributes: Option<u64>,
}

impl InMemory {
    /// Nothing is in memory.
    pub(crate) const NONE: InMemory = InMemory { push: None, attributes: None };

    /// The address of numbers of a program, if they are in memory.
    fn address(self, ranges: &[UniformRange], info: &ShaderInfo) -> Option<u64> {
        use InterfaceUniform::{AttributeBase, AttributeClamp};
        use UniformSource::{Interface, PushConstants};
        let location = |attribute: u32| Some(u64::from(info.attributes.get(attribute as usize)?.location));
        match ranges.first()?.source {
            PushConstants { offset } => Some(self.push? + u64::from(offset)),
            Interface(AttributeBase { attribute }) => Some(self.attributes? + 8 * location(attribute)?),
            Interface(AttributeClamp { attribute }) => {
                Some(self.attributes? + 8 * u64::from(LOCATIONS) + 4 * location(attribute)?)
            }
            _ => None,
        }
    }
}

/// The sources of a stage's uniforms.
#[derive(Clone)]
pub struct State {
    /// What has changed since draws or launches wrote it.
    pub dirty: Dirty,
    /// Sets by number.
    pub sets: [Option<Bound>; MAX_SETS],
    /// Push constants.
    pub push: [u32; PUSH_WORDS],
    /// Parameters of the launch.
    pub launch: LaunchNumbers,
    /// Base vertex and base instance of a draw.
    pub base: Numbers<2>,
    /// Number of the draw.
    pub draw: u32,
    /// Address and last element of each attribute.
    pub attributes: Vec<(u64, u32)>,
    /// What is in memory in place of `push` and `attributes`.
    pub(crate) in_memory: InMemory,
}

impl State {
    /// Nothing is bound.
    pub const NONE: State = State {
        dirty: Dirty::ALL,
        sets: [const { None }; MAX_SETS],
        push: [0; PUSH_WORDS],
        launch: LaunchNumbers::ONE,
        base: Numbers::Known([0; 2]),
        draw: 0,
        attributes: Vec::new(),
        in_memory: InMemory::NONE,
    };
}

impl State {
    /// Unbinds everything; memory of lists is kept.
    pub(crate) fn clear(&mut self) {
        self.sets.iter_mut().filter(|set| set.is_some()).for_each(|set| *set = None);
        self.attributes.clear();
        self.push = [0; PUSH_WORDS];
        self.in_memory = InMemory::NONE;
        (self.dirty, self.launch, self.base, self.draw) =
            (Dirty::ALL, LaunchNumbers::ONE, Numbers::Known([0; 2]), 0);
    }
}

impl Default for State {
    fn default() -> Self {
        State::NONE
    }
}

/// What the words of a program refer to.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'s> {
    /// The state that commands set.
    pub state: &'s State,
    /// The view.
    pub view: &'s ViewState<'s>,
}

impl<'s> Sources<'s> {
    /// Those of a launch.
    pub(crate) fn of_launch(state: &'s State) -> Sources<'s> {
        Sources { state, view: &ViewState::NONE }
    }

    /// Those of a draw.
    pub(crate) fn of_draw(state: &'s State, view: &'s ViewState<'s>) -> Sources<'s> {
        Sources { state, view }
    }

    /// Those of a program of tiles.
    pub(crate) fn of_tile(view: &'s ViewState<'s>) -> Sources<'s> {
        static NONE: State = State::NONE;
        Sources { state: &NONE, view }
    }
}

/// The error for memory that is smaller than it should be.
const NO_ROOM: Error = Error::Invalid { what: "the words of a shader outside their memory" };
/// The error for a program that reads something else than it is given.
const NOT_SHORT: Error = Error::Invalid { what: "a program of the driver with these words" };
/// The error for a resource without a binding.
const UNBOUND: Error = Error::Invalid { what: "a shader uses a descriptor set that is not bound" };

impl State {
    #[inline(always)]
    fn bound(&self, set: u32) -> Result<&Bound, Error> {
        match self.sets.get(set as usize) {
            Some(Some(bound)) => Ok(bound),
            _ => Err(UNBOUND),
        }
    }

    fn binding(set: &Set, number: u32) -> Result<&Binding, Error> {
        match set.layout.bindings.get(number) {
            Some(binding) => Ok(binding),
            None => Err(UNBOUND),
        }
    }
}

/// The words of a launch or a draw, as records refer to them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// Address of the words, relative to the shader base.
    pub pipeline: u64,
    /// The resources word.
    pub resources: u32,
}

/// The words of a program that were written last.
#[derive(Debug, Default)]
pub struct Assembled {
    /// Where they are.
    pub words: Words,
    /// The address of the contents of registers, for each step of the program's plan.
    addresses: Vec<u64>,
}

/// Finds the contents of registers.
struct Assembler<'a> {
    upload: &'a mut Upload,
    sources: &'a Sources<'a>,
}

impl Assembled {
    /// Writes the words of a program anew. What has not changed since they were written is where it was. The word for the tile
    /// of a pass replaces that of the program's own memory.
    ///
    /// # Errors
    /// A resource of the shader is not bound, or out of memory.
    pub(crate) fn rewrite(
        &mut self,
        upload: &mut Upload,
        (sources, dirty): (&Sources<'_>, Dirty),
        program: &Program,
        tile: Option<u32>,
    ) -> Result<(), Error> {
        let in_memory = Some(&sources.state.in_memory).filter(|known| **known != InMemory::NONE);
        let plan = match in_memory {
            Some(_) => program.plan_of_memory()?,
            None => &program.plan,
        };
        let changed = |step: &&Step| dirty.intersects(step.part);
        let numbers: usize = plan.steps.iter().filter(changed).map(|step| step.numbers).sum();
        self.addresses.resize(plan.steps.len(), 0);
        let (memory, at) = upload.words(plan.words.len() + numbers, ALIGNMENT)?;
        let memory = memory.clone();
        let start = memory.address + at;
        let places = memory.words_at(at, plan.words.len() + numbers);
        let Some((words, mut rest)) = places.split_at_checked(plan.words.len()) else { return Err(NO_ROOM) };
        words.iter().zip(&plan.words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
        if let Some((tile, place)) = tile.zip(words.get(plan.local)) {
            place.store(tile, Ordering::Relaxed);
        }
        let pairs = words.as_chunks::<2>().0;
        let mut next = start + 4 * plan.words.len() as u64;
        let mut assembler = Assembler { upload, sources };
        for (step, address) in plan.steps.iter().zip(&mut self.addresses) {
            if changed(&step) {
                *address = match &step.contents {
                    Contents::Numbers(ranges) => {
                        match in_memory.and_then(|known| known.address(ranges, &program.info)) {
                            Some(address) => address,
                            None => {
                                rest = assembler.numbers_of(ranges, rest)?;
                                next += 4 * step.numbers as u64;
                                next - 4 * step.numbers as u64
                            }
                        }
                    }
                    contents => assembler.address(contents)?,
                };
            }
            patch(pairs, &step.patches, *address);
        }
        self.words = Words { pipeline: start - SHADER_BASE, resources: plan.resources };
        Ok(())
    }
}

/// The words of a program that is used once.
///
/// # Errors
/// As [`Assembled::rewrite`].
pub(crate) fn assemble(
    upload: &mut Upload,
    sources: &Sources<'_>,
    program: &Program,
    tile: Option<u32>,
) -> Result<Words, Error> {
    let addresses = std::mem::take(&mut upload.addresses);
    let mut written = Assembled { words: Words::default(), addresses };
    let result = written.rewrite(upload, (sources, Dirty::ALL), program, tile);
    upload.addresses = written.addresses;
    result.map(|()| written.words)
}

/// The words of a program of the driver with these push constants and descriptors in set 0; missing push constants are 0.
///
/// # Errors
/// A descriptor is missing, or out of memory.
#[inline(always)]
pub(crate) fn kernel_words(
    upload: &mut Upload,
    program: &Program,
    push: &[u32],
    given: &[Direct],
) -> Result<Words, Error> {
    let Plan { words, block, resources, .. } = &program.plan;
    let pushed = if block.is_pointed { upload.put_words(push, 16)? } else { 0 };
    let all = words.len() + block.words;
    let (memory, at) = upload.words(all, ALIGNMENT)?;
    let start = memory.address + at;
    let Some((head, rest)) = memory.words_at(at, all).split_at_checked(words.len()) else {
        return Err(NO_ROOM);
    };
    head.iter().zip(words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
    for Pushed { place, first, count } in &block.push {
        let Some(own) = rest.get(*place..place + count) else { return Err(NO_ROOM) };
        match push.get(*first..first + count) {
            Some(push) => {
                own.iter().zip(push).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
            }
            None => uniforms::words(own, push.get(*first..).unwrap_or_default()),
        }
    }
    for (place, number) in &block.addresses {
        let Some(Direct::Buffer(address, _)) = given.get(*number) else { return Err(UNBOUND) };
        long(rest.get(*place..), *address);
    }
    for (place, item) in &block.others {
        write_item(*item, pushed, given, rest.get(*place..))?;
    }
    let (pairs, first) = (head.as_chunks::<2>().0, start + 4 * words.len() as u64);
    patch(pairs, &block.patches, first);
    Ok(Words { pipeline: start - SHADER_BASE, resources: *resources })
}

/// The words of a program of the driver that reads nothing but words ([`Short`]).
///
/// # Errors
/// The program reads something else, or out of memory.
#[inline(always)]
pub(crate) fn short_words<const N: usize>(
    upload: &mut Upload,
    program: &Program,
    read: [u32; N],
) -> Result<Words, Error> {
    let Plan { short: Some(short), resources, .. } = &program.plan else { return Err(NOT_SHORT) };
    if short.read != N {
        return Err(NOT_SHORT);
    }
    let (memory, at) = upload.words(Short::WORDS + N, ALIGNMENT)?;
    let start = memory.address + at;
    let places = memory.words_at(at, Short::WORDS + N);
    let Some((head, rest)) = places.split_first_chunk::<{ Short::WORDS }>() else { return Err(NO_ROOM) };
    let [low, high, others @ ..] = head;
    let first = with_address(short.first, start + 4 * Short::WORDS as u64);
    low.store(first as u32, Ordering::Relaxed);
    high.store((first >> 32) as u32, Ordering::Relaxed);
    others.iter().zip(short.others).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    let Some(rest) = rest.first_chunk::<N>() else { return Err(NO_ROOM) };
    rest.iter().zip(read).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    Ok(Words { pipeline: start - SHADER_BASE, resources: *resources })
}

/// Writes a number of 64 bits to the first places.
#[inline(always)]
fn long(places: Option<&[AtomicU32]>, value: u64) {
    if let Some([low, high, ..]) = places {
        low.store(value as u32, Ordering::Relaxed);
        high.store((value >> 32) as u32, Ordering::Relaxed);
    }
}

/// Writes a part of a block to the first places.
fn write_item(item: Item, pushed: u64, given: &[Direct], places: Option<&[AtomicU32]>) -> Result<(), Error> {
    let (Item::Bytes(number)
    | Item::Loaded(number)
    | Item::Stored(number)
    | Item::Sampler(number)
    | Item::Bias(number)) = item
    else {
        long(places, pushed);
        return Ok(());
    };
    match (item, given.get(number)) {
        (Item::Bytes(_), Some(Direct::Buffer(_, bytes))) => long(places, *bytes),
        (Item::Loaded(_), Some(Direct::Texture([shown, _]))) => record(places, shown),
        (Item::Stored(_), Some(Direct::Texture([_, shown]))) => record(places, shown),
        (Item::Sampler(_), Some(Direct::Sampler(sampler))) => record(places, &sampler.descriptor),
        (Item::Bias(_), Some(Direct::Sampler(sampler))) => {
            record(places, &u32::from(sampler.bias()).to_le_bytes());
        }
        _ => return Err(UNBOUND),
    }
    Ok(())
}

/// Writes the words of a record to the first places.
#[inline(always)]
fn record<const N: usize>(places: Option<&[AtomicU32]>, record: &[u8; N]) {
    let words = record.as_chunks::<4>().0;
    if let Some(places) = places.and_then(|places| places.get(..words.len())) {
        store(places, words);
    }
}

/// Enters an address in words.
#[inline(always)]
fn patch(pairs: &[[AtomicU32; 2]], patches: &[Patch], address: u64) {
    for patch in patches {
        if let Some([low, high]) = pairs.get(patch.pair) {
            let word = with_address(patch.word, address);
            low.store(word as u32, Ordering::Relaxed);
            high.store((word >> 32) as u32, Ordering::Relaxed);
        }
    }
}

impl Assembler<'_> {
    /// Writes numbers; returns the places after them.
    fn numbers_of<'m>(
        &mut self,
        ranges: &[UniformRange],
        mut places: &'m [AtomicU32],
    ) -> Result<&'m [AtomicU32], Error> {
        for range in ranges {
            let Some((own, rest)) = places.split_at_checked(word_count(range)) else { return Err(NO_ROOM) };
            self.fill(range.source, own)?;
            places = rest;
        }
        Ok(places)
    }

    /// The address of contents that are not numbers.
    #[inline(always)]
    fn address(&mut self, contents: &Contents) -> Result<u64, Error> {
        match contents {
            Contents::Numbers(_) => Err(Error::Invalid { what: "numbers in memory" }),
            Contents::Buffer { set, binding, element } => self.buffer(*set, *binding, *element),
            Contents::Uniform(range) => self.uniform(range),
            Contents::Texture(texture) => self.texture(texture),
            Contents::Target(number, kind) => Ok(target_address(self.sources.view.targets, *number, *kind)),
            Contents::Sampler(sampler) => self.sampler_state(sampler),
        }
    }
}

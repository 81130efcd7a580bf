//! Descriptor sets: memory that the words of a shader point to.
//!
//! A set is a range of device memory. Buffers are records of [`agx_abi::layout::DESCRIPTOR_BYTES`], so that an array of
//! them is the table that shaders index. Textures and images are descriptors as the hardware reads them, with all
//! textures of a binding before its images. Samplers, with their level bias, follow the textures. Shaders read sets
//! when they run, so updates after binding need no special handling.

mod writer;

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use agx_abi::DescriptorKind;
use agx_abi::layout::DESCRIPTOR_BYTES;
use ash::vk;
use ash::vk::DescriptorType as T;

use crate::Error;
use crate::memory::{Arena, Piece, lock};
use crate::physical::{DESCRIPTORS, MAX_DYNAMIC_BUFFERS, MAX_INLINE_BYTES};
use crate::ranges::Ranges;
use crate::sampler::{self, Sampler};
use crate::view::{self, Descriptor};
use crate::ycbcr::YcbcrConversion;

pub use writer::{Kept, Put, Writer};

/// Size of the number of a texture's format, which samplers with border colours without a format need.
const FORMAT_BYTES: usize = 4;
/// Alignment of sets and bindings in bytes.
const ALIGNMENT: u64 = 16;
/// Maximum size of a set in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Types of buffers. Programs read no more of an acceleration structure's descriptor than its address.
const BUFFERS: [T; 5] = [
    T::UNIFORM_BUFFER,
    T::STORAGE_BUFFER,
    T::UNIFORM_BUFFER_DYNAMIC,
    T::STORAGE_BUFFER_DYNAMIC,
    T::ACCELERATION_STRUCTURE_KHR,
];
/// Types that have a texture only.
const TEXTURES: [T; 4] =
    [T::SAMPLED_IMAGE, T::COMBINED_IMAGE_SAMPLER, T::UNIFORM_TEXEL_BUFFER, T::INPUT_ATTACHMENT];
/// Types that have a texture and an image.
const STORED: [T; 2] = [T::STORAGE_IMAGE, T::STORAGE_TEXEL_BUFFER];

/// A binding of a layout.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Number of elements, or bytes of an inline uniform block.
    pub count: u32,
    /// Immutable samplers.
    pub immutable: Vec<Sampler>,
    /// First byte in the set.
    pub offset: u64,
    /// Number of its first dynamic offset among those of the set.
    pub dynamic: u32,
    /// The parts of an element.
    has: Parts,
    /// Where they are.
    places: Places,
}

/// The parts of an element. A mutable one has those of each of its types.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// A buffer, with a dynamic offset or without.
    buffer: bool,
    dynamic: bool,
    /// Bytes of an inline uniform block.
    inline: bool,
    sampler: bool,
    /// A texture that is combined with samplers.
    sampled: bool,
    /// An image that is stored to.
    stored: bool,
    /// Textures of each kind: one for each plane.
    planes: u32,
    /// Number of texture and image descriptors.
    textures: u32,
}

impl Parts {
    fn new(kinds: &[vk::DescriptorType], immutable: &[Sampler]) -> Parts {
        let is_any = |list: &[vk::DescriptorType]| kinds.iter().any(|kind| list.contains(kind));
        let conversion = immutable.first().and_then(|sampler| sampler.conversion);
        let planes = conversion.map_or(1, |conversion| conversion.planes.into());
        let stored = is_any(&STORED);
        Parts {
            buffer: is_any(&BUFFERS),
            dynamic: is_any(&[T::UNIFORM_BUFFER_DYNAMIC, T::STORAGE_BUFFER_DYNAMIC]),
            inline: is_any(&[T::INLINE_UNIFORM_BLOCK]),
            sampler: is_any(&[T::SAMPLER, T::COMBINED_IMAGE_SAMPLER]),
            sampled: is_any(&[T::SAMPLED_IMAGE, T::COMBINED_IMAGE_SAMPLER]),
            stored,
            planes,
            textures: match (stored, is_any(&TEXTURES)) {
                (true, _) => 2,
                (false, true) => planes,
                (false, false) => 0,
            },
        }
    }
}

/// Bytes of a set at which the parts of the elements of a binding begin. Buffers come first, then textures, images, samplers and
/// formats.
#[derive(Clone, Copy, Debug)]
struct Places {
    textures: u64,
    images: u64,
    samplers: u64,
    formats: u64,
    end: u64,
}

impl Places {
    /// Those of a binding that begins at a byte.
    fn new(offset: u64, count: u32, has: Parts) -> Places {
        let count = u64::from(count);
        let bytes = |has: bool, of_one: usize| if has { of_one as u64 * count } else { 0 };
        let textures = offset + bytes(has.buffer, DESCRIPTOR_BYTES as usize);
        let samplers = textures + u64::from(has.textures) * view::BYTES as u64 * count;
        let formats = samplers + bytes(has.sampler, sampler::RECORD_BYTES) + bytes(has.inline, 1);
        let end = formats + bytes(has.sampled, FORMAT_BYTES);
        Places { textures, images: textures + view::BYTES as u64 * count, samplers, formats, end }
    }
}

impl Binding {
    /// A binding of these types, with its first byte and the number of its first dynamic offset.
    fn new(
        kinds: &[vk::DescriptorType],
        count: u32,
        immutable: Vec<Sampler>,
        (offset, dynamic): (u64, u32),
    ) -> Binding {
        let has = Parts::new(kinds, &immutable);
        Binding { count, immutable, offset, dynamic, has, places: Places::new(offset, count, has) }
    }

    /// The same with another number of elements.
    fn with_count(&self, count: u32) -> Binding {
        Binding { count, places: Places::new(self.offset, count, self.has), ..self.clone() }
    }

    /// Bytes of all elements. A mutable binding has memory for elements of each of its types.
    fn bytes(&self) -> u64 {
        self.places.end - self.offset
    }

    /// Whether it is an inline uniform block.
    pub fn is_inline(&self) -> bool {
        self.has.inline
    }

    /// How its samplers convert colours, by element: such samplers never change.
    pub fn conversions(&self) -> impl Iterator<Item = (u32, YcbcrConversion)> {
        (0..).zip(&self.immutable).filter_map(|(element, sampler)| Some((element, sampler.conversion?)))
    }

    /// Whether elements have samplers.
    #[inline]
    pub fn has_samplers(&self) -> bool {
        self.has.sampler
    }

    /// Whether elements are buffers.
    #[inline]
    pub fn is_buffer(&self) -> bool {
        self.has.buffer
    }

    /// Whether elements are buffers with a dynamic offset.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        self.has.dynamic
    }

    /// First byte of the buffer record of an element.
    #[inline]
    pub fn buffer(&self, element: u32) -> u64 {
        self.offset + u64::from(element) * u64::from(DESCRIPTOR_BYTES)
    }

    /// First byte of a descriptor of a kind. Elements with a colour conversion have one descriptor for each plane; `element` counts
    /// descriptors.
    #[inline]
    pub fn texture(&self, element: u32, kind: DescriptorKind) -> u64 {
        let first = if kind == DescriptorKind::Image { self.places.images } else { self.places.textures };
        first + u64::from(element) * view::BYTES as u64
    }

    /// First byte of the sampler of an element.
    #[inline]
    pub fn sampler(&self, element: u32) -> u64 {
        self.places.samplers + u64::from(element) * sampler::RECORD_BYTES as u64
    }

    /// First byte of the texture format of an element, if samplers are combined with it.
    #[inline]
    fn format(&self, element: u32) -> Option<u64> {
        self.has.sampled.then(|| self.places.formats + u64::from(element) * FORMAT_BYTES as u64)
    }
}

/// Bindings by number, in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    list: Vec<(u32, Binding)>,
}

impl Bindings {
    /// A binding. Its place is its number, unless there are gaps before it.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&Binding> {
        match self.list.get(number as usize) {
            Some((known, binding)) if *known == number => Some(binding),
            _ => {
                let place = self.list.binary_search_by_key(&number, |(number, _)| *number).ok()?;
                self.list.get(place).map(|(_, binding)| binding)
            }
        }
    }

    /// All of them with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Binding)> {
        self.list.iter().map(|(number, binding)| (*number, binding))
    }
}

/// The bindings of a set.
#[derive(Clone, Debug, Default)]
pub struct SetLayout {
    /// By number.
    pub bindings: Bindings,
    /// Bytes of a set.
    pub bytes: u64,
    /// Number of dynamic offsets of a set.
    pub dynamic: u32,
    /// The last binding, whose count may be lowered per set.
    pub variable: Option<u32>,
    /// Whether it is for push descriptors, so that sets of it are not allocated.
    pub pushed: bool,
    /// Whether a binding has immutable samplers.
    has_immutable: bool,
}

impl SetLayout {
    /// A layout of bindings, in the order of their numbers: number, types, count, immutable samplers.
    pub fn new(mut bindings: Vec<(u32, Vec<vk::DescriptorType>, u32, Vec<Sampler>)>) -> SetLayout {
        bindings.sort_by_key(|(number, ..)| *number);
        let mut layout = SetLayout::default();
        for (number, kinds, count, immutable) in bindings {
            let offset = layout.bytes.next_multiple_of(ALIGNMENT);
            let binding = Binding::new(&kinds, count, immutable, (offset, layout.dynamic));
            layout.bytes = offset + binding.bytes();
            layout.has_immutable |= !binding.immutable.is_empty();
            layout.dynamic += if binding.is_dynamic() { count } else { 0 };
            layout.bindings.list.push((number, binding));
        }
        layout
    }

    /// Whether sets of it fit into memory.
    pub fn is_supported(&self) -> bool {
        self.bytes <= MOST_BYTES
    }

    /// Maximum number of elements of the binding whose count varies, for any count in the layout; 0 without such a binding.
    pub fn most_variable(&self) -> u32 {
        let varying = self.variable.and_then(|number| self.bindings.get(number));
        let Some(binding) = varying else { return 0 };
        let limit = match () {
            () if binding.is_inline() => MAX_INLINE_BYTES,
            () if binding.is_dynamic() => MAX_DYNAMIC_BUFFERS,
            () => DESCRIPTORS,
        };
        let one = binding.with_count(1).bytes().max(1);
        limit.min(MOST_BYTES.saturating_sub(binding.offset).checked_div(one).map_or(0, |most| most as u32))
    }

    /// The bindings and elements from `element` on, which continue in the next bindings.
    #[inline(always)]
    fn places(&self, mut number: u32, mut element: u32) -> impl Iterator<Item = (&Binding, u32)> {
        let mut binding = self.bindings.get(number);
        std::iter::from_fn(move || {
            while element >= binding?.count {
                element -= binding?.count;
                number += 1;
                binding = self.bindings.get(number);
            }
            element += 1;
            Some((binding?, element - 1))
        })
    }
}

/// Memory of sets, and null descriptors.
pub struct Sets {
    /// The memory.
    pub arena: Arc<Arena>,
    /// Descriptors of a texel buffer without texels, of an unused image, and of a texture of zeros.
    null: [Descriptor; 3],
    /// Address of [`agx_abi::layout::ZEROS_BYTES`] bytes of zeros.
    zeros: u64,
    _sink: Piece,
}

impl Sets {
    /// Memory of sets, with the address of zeros.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(arena: Arc<Arena>, zeros: u64) -> Result<Sets, Error> {
        let sink = arena.take(64, 16)?;
        Ok(Sets { null: view::null(zeros, sink.address), zeros, arena, _sink: sink })
    }
}

/// A descriptor pool.
pub struct Pool {
    sets: Arc<Sets>,
    most: u32,
    room: Mutex<Room>,
}

/// What is left of a pool.
struct Room {
    /// Number of sets.
    sets: u32,
    /// Memory, which stays with the pool.
    blocks: Vec<Block>,
}

/// Memory for sets.
struct Block {
    piece: Piece,
    /// The first address that no set had.
    next: u64,
    /// What freed sets had.
    freed: Ranges,
}

impl Block {
    fn new(piece: Piece) -> Block {
        Block { next: piece.address, piece, freed: Ranges::default() }
    }

    /// Takes memory, a multiple of the alignment.
    fn take(&mut self, bytes: u64) -> Option<Piece> {
        let end = self.piece.address + self.piece.bytes;
        let address = match self.next + bytes <= end {
            true => {
                self.next += bytes;
                self.next - bytes
            }
            false => self.freed.take(bytes, ALIGNMENT)?,
        };
        Some(self.piece.part(address, bytes))
    }
}

/// The most bytes of a block for several sets.
const BLOCK: u64 = 1 << 16;

impl Room {
    /// Takes memory for a set.
    fn take(&mut self, arena: &Arc<Arena>, bytes: u64) -> Result<Piece, Error> {
        let Some(left) = self.sets.checked_sub(1) else { return Err(Error::PoolMemory) };
        let mut taken = self.blocks.iter_mut().rev().find_map(|block| block.take(bytes));
        if taken.is_none() {
            let all = bytes.saturating_mul(self.sets.into());
            let mut block = Block::new(arena.take(all.min(BLOCK).max(bytes), ALIGNMENT)?);
            taken = block.take(bytes);
            self.blocks.push(block);
        }
        self.sets = left;
        match taken {
            Some(taken) => Ok(taken),
            None => Err(Error::DeviceMemory { bytes }),
        }
    }
}

impl Pool {
    /// A pool of at most `most` sets.
    pub fn new(sets: Arc<Sets>, most: u32) -> Pool {
        Pool { sets, most, room: Mutex::new(Room { sets: most, blocks: Vec::new() }) }
    }

    /// Allocates a set; its last binding has `variable` elements if the layout lets that vary.
    ///
    /// # Errors
    /// The pool is exhausted, or out of memory.
    pub fn allocate(&self, mut layout: Arc<SetLayout>, variable: Option<u32>) -> Result<Set, Error> {
        if let Some((number, count)) = layout.variable.zip(variable)
            && layout.bindings.get(number).is_some_and(|binding| binding.count != count)
        {
            let mut changed = (*layout).clone();
            // The binding whose count varies is the last.
            let last = changed.bindings.list.last_mut().filter(|(known, _)| *known == number);
            if let Some((_, binding)) = last {
                *binding = binding.with_count(count);
                changed.bytes = binding.places.end;
            }
            layout = Arc::new(changed);
        }
        let memory =
            lock(&self.room).take(&self.sets.arena, layout.bytes.max(1).next_multiple_of(ALIGNMENT))?;
        Ok(Set::within(&self.sets, layout, memory))
    }

    /// Notes that a set of the pool was freed.
    pub fn free(&self, set: &Set) {
        let Room { sets, blocks } = &mut *lock(&self.room);
        let Piece { address, bytes, .. } = set.memory;
        let has = |block: &Piece| (block.address..block.address + block.bytes).contains(&address);
        if let Some(block) = blocks.iter_mut().find(|block| has(&block.piece)) {
            block.freed.give(address, bytes);
        }
        *sets = (*sets + 1).min(self.most);
    }

    /// Notes that all sets of the pool were freed.
    pub fn reset(&self) {
        let Room { sets, blocks } = &mut *lock(&self.room);
        *sets = self.most;
        for block in blocks {
            (block.next, block.freed) = (block.piece.address, Ranges::default());
        }
    }
}

/// A set.
pub struct Set {
    /// Its layout.
    pub layout: Arc<SetLayout>,
    sets: Arc<Sets>,
    memory: Piece,
}

impl Set {
    /// A set in memory, with its immutable samplers.
    pub(crate) fn within(sets: &Arc<Sets>, layout: Arc<SetLayout>, memory: Piece) -> Set {
        memory.clear();
        let set = Set { layout, sets: sets.clone(), memory };
        if set.layout.has_immutable {
            set.write_immutable();
        }
        set
    }

    /// Writes the immutable samplers.
    #[inline(never)]
    fn write_immutable(&self) {
        for (_, binding) in self.layout.bindings.iter() {
            for (element, sampler) in (0..binding.count).zip(&binding.immutable) {
                self.memory.write(binding.sampler(element), &sampler.record());
            }
        }
    }

    /// Its first address.
    pub fn address(&self) -> u64 {
        self.memory.address
    }

    /// Copies bytes from the set.
    pub fn read(&self, offset: u64, into: &mut [u8]) {
        self.memory.read(offset, into);
    }

    /// A sampler.
    pub fn sampler(&self, binding: &Binding, element: u32) -> Sampler {
        let mut record = [0; sampler::RECORD_BYTES];
        self.read(binding.sampler(element), &mut record);
        Sampler::of_record(&record)
    }

    /// The format of a texture that is combined with samplers.
    pub fn format(&self, binding: &Binding, element: u32) -> vk::Format {
        let mut number = [0; FORMAT_BYTES];
        if let Some(at) = binding.format(element) {
            self.read(at, &mut number);
        }
        vk::Format::from_raw(i32::from_le_bytes(number))
    }

    /// Writes descriptors to the set.
    #[inline]
    pub fn writer(&self) -> Writer<'_, &[AtomicU32]> {
        Writer::new(&self.sets, &self.layout, self.memory.words())
    }

    /// Copies all of another set, whose layout is the same.
    pub fn copy_all(&self, from: &Set) {
        self.memory.copy_from(&from.memory);
    }

    /// Copies elements from another set.
    pub fn copy(&self, from: &Set, [source, destination]: [(u32, u32); 2], count: u32) {
        let inline = |set: &Set, number| set.layout.bindings.get(number).is_some_and(Binding::is_inline);
        if inline(self, destination.0) {
            let mut bytes = vec![0; count as usize];
            if let Some(binding) = from.layout.bindings.get(source.0) {
                from.read(binding.offset + u64::from(source.1), &mut bytes);
            }
            return self.writer().inline(destination, &bytes);
        }
        let sources = from.layout.places(source.0, source.1).take(count as usize);
        let places = self.layout.places(destination.0, destination.1);
        for ((old, old_element), (new, element)) in sources.zip(places) {
            let move_bytes = |at: u64, to: u64, len: usize| {
                let mut bytes = vec![0; len];
                from.read(at, &mut bytes);
                self.memory.write(to, &bytes);
            };
            // A mutable element has a place for each type; those that both have are copied.
            if new.is_buffer() && old.is_buffer() {
                move_bytes(old.buffer(old_element), new.buffer(element), DESCRIPTOR_BYTES as usize);
            }
            let kind = DescriptorKind::Texture;
            let both = new.has.textures.min(old.has.textures) > 0;
            let planes = if both { new.has.planes.min(old.has.planes) } else { 0 };
            for plane in 0..planes {
                let [from, to] = [old_element * old.has.planes + plane, element * new.has.planes + plane];
                move_bytes(old.texture(from, kind), new.texture(to, kind), view::BYTES);
            }
            if new.has.stored && old.has.stored {
                let kind = DescriptorKind::Image;
                move_bytes(old.texture(old_element, kind), new.texture(element, kind), view::BYTES);
            }
            // Immutable samplers are equal in both, except for the format of the border colour.
            if new.has_samplers() && old.has_samplers() {
                move_bytes(old.sampler(old_element), new.sampler(element), sampler::RECORD_BYTES);
            }
            if let Some((from, to)) = old.format(old_element).zip(new.format(element)) {
                move_bytes(from, to, FORMAT_BYTES);
            }
        }
    }
}

/// The layouts of the sets, and the push constants, of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct PipelineLayout {
    /// Layout of each set.
    pub sets: Vec<Option<Arc<SetLayout>>>,
}

impl PipelineLayout {
    /// The layout of a set, if there is one.
    pub fn set(&self, number: u32) -> Option<&Arc<SetLayout>> {
        self.sets.get(number as usize)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    fn layout(kind: vk::DescriptorType, count: u32, varies: bool) -> SetLayout {
        let extra = (0, vec![T::UNIFORM_BUFFER], 3, Vec::new());
        let mut layout = SetLayout::new(vec![extra, (5, vec![kind], count, Vec::new())]);
        layout.variable = varies.then_some(5);
        layout
    }

    #[test]
    fn bindings_are_found_by_number_and_their_parts_do_not_overlap() {
        let kinds = vec![T::STORAGE_IMAGE, T::COMBINED_IMAGE_SAMPLER, T::STORAGE_BUFFER];
        let single = |kind| vec![kind];
        let layout = SetLayout::new(vec![
            (7, kinds, 2, Vec::new()),
            (0, single(T::UNIFORM_BUFFER_DYNAMIC), 3, Vec::new()),
            (1, single(T::INLINE_UNIFORM_BLOCK), 20, Vec::new()),
        ]);
        let found = |number| layout.bindings.get(number).map(|binding| (binding.offset, binding.count));
        assert_eq!([0, 1, 2, 7].map(found), [Some((0, 3)), Some((48, 20)), None, Some((80, 2))]);
        let mutable = layout.bindings.get(7).expect("it is there");
        // Two buffers of 16 bytes, two textures and two images of 24, two samplers of 32, two formats of 4.
        let places = [
            mutable.buffer(1),
            mutable.texture(0, DescriptorKind::Texture),
            mutable.texture(1, DescriptorKind::Image),
            mutable.sampler(0),
            mutable.format(1).expect("it is sampled"),
        ];
        assert_eq!(places, [96, 112, 184, 208, 276]);
        assert_eq!((layout.bytes, layout.dynamic, mutable.with_count(1).bytes()), (280, 3, 100));
    }

    #[test]
    fn the_maximum_of_a_variable_count_does_not_depend_on_the_count() {
        for kind in
            BUFFERS.into_iter().chain(TEXTURES).chain(STORED).chain([T::SAMPLER, T::INLINE_UNIFORM_BLOCK])
        {
            assert_eq!(layout(kind, 1, false).most_variable(), 0);
            let most = layout(kind, 1, true).most_variable();
            assert!(most >= 64 && most.is_multiple_of(4), "{kind:?}: {most}");
            for count in [0, most] {
                let varied = layout(kind, count, true);
                assert!(varied.is_supported() && varied.most_variable() == most, "{kind:?} {count}");
            }
        }
        assert_eq!(layout(T::INLINE_UNIFORM_BLOCK, 4, true).most_variable(), 4096);
        assert!(!layout(T::STORAGE_IMAGE, 1 << 28, false).is_supported());
    }

    #[test]
    fn memory_of_freed_sets_is_taken_again() {
        let device = Device::in_test();
        let pool = Pool::new(device.sets.clone(), 3);
        let layout = Arc::new(layout(T::STORAGE_BUFFER, 2, false));
        let take = || pool.allocate(layout.clone(), None);
        let [first, second, third] = [(); 3].map(|()| take().expect("there is room"));
        let places = [&first, &second, &third].map(|set| (set.address(), set.address() + layout.bytes));
        assert!(places.is_sorted_by(|one, other| one.1 <= other.0), "{places:x?}");
        assert!(matches!(take(), Err(Error::PoolMemory)));
        second.writer().buffers((5, 0), [Some((7, 8))].into_iter());
        pool.free(&second);
        let again = take().expect("a set was freed");
        let mut bytes = [1; 16];
        again.read(layout.bindings.get(5).expect("it is there").offset, &mut bytes);
        assert_eq!((again.address(), bytes), (second.address(), [0; 16]));
        pool.reset();
        assert_eq!(take().expect("all sets were freed").address(), first.address());
    }

    #[test]
    fn kept_descriptors_are_those_of_a_set() {
        let device = Device::in_test();
        let pool = Pool::new(device.sets.clone(), 2);
        let kinds = vec![T::UNIFORM_TEXEL_BUFFER, T::STORAGE_BUFFER];
        let bindings = vec![(0, kinds, 2, Vec::new()), (1, vec![T::INLINE_UNIFORM_BLOCK], 8, Vec::new())];
        let layout = Arc::new(SetLayout::new(bindings));
        let view = view::BufferView { loaded: [3; view::BYTES], stored: [4; view::BYTES] };
        fn write<P: Put>(mut writer: Writer<'_, P>, view: &view::BufferView) {
            writer.buffers((0, 1), [Some((0x1234_5678_9abc, 40))].into_iter());
            writer.texels((0, 0), T::UNIFORM_TEXEL_BUFFER, [Some(view), None].into_iter());
            writer.inline((1, 4), &[9; 4]);
        }
        let [now, later] = [(); 2].map(|()| pool.allocate(layout.clone(), None).expect("there is room"));
        write(now.writer(), &view);
        let mut kept = Kept::default();
        write(Writer::new(&device.sets, &layout, &mut kept), &view);
        kept.write(&later);
        let bytes = |set: &Set| {
            let mut bytes = vec![0; layout.bytes as usize];
            set.read(0, &mut bytes);
            bytes
        };
        let found = bytes(&now);
        assert_eq!(found, bytes(&later));
        // Two buffers of 16 bytes, two textures of 24, and the block at the next multiple of 16.
        let buffer = [0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!((&found[16..32], &found[32..56]), (&buffer[..], &[3; 24][..]));
        assert_eq!(found[80..], [0, 0, 0, 0, 9, 9, 9, 9]);
    }
}

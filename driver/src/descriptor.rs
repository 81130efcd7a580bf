//! Descriptor sets: memory that the words of a shader point to.
//!
//! A set is a range of device memory. Buffers are records of [`agx_abi::layout::DESCRIPTOR_BYTES`], so that an array of
//! them is the table that shaders index. Textures and images are descriptors as the hardware reads them, with all
//! textures of a binding before its images. Samplers, with their level bias, follow the textures. Shaders read sets
//! when they run, so updates after binding need no special handling.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agx_abi::DescriptorKind;
use agx_abi::layout::DESCRIPTOR_BYTES;
use ash::vk;
use ash::vk::DescriptorType as T;

use crate::Error;
use crate::memory::{Arena, Piece, lock};
use crate::physical::{DESCRIPTORS, MAX_DYNAMIC_BUFFERS, MAX_INLINE_BYTES};
use crate::sampler::{self, Sampler};
use crate::view::{self, BufferView, Descriptor, ImageView};
use crate::ycbcr::YcbcrConversion;

/// Size of the number of a texture's format, which samplers with border colours without a format need.
const FORMAT_BYTES: usize = 4;
/// Alignment of sets and bindings in bytes.
const ALIGNMENT: u64 = 16;
/// Maximum size of a set in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Types of buffers.
const BUFFERS: [T; 4] =
    [T::UNIFORM_BUFFER, T::STORAGE_BUFFER, T::UNIFORM_BUFFER_DYNAMIC, T::STORAGE_BUFFER_DYNAMIC];
/// Types that have a texture only.
const TEXTURES: [T; 4] =
    [T::SAMPLED_IMAGE, T::COMBINED_IMAGE_SAMPLER, T::UNIFORM_TEXEL_BUFFER, T::INPUT_ATTACHMENT];
/// Types that have a texture and an image.
const STORED: [T; 2] = [T::STORAGE_IMAGE, T::STORAGE_TEXEL_BUFFER];

/// A binding of a layout.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its descriptor type; several if it is mutable.
    pub kinds: Vec<vk::DescriptorType>,
    /// Number of elements, or bytes of an inline uniform block.
    pub count: u32,
    /// Immutable samplers.
    pub immutable: Vec<Sampler>,
    /// First byte in the set.
    pub offset: u64,
    /// Number of its first dynamic offset among those of the set.
    pub dynamic: u32,
}

impl Binding {
    /// Bytes of all elements. A mutable binding has memory for elements of each of its types.
    fn bytes(&self) -> u64 {
        let count = u64::from(self.count);
        let samplers = u64::from(self.has_samplers());
        let inline = if self.is_inline() { count } else { 0 };
        self.record_bytes()
            + self.textures() * view::BYTES as u64 * count
            + samplers * sampler::RECORD_BYTES as u64 * count
            + inline
            + u64::from(self.is_sampled()) * FORMAT_BYTES as u64 * count
    }

    /// Bytes of the buffer records, which come first.
    fn record_bytes(&self) -> u64 {
        match self.is_buffer() {
            true => u64::from(DESCRIPTOR_BYTES) * u64::from(self.count),
            false => 0,
        }
    }

    /// Whether elements may be of one of these types.
    fn is_any(&self, kinds: &[vk::DescriptorType]) -> bool {
        self.kinds.iter().any(|kind| kinds.contains(kind))
    }

    /// Whether it is an inline uniform block.
    pub fn is_inline(&self) -> bool {
        self.is_any(&[T::INLINE_UNIFORM_BLOCK])
    }

    /// Whether elements are textures that are combined with samplers.
    fn is_sampled(&self) -> bool {
        self.is_any(&[T::SAMPLED_IMAGE, T::COMBINED_IMAGE_SAMPLER])
    }

    /// How its samplers convert colours: such samplers never change.
    pub fn conversion(&self) -> Option<YcbcrConversion> {
        self.immutable.first().and_then(|sampler| sampler.conversion)
    }

    /// Textures that an element has, of each kind: one for each plane.
    fn planes(&self) -> u32 {
        self.conversion().map_or(1, |conversion| conversion.planes.into())
    }

    /// Number of texture and image descriptors per element.
    fn textures(&self) -> u64 {
        if self.is_stored() {
            return 2;
        }
        match self.is_any(&TEXTURES) {
            true => self.planes().into(),
            false => 0,
        }
    }

    /// Whether elements have samplers.
    pub fn has_samplers(&self) -> bool {
        self.is_any(&[T::SAMPLER, T::COMBINED_IMAGE_SAMPLER])
    }

    /// Whether elements are buffers.
    pub fn is_buffer(&self) -> bool {
        self.is_any(&BUFFERS)
    }

    /// Whether elements are buffers with a dynamic offset.
    pub fn is_dynamic(&self) -> bool {
        self.is_any(&[T::UNIFORM_BUFFER_DYNAMIC, T::STORAGE_BUFFER_DYNAMIC])
    }

    /// First byte of the buffer record of an element.
    pub fn buffer(&self, element: u32) -> u64 {
        self.offset + u64::from(element) * u64::from(DESCRIPTOR_BYTES)
    }

    /// Whether elements are images that are stored to.
    fn is_stored(&self) -> bool {
        self.is_any(&STORED)
    }

    /// First byte of a descriptor of a kind. Elements with a colour conversion have one descriptor for each plane; `element` counts
    /// descriptors.
    pub fn texture(&self, element: u32, kind: DescriptorKind) -> u64 {
        let before = if kind == DescriptorKind::Image { self.count } else { 0 };
        self.offset + self.record_bytes() + u64::from(before + element) * view::BYTES as u64
    }

    /// First byte of the sampler of an element.
    pub fn sampler(&self, element: u32) -> u64 {
        let textures = self.textures() * u64::from(self.count) * view::BYTES as u64;
        self.offset + self.record_bytes() + textures + u64::from(element) * sampler::RECORD_BYTES as u64
    }

    /// First byte of the texture format of an element, if samplers are combined with it.
    fn format(&self, element: u32) -> Option<u64> {
        let samplers = if self.has_samplers() { self.count } else { 0 };
        self.is_sampled().then(|| self.sampler(samplers) + u64::from(element) * FORMAT_BYTES as u64)
    }
}

/// The bindings of a set.
#[derive(Clone, Debug, Default)]
pub struct SetLayout {
    /// By number.
    pub bindings: BTreeMap<u32, Binding>,
    /// Bytes of a set.
    pub bytes: u64,
    /// Number of dynamic offsets of a set.
    pub dynamic: u32,
    /// The last binding, whose count may be lowered per set.
    pub variable: Option<u32>,
    /// Whether it is for push descriptors, so that sets of it are not allocated.
    pub pushed: bool,
}

impl SetLayout {
    /// A layout of bindings, in the order of their numbers: number, types, count, immutable samplers.
    pub fn new(mut bindings: Vec<(u32, Vec<vk::DescriptorType>, u32, Vec<Sampler>)>) -> SetLayout {
        bindings.sort_by_key(|(number, ..)| *number);
        let mut layout = SetLayout::default();
        for (number, kinds, count, immutable) in bindings {
            let offset = layout.bytes.next_multiple_of(ALIGNMENT);
            let binding = Binding { kinds, count, immutable, offset, dynamic: layout.dynamic };
            layout.bytes = offset + binding.bytes();
            layout.dynamic += if binding.is_dynamic() { count } else { 0 };
            layout.bindings.insert(number, binding);
        }
        layout
    }

    /// Whether the samplers of a binding never change: writes give no valid ones.
    pub fn has_fixed_samplers(&self, number: u32) -> bool {
        self.bindings.get(&number).is_some_and(|binding| !binding.immutable.is_empty())
    }

    /// Whether sets of it fit into memory.
    pub fn is_supported(&self) -> bool {
        self.bytes <= MOST_BYTES
    }

    /// Maximum number of elements of the binding whose count varies, for any count in the layout; 0 without such a binding.
    pub fn most_variable(&self) -> u32 {
        let varying = self.variable.and_then(|number| self.bindings.get(&number));
        let Some(binding) = varying else { return 0 };
        let limit = match () {
            () if binding.is_inline() => MAX_INLINE_BYTES,
            () if binding.is_dynamic() => MAX_DYNAMIC_BUFFERS,
            () => DESCRIPTORS,
        };
        let one = Binding { count: 1, ..binding.clone() }.bytes().max(1);
        limit.min(MOST_BYTES.saturating_sub(binding.offset).checked_div(one).map_or(0, |most| most as u32))
    }

    /// The bindings and elements of a write from `element` on, which continues in the next bindings.
    fn places(&self, mut number: u32, mut element: u32) -> impl Iterator<Item = (&Binding, u32)> {
        let mut binding = self.bindings.get(&number);
        std::iter::from_fn(move || {
            while element >= binding?.count {
                element -= binding?.count;
                number += 1;
                binding = self.bindings.get(&number);
            }
            element += 1;
            Some((binding?, element - 1))
        })
    }
}

/// The contents of a descriptor write, and their type.
#[derive(Clone)]
pub struct Content {
    /// The type, which a mutable binding takes on.
    pub kind: vk::DescriptorType,
    /// The value.
    pub value: Value,
}

/// The value of a descriptor.
#[derive(Clone)]
pub enum Value {
    /// A range of a buffer: address and bytes.
    Buffer(u64, u64),
    /// Texels of a buffer.
    Texels(Arc<BufferView>),
    /// A view of an image and a sampler, as far as the binding has them.
    Image(Option<Arc<ImageView>>, Option<Sampler>),
    /// The null descriptor.
    Null,
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
    room: Mutex<u32>,
    most: u32,
}

impl Pool {
    /// A pool of at most `most` sets.
    pub fn new(sets: Arc<Sets>, most: u32) -> Pool {
        Pool { sets, room: Mutex::new(most), most }
    }

    /// Allocates a set; its last binding has `variable` elements if the layout lets that vary.
    ///
    /// # Errors
    /// The pool is exhausted, or out of memory.
    pub fn allocate(&self, layout: &Arc<SetLayout>, variable: Option<u32>) -> Result<Set, Error> {
        {
            let mut room = lock(&self.room);
            *room = room.checked_sub(1).ok_or(Error::PoolMemory)?;
        }
        let mut layout = layout.clone();
        if let Some((number, count)) = layout.variable.zip(variable)
            && layout.bindings.get(&number).is_some_and(|binding| binding.count != count)
        {
            let mut changed = (*layout).clone();
            if let Some(binding) = changed.bindings.get_mut(&number) {
                binding.count = count;
                changed.bytes = binding.offset + binding.bytes();
            }
            layout = Arc::new(changed);
        }
        Set::new(&self.sets, layout)
    }

    /// Notes that a set of the pool was freed.
    pub fn free(&self) {
        let mut room = lock(&self.room);
        *room = (*room + 1).min(self.most);
    }

    /// Notes that all sets of the pool were freed.
    pub fn reset(&self) {
        *lock(&self.room) = self.most;
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
    /// A set with its immutable samplers.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(sets: &Arc<Sets>, layout: Arc<SetLayout>) -> Result<Set, Error> {
        let memory = sets.arena.take(layout.bytes, ALIGNMENT)?;
        memory.write(0, &vec![0; layout.bytes as usize]);
        let set = Set { layout, sets: sets.clone(), memory };
        for binding in set.layout.bindings.values() {
            for (element, sampler) in (0..binding.count).zip(&binding.immutable) {
                set.memory.write(binding.sampler(element), &sampler.record());
            }
        }
        Ok(set)
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

    /// Writes elements of a binding, from `element` on.
    pub fn write(&self, number: u32, element: u32, contents: impl Iterator<Item = impl Borrow<Content>>) {
        for (content, (binding, element)) in contents.zip(self.layout.places(number, element)) {
            self.write_one(binding, element, content.borrow());
        }
    }

    /// Writes bytes to an inline uniform block.
    pub fn write_inline(&self, number: u32, offset: u32, bytes: &[u8]) {
        if let Some(binding) = self.layout.bindings.get(&number) {
            self.memory.write(binding.offset + u64::from(offset), bytes);
        }
    }

    fn write_one(&self, binding: &Binding, element: u32, Content { kind, value }: &Content) {
        let first = element * binding.planes();
        let texture = binding.texture(first, DescriptorKind::Texture);
        let image = binding.texture(element, DescriptorKind::Image);
        let stores = STORED.contains(kind);
        match value {
            Value::Buffer(address, bytes) => {
                let mut record = [0; DESCRIPTOR_BYTES as usize];
                let (first, rest) = record.split_at_mut(8);
                first.copy_from_slice(&address.to_le_bytes());
                rest.iter_mut().zip((*bytes as u32).to_le_bytes()).for_each(|(to, from)| *to = from);
                self.memory.write(binding.buffer(element), &record);
            }
            Value::Texels(view) => {
                self.memory.write(texture, &view.loaded);
                if stores {
                    self.memory.write(image, &view.stored);
                }
            }
            Value::Image(view, sampler) => {
                let view = view.as_ref().filter(|_| *kind != T::SAMPLER && binding.textures() > 0);
                if let Some(view) = view {
                    let shown = match *kind {
                        T::STORAGE_IMAGE => &view.loaded,
                        T::INPUT_ATTACHMENT => &view.attachment,
                        _ => &view.texture,
                    };
                    self.memory.write(texture, shown);
                    for (plane, shown) in (1..binding.planes()).zip(&view.chroma) {
                        self.memory.write(binding.texture(first + plane, DescriptorKind::Texture), shown);
                    }
                    if stores {
                        self.memory.write(image, &view.stored);
                    }
                }
                self.write_sampler(binding, element, view, *sampler);
            }
            Value::Null => self.write_null(binding, element, *kind),
        }
    }

    /// Writes the sampler of an element, for the texture that is written with it.
    fn write_sampler(
        &self,
        binding: &Binding,
        element: u32,
        view: Option<&Arc<ImageView>>,
        sampler: Option<Sampler>,
    ) {
        let format = view.map(|view| view.sampled);
        if let Some((at, format)) = binding.format(element).zip(format) {
            self.memory.write(at, &format.as_raw().to_le_bytes());
        }
        let fixed = binding.immutable.get(element as usize).copied();
        if let Some(sampler) = fixed.or(sampler).filter(|_| binding.has_samplers()) {
            let sampler = format.map_or(sampler, |format| sampler.of_format(format));
            self.memory.write(binding.sampler(element), &sampler.record());
        }
    }

    fn write_null(&self, binding: &Binding, element: u32, kind: vk::DescriptorType) {
        if BUFFERS.contains(&kind) {
            // The size is 0, and reads that happen anyway return zeros.
            let mut record = [0; DESCRIPTOR_BYTES as usize];
            record[..8].copy_from_slice(&self.sets.zeros.to_le_bytes());
            self.memory.write(binding.buffer(element), &record);
        }
        let [texels, image, texture] = &self.sets.null;
        let is_buffer = matches!(kind, T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER);
        let texture = if is_buffer { texels } else { texture };
        let stores = STORED.contains(&kind);
        if stores || TEXTURES.contains(&kind) {
            let first = element * binding.planes();
            let planes = first..first + binding.planes();
            planes.for_each(|at| self.memory.write(binding.texture(at, DescriptorKind::Texture), texture));
        }
        if stores {
            self.memory.write(binding.texture(element, DescriptorKind::Image), image);
        }
    }

    /// Copies elements from another set.
    pub fn copy(&self, from: &Set, [source, destination]: [(u32, u32); 2], count: u32) {
        let inline = |set: &Set, number| set.layout.bindings.get(&number).is_some_and(Binding::is_inline);
        if inline(self, destination.0) {
            let mut bytes = vec![0; count as usize];
            if let Some(binding) = from.layout.bindings.get(&source.0) {
                from.read(binding.offset + u64::from(source.1), &mut bytes);
            }
            return self.write_inline(destination.0, destination.1, &bytes);
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
            let both = new.textures().min(old.textures()) > 0;
            let planes = if both { new.planes().min(old.planes()) } else { 0 };
            for plane in 0..planes {
                let [from, to] = [old_element * old.planes() + plane, element * new.planes() + plane];
                move_bytes(old.texture(from, kind), new.texture(to, kind), view::BYTES);
            }
            if new.is_stored() && old.is_stored() {
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

    fn layout(kind: vk::DescriptorType, count: u32, varies: bool) -> SetLayout {
        let extra = (0, vec![T::UNIFORM_BUFFER], 3, Vec::new());
        let mut layout = SetLayout::new(vec![extra, (5, vec![kind], count, Vec::new())]);
        layout.variable = varies.then_some(5);
        layout
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
}

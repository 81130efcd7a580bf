//! Writes of descriptors to sets, and descriptors that are kept to be written later.

use std::sync::atomic::AtomicU32;

use agx_abi::DescriptorKind;
use agx_abi::layout::DESCRIPTOR_BYTES;
use ash::vk;
use ash::vk::DescriptorType as T;

use super::{BUFFERS, Binding, STORED, Set, SetLayout, Sets, TEXTURES};
use crate::memory::store;
use crate::sampler::Sampler;
use crate::view::{BufferView, ImageView};

/// Where whole words of a set are written: those from a byte on, a multiple of 4.
pub trait Put {
    /// Writes a record.
    fn put<const N: usize>(&mut self, at: u64, record: &[u8; N]);

    /// Writes any number of words.
    fn put_words(&mut self, at: u64, words: &[[u8; 4]]);
}

impl Put for &[AtomicU32] {
    #[inline(always)]
    fn put<const N: usize>(&mut self, at: u64, record: &[u8; N]) {
        let (at, words) = ((at / 4) as usize, record.as_chunks::<4>().0);
        if let Some(places) = self.get(at..at + words.len()) {
            store(places, words);
        }
    }

    fn put_words(&mut self, at: u64, words: &[[u8; 4]]) {
        let at = (at / 4) as usize;
        if let Some(places) = self.get(at..at + words.len()) {
            store(places, words);
        }
    }
}

/// Descriptors that are kept to be written to sets of a layout later.
#[derive(Default)]
pub struct Kept {
    /// The byte of a set at which each begins, and its length.
    places: Vec<(u64, usize)>,
    bytes: Vec<u8>,
}

impl Put for &mut Kept {
    fn put<const N: usize>(&mut self, at: u64, record: &[u8; N]) {
        self.put_words(at, record.as_chunks().0);
    }

    fn put_words(&mut self, at: u64, words: &[[u8; 4]]) {
        self.places.push((at, 4 * words.len()));
        self.bytes.extend_from_slice(words.as_flattened());
    }
}

impl Kept {
    /// Writes them to a set.
    pub fn write(&self, set: &Set) {
        let mut rest = self.bytes.as_slice();
        for (at, len) in &self.places {
            let (own, after) = rest.split_at_checked(*len).unwrap_or_default();
            set.memory.write(*at, own);
            rest = after;
        }
    }
}

/// Writes descriptors of a set.
pub struct Writer<'s, P: Put> {
    sets: &'s Sets,
    layout: &'s SetLayout,
    to: P,
}

impl<'s, P: Put> Writer<'s, P> {
    /// Writes descriptors for sets of a layout.
    #[inline]
    pub fn new(sets: &'s Sets, layout: &'s SetLayout, to: P) -> Writer<'s, P> {
        Writer { sets, layout, to }
    }

    /// Writes bytes to an inline uniform block: whole words from a byte of the binding on.
    pub fn inline(&mut self, (number, offset): (u32, u32), bytes: &[u8]) {
        if let Some(binding) = self.layout.bindings.get(number) {
            self.to.put_words(binding.offset + u64::from(offset), bytes.as_chunks().0);
        }
    }

    /// Writes ranges of buffers: address and bytes; the null descriptor for `None`. They are the elements of a binding from a place
    /// on: binding and element. A write continues in the next bindings.
    #[inline(always)]
    pub fn buffers(
        &mut self,
        (number, element): (u32, u32),
        ranges: impl Iterator<Item = Option<(u64, u64)>>,
    ) {
        for (range, (binding, element)) in ranges.zip(self.layout.places(number, element)) {
            // The size of the null descriptor is 0, and reads that happen anyway return zeros.
            let (address, bytes) = range.unwrap_or((self.sets.zeros, 0));
            let mut record = [0; DESCRIPTOR_BYTES as usize];
            record[..8].copy_from_slice(&address.to_le_bytes());
            record[8..12].copy_from_slice(&(bytes as u32).to_le_bytes());
            self.to.put(binding.buffer(element), &record);
        }
    }

    /// Writes texels of buffers, likewise.
    #[inline(always)]
    pub fn texels<'v>(
        &mut self,
        (number, element): (u32, u32),
        kind: vk::DescriptorType,
        views: impl Iterator<Item = Option<&'v BufferView>>,
    ) {
        for (view, (binding, element)) in views.zip(self.layout.places(number, element)) {
            let Some(view) = view else {
                self.null(binding, element, kind);
                continue;
            };
            self.to.put(binding.texture(element, DescriptorKind::Texture), &view.loaded);
            if STORED.contains(&kind) {
                self.to.put(binding.texture(element, DescriptorKind::Image), &view.stored);
            }
        }
    }

    /// Writes textures, images and samplers, as far as the type has them, likewise. The sampler of an item is not valid if the
    /// binding's are fixed.
    #[inline(always)]
    pub fn images<'v, I>(
        &mut self,
        (number, element): (u32, u32),
        kind: vk::DescriptorType,
        items: impl Iterator<Item = I>,
        (view, sampler): (impl Fn(&I) -> Option<&'v ImageView>, impl Fn(&I) -> Option<&'v Sampler>),
    ) {
        let has_sampler = matches!(kind, T::SAMPLER | T::COMBINED_IMAGE_SAMPLER);
        let has_view = kind != T::SAMPLER;
        for (item, (binding, element)) in items.zip(self.layout.places(number, element)) {
            let sampler = match binding.immutable.get(element as usize) {
                None if has_sampler => sampler(&item),
                fixed => fixed,
            };
            match if has_view { view(&item) } else { None } {
                None if has_view => self.null(binding, element, kind),
                shown => self.image(binding, element, (kind, shown, sampler)),
            }
        }
    }

    /// Writes a texture or an image, and the sampler of an element, for the texture that is written with it.
    #[inline(always)]
    fn image(
        &mut self,
        binding: &Binding,
        element: u32,
        (kind, view, sampler): (vk::DescriptorType, Option<&ImageView>, Option<&Sampler>),
    ) {
        let view = view.filter(|_| binding.has.textures > 0);
        if let Some(view) = view {
            let shown = match kind {
                T::STORAGE_IMAGE => view.storage.as_ref().map(|[loaded, _]| loaded),
                T::INPUT_ATTACHMENT => view.attachment.as_ref(),
                _ => Some(&view.texture),
            };
            let Some(shown) = shown else { return self.null(binding, element, kind) };
            let first = element * binding.has.planes;
            self.to.put(binding.texture(first, DescriptorKind::Texture), shown);
            if binding.has.planes > 1 {
                self.chroma(binding, first, view);
            }
            if let (T::STORAGE_IMAGE, Some([_, stored])) = (kind, &view.storage) {
                self.to.put(binding.texture(element, DescriptorKind::Image), stored);
            }
            if let Some(at) = binding.format(element) {
                self.to.put(at, &view.sampled.as_raw().to_le_bytes());
            }
        }
        if let Some(sampler) = sampler.filter(|_| binding.has_samplers()) {
            match view {
                Some(view) if sampler.is_open() => self.coloured(binding, element, (view, sampler)),
                _ => self.to.put(binding.sampler(element), &sampler.record()),
            }
        }
    }

    /// Writes the textures of the planes after the first.
    #[inline(never)]
    fn chroma(&mut self, binding: &Binding, first: u32, view: &ImageView) {
        for (plane, shown) in (1..binding.has.planes).zip(&view.chroma) {
            self.to.put(binding.texture(first + plane, DescriptorKind::Texture), shown);
        }
    }

    /// Writes a sampler whose border colour is encoded for a texture.
    #[inline(never)]
    fn coloured(&mut self, binding: &Binding, element: u32, (view, sampler): (&ImageView, &Sampler)) {
        self.to.put(binding.sampler(element), &sampler.of_format(view.sampled).record());
    }

    /// Writes the null descriptor of a texture or an image.
    #[cold]
    fn null(&mut self, binding: &Binding, element: u32, kind: vk::DescriptorType) {
        debug_assert!(!BUFFERS.contains(&kind));
        let [texels, image, texture] = &self.sets.null;
        let is_buffer = matches!(kind, T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER);
        let texture = if is_buffer { texels } else { texture };
        let stores = STORED.contains(&kind);
        if stores || TEXTURES.contains(&kind) {
            let first = element * binding.has.planes;
            let planes = first..first + binding.has.planes;
            planes.for_each(|at| self.to.put(binding.texture(at, DescriptorKind::Texture), texture));
        }
        if stores {
            self.to.put(binding.texture(element, DescriptorKind::Image), image);
        }
    }
}

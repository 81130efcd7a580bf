//! Accesses of whole 32-bit registers within one mapped range, the most frequent form of loads and stores.
//!
//! The bounds of all lanes are checked together. If lanes access consecutive words, the words are moved as one block.
//! Other accesses, and accesses that fail, are executed lane by lane, to report the fault of the failing lane.

use crate::exec::memory::Layout;
use crate::formats::Format;
use crate::group::{Group, LANES, PerLane};
use crate::registers::lanes_of;
use crate::window::Window;
use agx_isa::inst::Size;

/// Bytes of a word.
const WORD: usize = 4;

/// Mapped memory from the lowest address of an access to the end of the highest.
pub(crate) enum Span<'s> {
    Bytes(&'s [u8]),
    Shared(&'s Window, usize),
}

/// The same, mutable.
pub(crate) enum SpanMut<'s> {
    Bytes(&'s mut [u8]),
    Shared(&'s Window, usize),
}

/// The addresses of an access, relative to the lowest.
pub(crate) struct Shape {
    /// The lowest address.
    pub(crate) start: u64,
    /// Number of bytes from there to the end of the highest element.
    pub(crate) len: usize,
    offsets: PerLane<u32>,
    /// The distance between consecutive lanes in bytes, if all lanes are active and equally spaced.
    stride: Option<usize>,
}

/// Maximum length of a span.
const MOST_BYTES: u64 = 1 << 30;

/// Whether the elements are whole registers.
pub(crate) fn is_plain(layout: &Layout) -> bool {
    layout.format == Format::I32
        && layout.first.size == Size::B32
        && layout.first.half & 1 == 0
        && layout.mask != 0
}

impl Shape {
    /// The shape of an access to the words of `layout` at these addresses; `None` if they are too far apart or no lane
    /// is active.
    pub(crate) fn new(addresses: &PerLane<u64>, layout: &Layout, exec: u32) -> Option<Shape> {
        let last = u64::from(u32::BITS - layout.mask.leading_zeros()) * WORD as u64;
        if exec == u32::MAX
            && let Some(shape) = Shape::even(addresses, last)
        {
            return Some(shape);
        }
        let (mut low, mut high) = (u64::MAX, 0);
        for lane in lanes_of(exec) {
            (low, high) = (low.min(addresses[lane]), high.max(addresses[lane]));
        }
        if exec == 0 || high - low > MOST_BYTES || high.checked_add(last).is_none() {
            return None;
        }
        let mut offsets = [0; LANES];
        for (offset, address) in offsets.iter_mut().zip(addresses) {
            *offset = address.wrapping_sub(low) as u32;
        }
        Some(Shape { start: low, len: (high - low + last) as usize, offsets, stride: None })
    }

    /// The shape of an access whose lanes are equally spaced and ascending.
    fn even(addresses: &PerLane<u64>, last: u64) -> Option<Shape> {
        let start = addresses[0];
        let step = addresses[1].wrapping_sub(start);
        if step == 0 || step > MOST_BYTES / LANES as u64 || addresses[LANES - 1].checked_add(last).is_none() {
            return None;
        }
        let (mut offsets, mut uneven) = ([0; LANES], 0);
        for (lane, (offset, address)) in offsets.iter_mut().zip(addresses).enumerate() {
            *offset = lane as u32 * step as u32;
            uneven |= address.wrapping_sub(start) ^ u64::from(*offset);
        }
        let len = u64::from(offsets[LANES - 1]) + last;
        (uneven == 0).then_some(Shape { start, len: len as usize, offsets, stride: Some(step as usize) })
    }

    /// Loads the components of `layout` into the active lanes' registers.
    pub(crate) fn load(&self, span: &Span<'_>, layout: &Layout, group: &mut Group) {
        for (component, register) in layout.components() {
            let skip = component as usize * WORD;
            let into = &mut group.words[usize::from(register.half >> 1)];
            match (span, self.stride) {
                (Span::Bytes(bytes), Some(stride)) => load_rows(&bytes[skip..], stride, into),
                (Span::Bytes(bytes), None) => {
                    for lane in lanes_of(group.exec) {
                        let at = self.offsets[lane] as usize + skip;
                        into[lane] = bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
                    }
                }
                (Span::Shared(window, first), _) => {
                    for lane in lanes_of(group.exec) {
                        into[lane] = window.word(first + self.offsets[lane] as usize + skip);
                    }
                }
            }
        }
    }

    /// Stores the components of `layout` from the active lanes' registers, in lane order.
    pub(crate) fn store(&self, span: SpanMut<'_>, layout: &Layout, group: &Group, lanes: u32) {
        let words = |half: u8| &group.words[usize::from(half >> 1)];
        let apart = |stride: usize| stride >= (u32::BITS - layout.mask.leading_zeros()) as usize * WORD;
        match (span, self.stride) {
            (SpanMut::Bytes(bytes), Some(stride)) if apart(stride) => {
                for (component, register) in layout.components() {
                    store_rows(&mut bytes[component as usize * WORD..], stride, words(register.half));
                }
            }
            (SpanMut::Bytes(bytes), _) => {
                for lane in lanes_of(lanes) {
                    for (component, register) in layout.components() {
                        let at = self.offsets[lane] as usize + component as usize * WORD;
                        if let Some(place) = bytes[at..].first_chunk_mut() {
                            *place = words(register.half)[lane].to_le_bytes();
                        }
                    }
                }
            }
            (SpanMut::Shared(window, first), _) => {
                for lane in lanes_of(lanes) {
                    for (component, register) in layout.components() {
                        let at = first + self.offsets[lane] as usize + component as usize * WORD;
                        window.write(at, &words(register.half)[lane].to_le_bytes());
                    }
                }
            }
        }
    }
}

/// Loads one word from each row of `stride` bytes.
fn load_rows(bytes: &[u8], stride: usize, into: &mut [u32]) {
    if stride == WORD {
        into.iter_mut().zip(bytes.as_chunks().0).for_each(|(into, word)| *into = u32::from_le_bytes(*word));
        return;
    }
    for (into, row) in into.iter_mut().zip(bytes.chunks(stride)) {
        *into = row.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
    }
}

fn store_rows(bytes: &mut [u8], stride: usize, words: &[u32]) {
    if stride == WORD {
        bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(into, word)| *into = word.to_le_bytes());
        return;
    }
    for (row, word) in bytes.chunks_mut(stride).zip(words) {
        if let Some(place) = row.first_chunk_mut() {
            *place = word.to_le_bytes();
        }
    }
}

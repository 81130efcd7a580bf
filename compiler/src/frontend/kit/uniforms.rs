//! The uniform registers that a shader reads. During construction they are numbered provisionally, in order
//! of first use; at the end, [`agx_abi::layout::place`] assigns the final order.

use std::mem::discriminant;

use agx_abi::layout::{self, LayoutError, MOST_TEXTURE_TABLES, Wanted};
use agx_abi::{UniformRange, UniformSource};

use crate::error::{CompileError, KitError};
use crate::ir::Readable;
use crate::ir::src::{Src, SrcKind};

/// Uniforms in order of first use.
#[derive(Default)]
pub struct Uniforms {
    slots: Vec<UniformSource>,
    /// First and last-plus-one byte of the push constants that are read directly.
    push: Option<(u32, u32)>,
    /// The byte of the first 64-bit push constant that is read directly.
    push_address: Option<u32>,
    /// Ranges at fixed positions before all others, ascending.
    fixed: Vec<UniformRange>,
    /// Memory that may be read speculatively.
    readable: Vec<ReadableBlock>,
}

/// Memory that may be read whether or not the program would.
struct ReadableBlock {
    /// The register of its address.
    address: Src,
    bytes: u32,
    /// The program computes offsets in it, which passes may find to be constant.
    is_indexed: bool,
}

/// Number of textures the words of whose descriptors are in registers: a quarter of the file. A program loads the others from tables.
const MOST_TEXTURE_WORDS: usize = 8;

/// Bits of a provisional payload below the slot number.
const SLOT_SHIFT: u32 = 16;

/// The slot number of the push constants.
const PUSH_SLOT: u64 = 0xffff_ffff;

/// The slot number of undefined values.
const UNDEFINED_SLOT: u64 = 0xffff_fffe;

/// An undefined word of `bits` bits: a provisional uniform that becomes zero when the function is complete.
pub fn undefined(bits: u8) -> Src {
    provisional(UNDEFINED_SLOT, 0, bits)
}

/// The final positions.
pub(crate) struct Placement {
    /// The ranges that the driver fills.
    pub ranges: Vec<UniformRange>,
    /// First half-word of each slot.
    starts: Vec<u16>,
    push_start: u16,
    push_offset: u32,
}

impl Uniforms {
    /// The register of `bits` bits that holds `source`, `half` half-words into it.
    pub fn get(&mut self, source: UniformSource, half: u16, bits: u8) -> Src {
        let slot = self.slots.iter().position(|known| *known == source).unwrap_or_else(|| {
            self.slots.push(source);
            self.slots.len().saturating_sub(1)
        });
        provisional(slot as u64, half, bits)
    }

    /// Whether the whole address of a table of textures is read, or may be: only some can be in reach of texture operands.
    pub fn has_room_for_table(&self, source: UniformSource) -> bool {
        self.has_room(source, MOST_TEXTURE_TABLES)
    }

    /// Whether the words of a texture's descriptor are read from registers, or may be: those of a few textures fill a good part of
    /// the file.
    pub fn has_room_for_words(&self, source: UniformSource) -> bool {
        self.has_room(source, MOST_TEXTURE_WORDS)
    }

    /// Whether a source is in use, or fewer than `most` of its kind are.
    fn has_room(&self, source: UniformSource, most: usize) -> bool {
        let kind = discriminant(&source);
        self.slots.contains(&source)
            || self.slots.iter().filter(|of| discriminant(*of) == kind).count() < most
    }

    /// Reserves `ranges`, which ascend, at their positions before all others.
    pub fn reserve(&mut self, ranges: &[UniformRange]) {
        self.fixed = ranges.to_vec();
    }

    /// The register of `bits` bits that holds the push constant at byte `offset`.
    pub fn push_constant(&mut self, offset: u32, bits: u8) -> Src {
        let end = offset.saturating_add(u32::from(bits) / 8);
        self.push = Some(self.push.map_or((offset, end), |(low, high)| (low.min(offset), high.max(end))));
        provisional(PUSH_SLOT, (offset / 2) as u16, bits)
    }

    /// The registers of the two halves of the 64-bit push constant at byte `offset`, 32 bits each.
    pub fn push_address(&mut self, offset: u32) -> [Src; 2] {
        self.push_address.get_or_insert(offset);
        [offset, offset.wrapping_add(4)].map(|half| self.push_constant(half, 32))
    }

    /// Records that `bytes` bytes at the address in the register `address` may be read whether or not the program would.
    pub fn note_readable(&mut self, address: Src, bytes: u32) {
        self.readable.push(ReadableBlock { address, bytes, is_indexed: false });
    }

    /// Records that the program computes an offset from the address in the register `address`.
    pub fn note_indexed(&mut self, address: Src) {
        for block in self.readable.iter_mut().filter(|block| block.address == address) {
            block.is_indexed = true;
        }
    }

    /// Orders the slots according to the resource layout.
    pub(crate) fn place(&self) -> Result<Placement, CompileError> {
        let mut wanted: Vec<Wanted> = self.slots.iter().map(|source| Wanted::from(*source)).collect();
        let push = self.push.map(|(low, high)| (low & !3, high.next_multiple_of(4)));
        if let Some((low, high)) = push {
            let halves = u16::try_from(high.saturating_sub(low) / 2).unwrap_or(u16::MAX);
            let address = self.push_address.map(|at| (at.saturating_sub(low) / 2) as u16);
            wanted.push(Wanted { source: UniformSource::PushConstants { offset: low }, halves, address });
        }
        let ranges = layout::place(&self.fixed, &wanted).map_err(does_not_fit)?;
        let start = |source: UniformSource| {
            ranges.iter().find(|range| range.source == source).map_or(0, |range| range.start)
        };
        let push_offset = push.map_or(0, |(low, _)| low);
        Ok(Placement {
            starts: self.slots.iter().map(|source| start(*source)).collect(),
            push_start: start(UniformSource::PushConstants { offset: push_offset }),
            push_offset,
            ranges,
        })
    }

    /// The memory recorded by [`Uniforms::note_readable`] in which the program computes offsets.
    pub(crate) fn readable(&self, placement: &Placement) -> Vec<Readable> {
        let indexed = self.readable.iter().filter(|block| block.is_indexed);
        let placed = indexed.filter_map(|block| {
            Some(Readable { address: placement.map(block.address).as_uniform()?, bytes: block.bytes })
        });
        placed.collect()
    }
}

fn does_not_fit(error: LayoutError) -> CompileError {
    let what = match error.what {
        UniformSource::PushConstants { .. } => "the push constants do not fit".to_owned(),
        _ => error.to_string(),
    };
    KitError::Uniforms { what }.into()
}

impl Placement {
    /// The final register for a provisional one; other sources are unchanged.
    pub fn map(&self, src: Src) -> Src {
        if src.kind != SrcKind::Uniform {
            return src;
        }
        let (slot, half) = (src.payload >> SLOT_SHIFT, src.payload as u16);
        if slot == UNDEFINED_SLOT {
            return Src::imm(0, src.bits);
        }
        let start = match self.starts.get(slot as usize) {
            Some(start) => start.wrapping_add(half),
            None => self.push_start.wrapping_add(half).wrapping_sub((self.push_offset / 2) as u16),
        };
        Src { payload: u64::from(start), ..src }
    }

    /// Half-words in use.
    pub fn halves(&self) -> u16 {
        self.ranges.last().map_or(0, |last| last.start.saturating_add(last.halves))
    }
}

fn provisional(slot: u64, half: u16, bits: u8) -> Src {
    Src { payload: slot << SLOT_SHIFT | u64::from(half), ..Src::uniform(0, bits) }
}

//! The uniform registers a shader reads. While the function is built they are numbered provisionally, as they come up;
//! when it is complete they are put into the order of the resource layout.

use agx_abi::layout::{MEMORY_BASE_HALVES, TEXTURE_TABLE_HALVES, UNIFORM_HALVES};
use agx_abi::{UniformRange, UniformSource};

use crate::error::CompileError;
use crate::ir::src::{Src, SrcKind};

/// Uniforms in the order in which they came up.
#[derive(Default)]
pub(super) struct Uniforms {
    slots: Vec<UniformSource>,
    /// First and last-plus-one byte of the push constants that are read directly.
    push: Option<(u32, u32)>,
    /// Ranges at fixed places before all others, ascending.
    fixed: Vec<UniformRange>,
}

/// Bits of a provisional payload below the slot number.
const SLOT_SHIFT: u32 = 16;

/// The slot number of the push constants.
const PUSH_SLOT: u64 = 0xffff_ffff;

/// The final places.
pub(super) struct Placement {
    /// What the driver fills.
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
            self.slots.len() - 1
        });
        provisional(slot as u64, half, bits)
    }

    /// Puts `ranges` at their places, before all others.
    pub fn reserve(&mut self, ranges: &[UniformRange]) {
        self.fixed = ranges.to_vec();
    }

    /// The register of `bits` bits that holds the push constant at byte `offset`.
    pub fn push_constant(&mut self, offset: u32, bits: u8) -> Src {
        let end = offset + u32::from(bits) / 8;
        self.push = Some(self.push.map_or((offset, end), |(low, high)| (low.min(offset), high.max(end))));
        provisional(PUSH_SLOT, (offset / 2) as u16, bits)
    }

    /// Orders the slots as the resource layout says.
    pub fn place(&self) -> Result<Placement, CompileError> {
        let mut order: Vec<usize> = (0..self.slots.len()).collect();
        order.sort_by_key(|slot| (rank(self.slots[*slot]), self.slots[*slot]));
        let mut placement = Placement {
            ranges: self.fixed.clone(),
            starts: vec![0; self.slots.len()],
            push_start: 0,
            push_offset: 0,
        };
        let fixed_end = self.fixed.last().map_or(0, |last| u32::from(last.start + last.halves));
        let mut next = fixed_end.next_multiple_of(u32::from(ADDRESS_HALVES));
        for slot in order {
            let (source, halves) = (self.slots[slot], halves(self.slots[slot]));
            if let Some(range) = self.fixed.iter().find(|range| range.source == source) {
                placement.starts[slot] = range.start;
                continue;
            }
            let limit = match source {
                UniformSource::TextureTable { .. } => TEXTURE_TABLE_HALVES,
                _ if halves == ADDRESS_HALVES => MEMORY_BASE_HALVES,
                _ => UNIFORM_HALVES,
            };
            if next + u32::from(halves) > u32::from(limit) {
                return Err(CompileError::limit(
                    "the shader uses more resources than fit into the uniform registers",
                ));
            }
            placement.starts[slot] = next as u16;
            placement.ranges.push(UniformRange { start: next as u16, halves, source });
            next += u32::from(halves);
        }
        if let Some((low, high)) = self.push {
            let (low, high) = (low & !3, high.next_multiple_of(4));
            let halves = (high - low) / 2;
            if next + halves > u32::from(UNIFORM_HALVES) {
                return Err(CompileError::limit("the push constants do not fit into the uniform registers"));
            }
            (placement.push_start, placement.push_offset) = (next as u16, low);
            let source = UniformSource::PushConstants { offset: low };
            placement.ranges.push(UniformRange { start: next as u16, halves: halves as u16, source });
        }
        Ok(placement)
    }
}

impl Placement {
    /// The final register for a provisional one; other sources stay as they are.
    pub fn map(&self, src: Src) -> Src {
        if src.kind != SrcKind::Uniform {
            return src;
        }
        let (slot, half) = (src.payload >> SLOT_SHIFT, src.payload as u16);
        let start = match self.starts.get(slot as usize) {
            Some(start) => *start + half,
            None => self.push_start + half - (self.push_offset / 2) as u16,
        };
        Src { payload: u64::from(start), ..src }
    }

    /// Half-words in use.
    pub fn halves(&self) -> u16 {
        self.ranges.last().map_or(0, |last| last.start + last.halves)
    }
}

fn provisional(slot: u64, half: u16, bits: u8) -> Src {
    Src { payload: slot << SLOT_SHIFT | u64::from(half), ..Src::uniform(0, bits) }
}

/// Half-words of a 64-bit address.
const ADDRESS_HALVES: u16 = 4;

fn halves(source: UniformSource) -> u16 {
    match source {
        UniformSource::BufferSize { .. }
        | UniformSource::SamplePositions
        | UniformSource::ViewIndex
        | UniformSource::VertexCount => 2,
        UniformSource::WorkgroupCount => 6,
        UniformSource::TextureWords { .. } => 12,
        _ => ADDRESS_HALVES,
    }
}

/// Place in the resource layout.
fn rank(source: UniformSource) -> u8 {
    match source {
        UniformSource::TextureTable { .. } => 0,
        UniformSource::BufferAddress { .. } => 1,
        UniformSource::DescriptorTable { .. } | UniformSource::SamplerTable { .. } => 2,
        UniformSource::ConstantAddress | UniformSource::PushConstantAddress => 3,
        UniformSource::BufferSize { .. } => 4,
        _ => 5,
    }
}

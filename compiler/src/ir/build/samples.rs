//! Where the samples of a multisampled image are. The hardware stores to no such image: programs store to a plane of all its
//! samples in the order of memory ([`TargetHeap::SAMPLES_PER_ROW`]).

use agx_abi::fragment::TargetHeap;

use crate::ir::{Arithmetic, Builder, Src};

/// The layout of an image in memory, 32 bits each (`agx_abi::fragment::SampledTarget`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Samples {
    /// Last column and row of a tile.
    pub last: [Src; 2],
    /// Texels of a row of tiles along x.
    pub stride: Src,
    /// Samples between layers.
    pub layer_samples: Src,
    /// Logarithm of the number of samples of a texel.
    pub shift: Src,
}

impl Samples {
    /// Column and row of a sample of a texel in the plane.
    pub fn in_plane(
        &self,
        b: &mut Builder<'_, '_>,
        pixel: &[Src; 2],
        layer: Option<Src>,
        sample: Src,
    ) -> [Src; 2] {
        let number = self.number(b, pixel, layer, sample);
        let column = b.and(number, Src::imm32(TargetHeap::SAMPLES_PER_ROW - 1));
        [column, b.ushr(number, Src::imm32(TargetHeap::SAMPLES_PER_ROW.trailing_zeros()))]
    }

    /// The number of a sample of a texel, in the order of memory.
    pub fn number(&self, b: &mut Builder<'_, '_>, pixel: &[Src; 2], layer: Option<Src>, sample: Src) -> Src {
        let texel = texel_number(b, pixel, (self.last, self.stride));
        let first = b.shl(texel, self.shift);
        let number = b.iadd(first, sample);
        match layer {
            Some(layer) => {
                let start = b.imul(layer, self.layer_samples);
                b.iadd(start, number)
            }
            None => number,
        }
    }
}

/// The number of a texel in its layer, in the order of memory. `last` is the last column and row of a tile, `stride` the
/// texels of a row of tiles along x.
pub(crate) fn texel_number(
    b: &mut Builder<'_, '_>,
    pixel: &[Src; 2],
    (last, stride): ([Src; 2], Src),
) -> Src {
    let ([column, row], [last_column, last_row]) = (*pixel, last);
    let (inner_column, inner_row) = (b.and(column, last_column), b.and(row, last_row));
    let (left, top) = (b.isub(column, inner_column), b.isub(row, inner_row));
    let before = b.imul(top, stride);
    let height = b.iadd(last_row, Src::imm32(1));
    let beside = b.imul(left, height);
    let within = b.interleave(inner_column, inner_row);
    let tile = b.iadd(before, beside);
    b.iadd(tile, within)
}

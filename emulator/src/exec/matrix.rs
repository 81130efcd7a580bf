//! 8×8 matrix products spread over the 32 lanes.
//!
//! Layout and mixed precision as measured on M1 (cooperative-matrix experiments): a lane has two neighbouring elements
//! of a row in two consecutive registers. Order and rounding within a dot product are not known; here products are
//! added in ascending order, with one rounding to 32 bits per step.

use agx_isa::inst::{Inst, Size};
use agx_isa::key;
use half::f16;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::findings::{FindingKind, Observation};
use crate::group::{Group, LANES};
use crate::registers::{Dst, Place, Src, lanes_of};

/// Rows and columns of a tile.
const SIDE: usize = 8;

type Tile = [[f32; SIDE]; SIDE];

/// `dst = a · b + c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    dst: Dst,
    a: Src,
    b: Src,
    c: Src,
}

impl Matrix {
    /// Resolves the four tiles.
    pub(crate) fn new(inst: &Inst) -> Option<Matrix> {
        let fields = Fields::new(inst);
        let dst = Dst::new(fields.get(key::DST))?;
        Some(Matrix { dst, a: fields.source(key::A), b: fields.source(key::B), c: fields.source(key::C) })
    }

    /// Multiplies; the sources of all lanes are used, and only active lanes receive results.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let (a, b) = (read(&self.a, group)?, read(&self.b, group)?);
        let mut sum = read(&self.c, group)?;
        if overlaps(self.dst, &self.a) || overlaps(self.dst, &self.b) {
            core.notes.push(FindingKind::MatrixOverlap.into());
        }
        let places = [&self.a, &self.b, &self.c].map(|src| src.place);
        let is_odd = |place: Place| matches!(place, Place::Register(half) if !half.is_multiple_of(2));
        if !self.dst.half.is_multiple_of(2) || places.into_iter().any(is_odd) {
            core.notes.push(FindingKind::MatrixUnaligned.into());
        }
        for (row, sums) in sum.iter_mut().enumerate() {
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum = (0..SIDE).fold(*sum, |sum, at| a[row][at].mul_add(b[at][column], sum));
            }
        }
        for lane in lanes_of(group.exec) {
            let (row, column) = place(lane);
            for at in 0..2 {
                let value = sum[row][column + at];
                let bits = match self.dst.size {
                    Size::B16 => u64::from(f16::from_f32(value).to_bits()),
                    _ => u64::from(value.to_bits()),
                };
                group.write(self.dst.following(at as u32), bits, lane);
            }
        }
        Ok(())
    }
}

/// Row and first column of a lane's elements.
fn place(lane: usize) -> (usize, usize) {
    let quarter = lane >> 3;
    ((quarter >> 1) * 4 + (lane >> 1 & 3), (quarter & 1) * 4 + (lane & 1) * 2)
}

fn read(src: &Src, group: &Group) -> Result<Tile, Observation> {
    let Place::Register(half) = src.place else {
        return Err(FindingKind::Unsupported("a matrix that is not in registers").into());
    };
    let first = Dst { half, size: src.size };
    let mut tile = [[0.0; SIDE]; SIDE];
    for lane in 0..LANES {
        let (row, column) = place(lane);
        for at in 0..2 {
            let bits = group.read(first.following(at as u32).half, src.size, lane);
            tile[row][column + at] = match src.size {
                Size::B16 => f16::from_bits(bits as u16).to_f32(),
                _ => f32::from_bits(bits as u32),
            };
        }
    }
    Ok(tile)
}

/// Whether two register pairs share a half register; the hardware's result is then wrong.
fn overlaps(dst: Dst, src: &Src) -> bool {
    let Place::Register(half) = src.place else { return false };
    let end = |half: u8, size: Size| u32::from(half) + 2 * u32::from(size.halves());
    u32::from(dst.half) < end(half, src.size) && u32::from(half) < end(dst.half, dst.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_lane() {
        let mut owners = [[0; SIDE]; SIDE];
        for lane in 0..LANES {
            let (row, column) = place(lane);
            owners[row][column] += 1;
            owners[row][column + 1] += 1;
        }
        assert_eq!(owners, [[1; SIDE]; SIDE]);
        assert_eq!(
            (place(0), place(1), place(2), place(8), place(16)),
            ((0, 0), (0, 2), (1, 0), (0, 4), (4, 0))
        );
    }
}

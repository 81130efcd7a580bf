//! Values of render commands, as Mesa's driver 26.1 submits them.

use crate::record::render_command;
use crate::tile::TileLayout;

/// Least w of a vertex; nearer ones are clipped.
pub const LEAST_W: f32 = 1e-10;

/// Bits of [`render_command::CLEAR_STENCIL`] beside the stencil value. They are those with which the vendor's older GPUs mark
/// a background object that has a program: without them nothing clears or loads the tile.
const BACKGROUND_OBJECT: u64 = 0x300;

/// Bits of the address of a background or end-of-tile program.
const TILE_PROGRAM: u64 = 4;

/// The tangent of 60°, as a float.
const TAN_60: f32 = 1.732_051;

/// The stencil value before the draws, in its field.
pub const fn clear_stencil(stencil: u8) -> u64 {
    BACKGROUND_OBJECT | stencil as u64
}

/// Whether the field has the bits that every driver sets; bits above the stencil's are ignored.
pub(crate) const fn is_clear_stencil(value: u64) -> bool {
    value & BACKGROUND_OBJECT == BACKGROUND_OBJECT
}

/// The words of a background or end-of-tile program at an address relative to the shader base, in their field.
pub const fn tile_program(address: u64) -> u64 {
    address | TILE_PROGRAM
}

/// The address of a background or end-of-tile program in its field.
pub const fn tile_program_address(field: u64) -> u64 {
    field & !0x3f
}

/// Whether a field has the address of such a program.
pub(crate) const fn is_tile_program(field: u64) -> bool {
    field == tile_program(tile_program_address(field))
}

/// The parameter for merging triangles, of a pass with this number of pixels along an axis.
pub fn merge_factor(pixels: u32) -> f32 {
    TAN_60 / pixels as f32
}

/// Pixels of a tile along both axes, for the samples of a command.
pub(crate) fn tile_size(command: &[u8]) -> [u64; 2] {
    let sample_bytes = render_command::SAMPLE_BYTES.get(command) as u16;
    let samples = render_command::SAMPLES.get(command).clamp(1, 4) as u32;
    TileLayout { sample_bytes, ..TileLayout::default() }.tile_size(samples).map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_production_driver() {
        // MERGE_X of passes with 256 and 48 pixels, CLEAR_STENCIL of a pass without and with stencil, BACKGROUND.
        assert_eq!([256, 48].map(merge_factor), [0.006_765_824_3, 0.036_084_395]);
        assert_eq!([0, 0x13].map(clear_stencil), [0x300, 0x313]);
        assert_eq!(tile_program(0xfff9_0000), 0xfff9_0004);
        assert!(is_tile_program(0xfff9_0084) && !is_tile_program(0xfff9_0080));
        assert_eq!(tile_program_address(0xfff9_0084), 0xfff9_0080);
    }
}

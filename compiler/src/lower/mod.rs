//! Lowerings: each replaces operations the machine does not have by operations it has.

mod address;
mod barrier;
mod control_flow;
mod cull_distance;
mod discard_zs_emit;
mod divergent_shuffle;
mod division;
mod float64;
mod float_division;
mod frag_sidefx;
mod frame;
mod int64;
mod int8;
mod interpolation;
mod last_varying;
mod local;
mod multiply_high;
mod operands;
mod sample_mask;
mod scratch;
mod select;
pub(crate) mod subgroups;
#[cfg(test)]
mod test_arithmetic;
mod test_kernel;
mod texture;
mod trigonometry;
mod unreachable;
mod varyings;

pub use address::lower_address;
pub use barrier::lower_barrier;
pub use control_flow::lower_control_flow;
pub use cull_distance::lower_cull_distance;
pub use discard_zs_emit::lower_discard_zs_emit;
pub use divergent_shuffle::{index_half, lower_divergent_shuffle, shuffles_with_lanes_off};
pub use division::lower_division;
pub use float_division::lower_float_division;
pub use float64::lower_float64;
pub use frag_sidefx::lower_frag_sidefx;
pub use frame::{Frame, frame_words, lower_frame};
pub use int8::lower_int8;
pub use int64::lower_int64;
pub use interpolation::lower_interpolation;
pub use last_varying::lower_last_varying;
pub use local::lower_local;
pub use multiply_high::lower_multiply_high;
pub use operands::lower_operands;
pub use sample_mask::lower_sample_mask;
pub use scratch::lower_scratch;
pub use select::lower_select;
pub use subgroups::lower_subgroups;
pub use test_kernel::lower_test_kernel;
pub use texture::lower_texture;
pub use trigonometry::lower_trigonometry;
pub use unreachable::lower_unreachable;
pub use varyings::lower_varyings;

use crate::ir::Function;

/// Whether a value or an operand has a given number of bits. Operands alone do where all they name are uniforms or constants.
fn uses_width(f: &Function<'_>, bits: u8) -> bool {
    let reads = |src: &crate::ir::Src| f.width(*src) == bits;
    f.values.keys().any(|value| f.ty(value).bits == bits)
        || f.insts.keys().any(|inst| f.insts[inst].srcs.iter().any(reads))
}

//! Lowerings: each replaces operations the machine does not have by operations it has.

mod address;
mod alu;
mod barrier;
mod bits8;
mod control_flow;
mod divergent_shuffle;
mod division;
mod float64;
mod float_division;
mod frame;
mod int64;
pub mod interpolation;
mod kernel;
mod local;
mod multiply_high;
mod operands;
mod sample_mask;
mod scratch;
mod select;
pub(crate) mod subgroups;
#[cfg(test)]
mod test_arithmetic;
pub mod texture;
mod trigonometry;
mod unreachable;
mod varyings;

pub use address::lower_address;
pub use barrier::lower_barrier;
pub use bits8::lower_bits8;
pub use control_flow::lower_control_flow;
pub use divergent_shuffle::{lower_divergent_shuffle, needs_index_register};
pub use division::lower_division;
pub use float_division::lower_float_division;
pub use float64::lower_float64;
pub use frame::{frame_words, lower_frame};
pub use int64::lower_int64;
pub use interpolation::lower_interpolation;
pub use kernel::lower_kernel;
pub use local::lower_local;
pub use multiply_high::lower_multiply_high;
pub use operands::lower_operands;
pub use sample_mask::lower_sample_mask;
pub use scratch::lower_scratch;
pub use select::lower_select;
pub use subgroups::lower_subgroups;
pub use texture::lower_texture;
pub use trigonometry::lower_trigonometry;
pub use unreachable::lower_unreachable;
pub use varyings::{lower_last_varying, lower_varyings};

use select::{TABLE_AND, TABLE_MOV, TABLE_OR, TABLE_XOR};

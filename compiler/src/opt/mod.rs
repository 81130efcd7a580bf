//! Optimisations, which preserve the stage of a function. Each pass has its own file and a function of the
//! same name.

mod algebraic;
mod bit_reversal;
mod constant_folding;
mod copy_prop;
mod cse;
mod dce;
mod flatten;
mod fuse;
mod linear;
mod loop_bounds;
mod memory;
mod move_to_vertex;
mod narrow;
mod nest_conditions;
mod place;
mod preamble;
mod promote_constants;
mod ranges;
mod simplify;
mod simplify_control;
#[cfg(test)]
mod tests;
mod unroll;
mod vectorize_memory;

pub(crate) use cse::has_equal;
pub use cse::opt_cse;
pub(crate) use dce::has_unused;
pub use dce::opt_dce;
pub use fuse::opt_fuse;
pub use linear::opt_linear;
pub use memory::opt_memory;
pub use move_to_vertex::opt_move_to_vertex;
pub use narrow::opt_narrow;
pub use nest_conditions::opt_nest_conditions;
pub use place::opt_place;
pub use preamble::opt_preamble;
pub use promote_constants::opt_promote_constants;
pub use ranges::opt_ranges;
pub use simplify::opt_simplify;
pub use simplify_control::opt_simplify_control;
pub use unroll::opt_unroll;
pub use vectorize_memory::opt_vectorize_memory;

use crate::context::Context;
use crate::ir::key;
use crate::ir::{Access, Function, InstData, IrOp, Op};

/// The first free half-word of the uniform file: after those that the driver fills, those that a preamble
/// writes, and those that a function written as text reads. The info of a function that is built in code names all that it
/// reads.
fn first_free_uniform(f: &Function<'_>, context: &Context<'_>) -> u16 {
    let info = &context.facts.info;
    info.filled_halves().max(f.declared.uniform_halves).max(info.uniform_halves)
}

/// Whether sums and products may be regrouped and multiplied out: rounding, the sign of a zero, and infinities are not
/// significant.
fn may_regroup(f: &Function<'_>) -> bool {
    f.contract && !f.signed_zeros && !f.special_values
}

/// Whether an instruction has only default modifiers, and so do its sources.
fn is_plain(data: &InstData<'_>) -> bool {
    data.mods.iter().all(|field| *field == 0) && data.srcs.iter().all(|src| src.flags.is_empty())
}

/// Whether a load may be removed if its result is unused, although it reads memory that others write.
fn is_removable_load(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(IrOp::LoadGlobal | IrOp::LoadTexture) => !data.get(key::ACCESS).contains(Access::VOLATILE),
        Op::Ir(IrOp::LoadScratch | IrOp::LoadLocal) => true,
        _ => false,
    }
}

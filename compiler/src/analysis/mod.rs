//! Analyses: pure functions from a [`Function`](crate::ir::function::Function) to a side table. None of them changes
//! the function, none survives a change of it.

pub mod bitset;
pub mod coverage;
pub mod divergence;
pub mod dominance;
pub mod liveness;
pub(crate) mod memory;
pub mod next_use;
pub mod pressure;
pub mod ranges;
pub(crate) mod regions;
pub(crate) mod uniform_branches;
pub mod uses;

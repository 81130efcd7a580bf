//! Analyses: pure functions from a [`Function`](crate::ir::function::Function) to a side table. None of them changes
//! the function, none survives a change of it.

pub mod bitset;
pub mod coverage;
pub mod divergence;
pub mod dominance;
pub mod liveness;
pub mod next_use;
pub mod pressure;
pub mod ranges;
pub mod uses;

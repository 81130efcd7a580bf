//! Analyses: pure functions from a [`Function`](crate::ir::function::Function) to a side table. They do not
//! modify the function, and any change to it invalidates their results.

pub mod bitset;
pub mod coverage;
pub mod divergence;
pub mod dominance;
pub(crate) mod draw_words;
pub(crate) mod exact;
pub(crate) mod float_bounds;
pub(crate) mod homes;
pub(crate) mod iterations;
pub mod liveness;
pub(crate) mod memory;
pub(crate) mod movable;
pub mod next_use;
pub mod pressure;
pub mod ranges;
pub(crate) mod regions;
pub(crate) mod repeatable;
pub(crate) mod unit_vectors;
pub(crate) mod users;
pub mod uses;

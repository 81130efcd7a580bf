//! Construction of SSA form: [`Variables`] become values while a front end builds a function, and
//! [`dominance_repair`] restores dominance after edges were added.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

pub(crate) mod dominance_repair;
mod named;
mod variables;

pub(crate) use named::NamedVariables;
pub use variables::{Variable, Variables};

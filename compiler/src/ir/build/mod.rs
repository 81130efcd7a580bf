//! Builders on top of `ir::Build`: scalar arithmetic ([`alu::Arithmetic`]), tile loads and stores
//! (`tile`), render targets in memory (`spilled`).

pub mod alu;
pub(crate) mod samples;
pub(crate) mod spilled;
pub(crate) mod tile;

pub use alu::Arithmetic;

//! What is built on top of [`Build`](super::Build): scalar arithmetic ([`alu::Arithmetic`]), loads from the tile ([`tile`]),
//! render targets in memory ([`spilled`]).

pub mod alu;
pub(crate) mod spilled;
pub(crate) mod tile;

pub use alu::Arithmetic;

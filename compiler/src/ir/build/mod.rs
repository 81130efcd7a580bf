//! What is built on top of [`Builder`](super::Builder): scalar arithmetic ([`alu`]), loads from the tile ([`tile`]), render
//! targets in memory ([`spilled`]). Front ends and `link` use them.

pub mod alu;
pub(crate) mod spilled;
pub(crate) mod tile;

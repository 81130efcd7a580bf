//! The AGX instruction set (Apple G13 and G14: M1 and M2) as one table.
//!
//! Everything here is derived from [`INSTS`]: encoder, total decoder, assembler, disassembler, semantics, timing.

pub mod desc;
pub mod inst;
pub mod semantics;

//! The AGX instruction set (Apple G13 and G14: M1 and M2) as one table.
//!
//! Everything in this crate is derived from [`INSTS`]: encoder, total decoder, assembler, disassembler,
//! semantics, timing.

pub mod alias;
pub mod asm;
pub mod decode;
pub mod desc;
pub mod dialect;
pub mod disasm;
pub mod encode;
pub mod field;
pub mod half;
pub mod half_set;
pub mod inst;
pub mod key;
pub mod minifloat;
pub mod operand;
pub mod reference;
pub mod semantics;
pub mod sr;
pub mod table;
pub mod timing;
pub mod validate;

pub use decode::{DecodeError, decode};
pub use encode::{EncodeError, Encoded, encode};
pub use inst::{Inst, Operand, OperandFlags, Size, Tag};
pub use table::{INSTS, Opcode};

//! AGAL, the byte code of Flash's Stage3D.
//!
//! A shader exists in three forms:
//!
//! * **bytes**, as a player receives them;
//! * a [`Program`]: the tokens of the bytes, lossless, read by [`Program::read`] and written by
//!   [`Program::write`]. [`assemble`] parses the syntax of AGALMiniAssembler, and [`disassemble`] prints a
//!   program;
//! * a [`Shader`]: instructions with typed operands, made by [`Program::check`]. A shader is valid: blocks
//!   nest, registers exist, and operands fit their instructions. Its users need no error handling.
//!
//! [`Mode::Strict`] rejects what the document or Adobe's player rejects. [`Mode::Tolerant`] accepts what
//! existing writers emit; [`Rule`] lists every rule with Adobe's error number and the behaviour of the
//! tolerant mode.
//!
//! All of them use one table of opcodes ([`OPCODES`]) and one table of register files ([`FILES`]), which has
//! the limits. The feature `interpret` adds the interpreter (`interpret::run`), which follows the document
//! literally.

#![forbid(unsafe_code)]

mod arithmetic;
mod assemble;
mod check;
mod disassemble;
#[cfg(feature = "interpret")]
pub mod interpret;
mod link;
mod opcode;
mod program;
mod register;
mod rule;
mod sampler;
mod shader;
mod token;

pub use assemble::{
    AssembleError, AssembleOptions, Assembled, Place, TokenPlaces, assemble, assemble_with_places,
    has_directive,
};
pub use check::Mode;
pub use disassemble::disassemble;
pub use link::link;
pub use opcode::{Axis, OPCODES, Opcode, OpcodeRow, Operands, Semantics, Stages};
pub use program::{HEADER_BYTES, Program, ReadError, Stage, Version};
pub use register::{FILES, FileRow, RegisterFile};
pub use rule::{Field, Found, RULES, Rule, RuleRow, Violation};
pub use sampler::{Dimension, Filter, Mip, SAMPLER_WORDS, SamplerSettings, SamplerWord, Wrap};
pub use shader::{Index, Instruction, Interface, Read, Shader, TextureUse, Write};
pub use token::{DestinationWord, SamplerField, SourceWord, TOKEN_BYTES, Token};

//! PICA200, the shader code of the Nintendo 3DS: vertex and geometry programs.
//!
//! * [`opcode::OPCODES`] is the table of opcodes. [`inst`] decodes and encodes words by its rows: a word with
//!   a known opcode decodes and encodes to the same bits.
//! * [`descriptor`] has operand descriptors: the write masks, selectors and signs that instructions refer to
//!   by number.
//! * [`container`] reads and writes DVLB files; a [`Program`] alone is what an emulator finds in its
//!   registers.
//! * [`asm`] assembles picasso's syntax; [`disasm`] prints text that assembles to the same words.
//! * [`validate`] checks the rules of the hardware.
//! * `interpret` (feature `interpret`) executes programs; it is an oracle for tests.
//!
//! The facts come from 3dbrew's public descriptions, from the assembler picasso and from the behaviour of the
//! emulators Citra and Azahar; docs/pica200.md of the workspace lists the facts with a single source.

#![forbid(unsafe_code)]

pub mod asm;
pub mod container;
pub mod descriptor;
pub mod disasm;
pub mod f24;
pub mod inst;
#[cfg(feature = "interpret")]
pub mod interpret;
pub mod opcode;
pub mod program;
pub mod register;
pub mod validate;

pub use asm::{AsmError, AsmWarning, Assembled, Place, assemble, assemble_all, assemble_with_places};
pub use container::{Container, ContainerError};
pub use descriptor::Descriptor;
pub use inst::Inst;
pub use opcode::{Opcode, OpcodeDesc};
pub use program::{Geometry, GeometryMode, Output, Program, Semantic, Shader, Stage};

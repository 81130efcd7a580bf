//! TGSI, the shader text of Gallium, Mesa's driver interface since 2008.
//!
//! [`parse`] reads text, [`print()`] writes it, [`validate()`] checks the rules, [`binary`] reads and writes
//! tokens, and the feature `interpret` runs shaders. [`OPCODES`] is the table of opcodes.
//!
//! ```
//! let shader = agx_tgsi::parse("FRAG DCL OUT[0], COLOR IMM FLT32 {1.0, 0.5, 0.25, 1.0} MOV OUT[0], IMM[0] END")?;
//! agx_tgsi::validate(&shader)?;
//! assert_eq!(agx_tgsi::parse(&agx_tgsi::print(&shader))?, shader);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod binary;
mod error;
mod flow;
#[cfg(feature = "interpret")]
pub mod interpret;
mod model;
mod names;
mod opcode;
mod parse;
mod print;
mod validate;

pub use error::{Fault, ParseError, TokenError, ValidateError};
pub use flow::{Flow, flow};
pub use model::{
    ALL_COMPONENTS, Access, Declaration, Detail, Dst, IDENTITY, Immediate, Index, Indirect, Instruction,
    Interpolate, Offset, Place, Predicate, Property, Range, Saturate, Semantic, Shader, Src, Texture,
};
pub use names::{
    CoordOrigin, DepthLayout, File, ImmediateType, Interpolation, Location, MemoryKind, PixelCenter,
    Primitive, Processor, PropertyName, Qualifier, ReturnType, STAGE_NUMBERS, SemanticName, Target,
};
pub use opcode::{Class, Generation, OPCODES, Opcode, OpcodeInfo, Type};
pub use parse::{is_tgsi, parse};
pub use print::print;
pub use validate::{is_compiled_stage, validate, view_target};

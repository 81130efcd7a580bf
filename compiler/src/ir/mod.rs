//! The IR: scalar SSA over basic blocks, with structured control flow.
//!
//! One IR serves from front end to encoding; [`types::Stage`] describes how far a function has been lowered
//! and which operations may remain. docs/ir.md is the reference.

mod access;
pub mod build;
pub mod builder;
mod cfg;
pub mod entity;
pub mod families;
pub mod function;
pub mod insert;
pub mod interpret;
pub mod key;
mod layout;
pub mod machine;
mod memory;
pub mod named;
pub mod op;
mod parse;
pub mod print;
#[cfg(test)]
mod reference;
pub mod rewrite;
pub(crate) mod row_table;
pub mod rows;
mod semantics;
pub mod signature;
pub mod source;
pub mod src;
pub mod table;
mod text;
pub mod types;
pub mod validate;
pub mod vectors;
pub mod vocabulary;
pub mod watch;

pub use build::Arithmetic;
pub use builder::Builder;
pub(crate) use cfg::{ConstructEnd, has_left, repair_phis};
pub use entity::{Block, Entity, Inst, Value};
pub use function::{Access, Function, InstData, InstList, Readable, Seam, Segment, UnrollHint};
pub use insert::{Build, FloatMode};
pub use interpret::interpret;
pub(crate) use layout::end_of_region;
pub use op::{IrOp, Op};
pub use parse::{parse, parse_with_registers};
pub use print::Notes;
pub use rewrite::{Rewrite, Rewriter};
pub use source::{Position, Sources};
pub use src::{Src, SrcKind};
pub use table::{ScratchSide, Side};
pub(crate) use text::is_float_source;
pub use types::{Stage, Type};
pub use validate::{Violation, validate};

//! The IR: scalar SSA over basic blocks with structured control flow beside them.
//!
//! One IR serves from front end to encoding; [`types::Stage`] says how far a function has been lowered and which
//! operations may remain. docs/ir.md says what everything means.

pub mod builder;
mod cfg;
pub mod entity;
pub mod function;
pub mod op;
pub mod rewrite;
mod semantics;
pub mod signature;
pub mod src;
pub mod table;
pub mod types;

pub use builder::Builder;
pub use entity::{Block, Entity, Inst, Value};
pub use function::{Access, BlockData, Function, InstData, Seam, Segment};
pub use op::{IrOp, Op};
pub use rewrite::{Rewrite, Rewriter};
pub use src::{Src, SrcKind};
pub use table::{Side, Table};
pub use types::{Stage, Type};

//! A debugger over the reference machine.
//!
//! A [`Session`] executes a dispatch instruction by instruction. The machine is deterministic, so going back is continuing
//! from an earlier copy of its state: see [`Session::back`]. [`Console`] reads commands as text, which a terminal, an
//! editor and tests share. The crate depends on the machine alone; [`Symbols`] bring what a compiler knows about the code.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod breakpoint;
mod checkpoints;
mod code;
mod console;
mod expression;
mod lanes;
mod session;
mod shadow;
mod symbols;
mod textures;

pub use breakpoint::{Breakpoint, BreakpointError, Filter};
pub use code::{Code, Instruction, Part, Spot};
pub use console::{Console, ConsoleError, Reply, number};
pub use expression::{Class, Datum, Expression, ExpressionError, Kind, Scope, Value};
pub use lanes::{Lane, lanes};
pub use session::{Location, Session, Step, Stopped};
pub use symbols::{Change, Content, Definition, Leaf, LineRow, Moment, PartSymbols, Symbols, Variable};
pub use textures::textures;

//! The state of a translation besides values: memory and function bodies.

use std::rc::Rc;

use agx_abi::KernelInfo;
use bumpalo::Bump;

use super::cfg::Body;
use super::module::Module;
use super::pointer::{Held, Pointer};
use super::types::Ty;
use super::usage::Usage;
use super::values::Here;
use super::words::Instructions;
use crate::frontend::kit::control::Walk;
use crate::frontend::kit::limits::Budget;
use crate::ir::entity::Block;
use crate::ir::rows::Rows;
use crate::ir::src::Src;

/// Variables and their memory.
pub(super) struct Memory<'a> {
    /// The pointer to each module-scope variable.
    pub globals: Rows<Option<&'a Pointer<'a>>>,
    pub constants: Constants<'a>,
    pub usage: Usage<'a>,
    /// What is known of a kernel so far.
    pub kernel: Option<Box<KernelInfo>>,
    /// The first byte of the workgroup memory that operations of the workgroup use.
    pub slots: Option<u32>,
}

impl<'a> Memory<'a> {
    /// No variable is allocated yet.
    pub fn new(module: &Module<'a>) -> Self {
        Memory {
            globals: Rows::filled(module.globals.len(), None),
            constants: Constants::default(),
            usage: Usage::default(),
            kernel: None,
            slots: None,
        }
    }
}

/// The constant section.
#[derive(Default)]
pub(super) struct Constants<'a> {
    /// The arrays in it with their offsets.
    pub arrays: Vec<(Ty, &'a [Src], u32)>,
}

/// A function being translated.
pub(super) struct Frame<'a> {
    pub function: usize,
    pub body: Rc<Body<'a>>,
    /// The position of the call in the caller.
    pub caller: Option<Here<'a>>,
    /// The rest of the current block, and its end.
    pub rest: Option<(Instructions<'a>, usize)>,
    /// The position in the plan, and the open constructs.
    pub walk: Walk,
    /// A place for the result.
    pub result: Held<'a>,
    /// Id of the result in the caller.
    pub call: u32,
    /// Source line of the call.
    pub line: u32,
    /// Bytes of stack memory in use before the call.
    pub stack_bytes: u32,
}

/// The state of a phi.
#[derive(Clone, Copy, Default)]
pub(super) struct Phi<'a> {
    /// A place for its value, with its type.
    pub held: Option<(Held<'a>, Ty)>,
    /// A place for a large value until all phis of the block have been read.
    pub next: Option<Held<'a>>,
    /// The call of the function that the places are for.
    pub call: u32,
    /// The operand after the one that was found last.
    pub cursor: u32,
}

/// Function bodies: those read so far, and the open calls.
pub(super) struct Bodies<'a> {
    /// By function.
    pub read: Rows<Option<Rc<Body<'a>>>>,
    /// Open calls, the innermost last.
    pub frames: Vec<Frame<'a>>,
    /// Number of calls so far.
    pub calls: u32,
    /// The block in which the last block of the module began, and whether it was empty.
    pub entered: (Option<Block>, bool),
    /// By id.
    pub phis: &'a mut [Phi<'a>],
    pub budget: Budget,
    /// Number of instructions counted for limit checks.
    pub checked: u32,
}

impl<'a> Bodies<'a> {
    /// No body has been read.
    pub fn new(bump: &'a Bump, module: &Module<'a>) -> Self {
        Bodies {
            read: Rows::filled(module.functions.len(), None),
            frames: Vec::new(),
            calls: 0,
            entered: (None, false),
            phis: bump.alloc_slice_fill_copy(module.defs.len(), Phi::default()),
            budget: Budget::default(),
            checked: 0,
        }
    }
}

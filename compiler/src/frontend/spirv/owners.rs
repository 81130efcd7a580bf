//! Who knows what while a module is translated, beside values: memory and function bodies.

use std::rc::Rc;

use super::cfg::Body;
use super::module::Module;
use super::pointer::Pointer;
use super::types::Ty;
use super::usage::Usage;
use super::values::Here;
use super::words::Instructions;
use crate::frontend::kit::control::Walk;
use crate::frontend::kit::limits::Budget;
use crate::frontend::rows::Rows;
use crate::frontend::ssa::Variable;
use crate::ir::src::Src;

/// Variables and the memory they are in.
pub(super) struct Memory<'a> {
    /// What each module-scope variable turned into.
    pub globals: Rows<Option<Pointer<'a>>>,
    pub constants: Constants<'a>,
    pub usage: Usage<'a>,
}

impl<'a> Memory<'a> {
    /// No variable has a place yet.
    pub fn new(module: &Module<'a>) -> Self {
        Memory {
            globals: Rows::filled(module.globals.len(), None),
            constants: Constants::default(),
            usage: Usage::default(),
        }
    }
}

/// The constant section.
#[derive(Default)]
pub(super) struct Constants<'a> {
    /// Arrays in it with where they start.
    pub arrays: Vec<(Ty, &'a [Src], u32)>,
}

/// A function being translated.
pub(super) struct Frame<'a> {
    pub function: usize,
    pub body: Rc<Body<'a>>,
    /// The place of the call in the caller.
    pub caller: Option<Here<'a>>,
    /// Rest of the block being translated, and where it ends.
    pub rest: Option<(Instructions<'a>, usize)>,
    /// Where in the plan it is, and what is open.
    pub walk: Walk,
    /// Variables of the result.
    pub result: Variable,
    /// Id that the result is given in the caller.
    pub call: u32,
    /// Source line of the call.
    pub line: u32,
}

/// Function bodies: those that have been read, and the calls that are open.
pub(super) struct Bodies<'a> {
    /// By function.
    pub read: Rows<Option<Rc<Body<'a>>>>,
    /// Open calls, the innermost last.
    pub frames: Vec<Frame<'a>>,
    /// Calls so far.
    pub calls: u32,
    /// Variables for the scalars of a phi with its type, by its id.
    pub phis: Vec<Option<(Variable, Ty)>>,
    /// By id of a phi, the operand after the one that was looked up last.
    pub phi_cursors: Vec<u32>,
    pub budget: Budget,
    /// Instructions for which limits were asked about.
    pub asked: u32,
}

impl<'a> Bodies<'a> {
    /// No body has been read.
    pub fn new(module: &Module<'a>) -> Self {
        Bodies {
            read: Rows::filled(module.functions.len(), None),
            frames: Vec::new(),
            calls: 0,
            phis: vec![None; module.defs.len()],
            phi_cursors: vec![0; module.defs.len()],
            budget: Budget::default(),
            asked: 0,
        }
    }
}

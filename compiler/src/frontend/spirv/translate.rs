//! The translator: the state of the translation, parts of which are passed to handlers, and the open calls.

use std::rc::Rc;

use bumpalo::Bump;

use super::cfg::{Body, Cfg};
use super::eval::Place;
use super::interface::StageIo;
use super::module::{Def, Module};
use super::owners::{Bodies, Frame, Memory};
use super::values::{Here, Values};
use super::words::Inst;
use crate::error::{CompileError, FlowError, KitError, TypeError};
use crate::frontend::kit::Kit;
use crate::frontend::kit::control::{Walk, structurize};
use crate::frontend::kit::limits::MAX_CALL_DEPTH;
use crate::frontend::ssa::Variable;

/// The state of the translation of a function.
pub(super) struct Translator<'t, 'a> {
    /// The meaning of ids, and values.
    pub values: Values<'t, 'a>,
    /// The functions being translated.
    pub bodies: Bodies<'a>,
    /// Variables and their memory.
    pub memory: Memory<'a>,
    /// Inputs and outputs of the stage.
    pub io: StageIo<'a>,
}

impl<'t, 'a> Translator<'t, 'a> {
    /// A translator of `module` into the function of `kit`.
    pub fn new(kit: Kit<'t, 'a>, bump: &'a Bump, module: &'t Module<'a>) -> Self {
        Translator {
            values: Values::new(kit, bump, module),
            bodies: Bodies::new(bump, module),
            memory: Memory::new(module),
            io: StageIo::default(),
        }
    }

    /// The innermost open call.
    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.bodies.frames.last_mut().expect("invariant: a function is being translated")
    }

    fn body(&mut self, function: usize) -> Result<Rc<Body<'a>>, CompileError> {
        if let Some(body) = &self.bodies.read[function] {
            return Ok(body.clone());
        }
        let module = self.values.module;
        let cfg = Cfg::read(module, module.function(function)?, &self.values.kit.b.f.watch)?;
        let plan = structurize(&cfg.graph);
        let body = Rc::new(Body { cfg, plan });
        self.bodies.read[function] = Some(body.clone());
        Ok(body)
    }

    /// Begins to translate a function; its result gets the id `call`.
    pub(super) fn enter(&mut self, function: usize, call: u32) -> Result<(), CompileError> {
        if self.bodies.frames.iter().any(|frame| frame.function == function) {
            return Err(FlowError::Recursion { id: self.values.module.function(function)?.id }.into());
        }
        if self.bodies.frames.len() >= MAX_CALL_DEPTH {
            return Err(KitError::Calls { most: MAX_CALL_DEPTH }.into());
        }
        let body = self.body(function)?;
        let ty = self.values.module.function(function)?.result;
        let result = self.values.kit.vars.add(self.values.types.leaves(ty)?);
        self.values.mark_variable(call, result, ty);
        let walk = Walk::new(&body.cfg.graph);
        self.bodies.calls = self.bodies.calls.wrapping_add(1);
        let here = Here { place: Place { call: self.bodies.calls, node: 0 }, body: body.clone() };
        let caller = self.values.here.replace(here);
        self.bodies.frames.push(Frame {
            function,
            body,
            caller,
            rest: None,
            walk,
            result,
            call,
            line: self.values.kit.b.line,
        });
        Ok(())
    }

    /// Ends a function: its result becomes a value of the caller.
    pub(super) fn leave(&mut self) -> Result<(), CompileError> {
        let frame = self.bodies.frames.pop().expect("invariant: a function is being translated");
        let ty = self.values.module.function(frame.function)?.result;
        self.values.kit.b.line = frame.line;
        self.values.here = frame.caller;
        if frame.call != 0 {
            let leaves = self.values.read_all(frame.result, ty)?;
            self.values.define(frame.call, Def::Value(ty, leaves))?;
        }
        Ok(())
    }

    /// The variables of a phi.
    pub(super) fn phi_variable(&mut self, inst: &Inst<'a>) -> Result<Variable, CompileError> {
        let (ty, id) = (self.values.eval().ty(inst.word(0)?)?, inst.word(1)? as usize);
        match self.bodies.phis.get(id).map(|phi| phi.variables) {
            Some(Some((variable, known))) if known == ty => Ok(variable),
            Some(Some(_)) => Err(FlowError::PhiTypes { id: id as u32 }.into()),
            Some(None) => {
                let variable = self.values.kit.vars.add(self.values.types.leaves(ty)?);
                self.values.mark_variable(id as u32, variable, ty);
                if let Some(phi) = self.bodies.phis.get_mut(id) {
                    phi.variables = Some((variable, ty));
                }
                Ok(variable)
            }
            None => Err(TypeError::OutOfBound { id: id as u32, bound: self.bodies.phis.len() as u32 }.into()),
        }
    }
}

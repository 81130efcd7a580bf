//! The translator: the state of the translation, parts of which are passed to handlers, and the open calls.

use std::rc::Rc;

use bumpalo::Bump;

use super::cfg::{Body, Cfg};
use super::eval::Place;
use super::interface::StageIo;
use super::module::Module;
use super::owners::{Bodies, Frame, Memory};
use super::pointer::Held;
use super::values::{Here, Values};
use super::words::Inst;
use crate::error::{CompileError, FlowError, KitError, TypeError};
use crate::frontend::kit::Kit;
use crate::frontend::kit::control::{Walk, structurize};
use crate::frontend::kit::limits::MAX_CALL_DEPTH;

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
        let result = Held::new(&mut self.values, ty, call)?;
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
            stack_bytes: self.values.kit.memory.stack_bytes,
        });
        Ok(())
    }

    /// Ends a function: its result becomes a value of the caller.
    pub(super) fn leave(&mut self) -> Result<(), CompileError> {
        let frame = self.bodies.frames.pop().expect("invariant: a function is being translated");
        let ty = self.values.module.function(frame.function)?.result;
        self.values.kit.b.line = frame.line;
        self.values.here = frame.caller;
        self.values.kit.memory.stack_bytes = frame.stack_bytes;
        if frame.call != 0 {
            let result = frame.result.get(&mut self.values, ty)?;
            self.values.define(frame.call, result)?;
        }
        Ok(())
    }

    /// The place of a phi's value.
    pub(super) fn phi_place(&mut self, inst: &Inst<'a>) -> Result<Held<'a>, CompileError> {
        let (ty, id) = (self.values.eval().ty(inst.word(0)?)?, inst.word(1)?);
        let bound = self.bodies.phis.len() as u32;
        let phi = self.bodies.phis.get(id as usize).copied();
        let phi = phi.ok_or_else(|| CompileError::from(TypeError::OutOfBound { id, bound }))?;
        let call = self.values.here.as_ref().map_or(0, |here| here.place.call);
        match phi.held {
            Some((_, known)) if known != ty => return Err(FlowError::PhiTypes { id }.into()),
            // Other calls use the stack memory of an earlier one.
            Some((held, _)) if phi.next.is_none() || phi.call == call => return Ok(held),
            _ => {}
        }
        let held = Held::new(&mut self.values, ty, id)?;
        let next = match held {
            Held::Memory(_) => Some(Held::new(&mut self.values, ty, id)?),
            Held::Scalars(_) => None,
        };
        if let Some(phi) = self.bodies.phis.get_mut(id as usize) {
            (phi.held, phi.next, phi.call) = (Some((held, ty)), next, call);
        }
        Ok(held)
    }
}

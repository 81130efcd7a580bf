//! The translator: the kit and the owners of what is known, and what every handler needs of them.

use std::rc::Rc;

use bumpalo::Bump;

use super::cfg::Cfg;
use super::eval::{Eval, Place, Site};
use super::interface::StageIo;
use super::module::{Def, Module};
use super::owners::{Bodies, Body, Frame, Memory, Values};
use super::types::Ty;
use super::words::Inst;
use crate::error::{CompileError, FlowError, KitError, TypeError, ValueError};
use crate::frontend::kit::Kit;
use crate::frontend::kit::control::{Walk, structurize};
use crate::frontend::kit::limits::MAX_CALL_DEPTH;
use crate::frontend::ssa::Variable;
use crate::ir::src::Src;

/// The function under construction, and the owners of what is known while it is built.
pub(super) struct Translator<'t, 'a> {
    pub kit: Kit<'t, 'a>,
    pub module: &'t Module<'a>,
    /// What ids denote.
    pub values: Values<'t, 'a>,
    /// Which functions are being translated.
    pub bodies: Bodies<'a>,
    /// Variables and the memory they are in.
    pub memory: Memory<'a>,
    /// Inputs and outputs of the stage.
    pub io: StageIo<'a>,
}

impl<'t, 'a> Translator<'t, 'a> {
    /// A translator of `module` into the function of `kit`.
    pub fn new(kit: Kit<'t, 'a>, bump: &'a Bump, module: &'t Module<'a>) -> Self {
        Translator {
            kit,
            module,
            values: Values::new(bump, module),
            bodies: Bodies::new(module),
            memory: Memory::new(module),
            io: StageIo::default(),
        }
    }

    /// Evaluates pure instructions.
    pub fn eval(&mut self) -> Eval<'_, 't, 'a> {
        let site = self.bodies.frames.last().map(|frame| Site {
            places: &self.values.places,
            here: frame.place,
            graph: &frame.body.cfg.graph,
        });
        let (bump, types, masks_shifts) = (self.values.bump, self.values.types, self.values.masks_shifts);
        Eval { b: &mut self.kit.b, bump, types, defs: &self.values.defs, site, masks_shifts }
    }

    /// The innermost open call.
    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.bodies.frames.last_mut().expect("invariant: a function is being translated")
    }

    fn body(&mut self, function: usize) -> Result<Rc<Body<'a>>, CompileError> {
        if let Some(body) = &self.bodies.read[function] {
            return Ok(body.clone());
        }
        let cfg = Cfg::read(self.module, &self.module.functions[function])?;
        let plan = structurize(&cfg.graph);
        let body = Rc::new(Body { cfg, plan });
        self.bodies.read[function] = Some(body.clone());
        Ok(body)
    }

    /// Begins to translate a function whose result is to be called `call`.
    pub(super) fn enter(&mut self, function: usize, call: u32) -> Result<(), CompileError> {
        if self.bodies.frames.iter().any(|frame| frame.function == function) {
            return Err(FlowError::Recursion { id: self.module.functions[function].id }.into());
        }
        if self.bodies.frames.len() >= MAX_CALL_DEPTH {
            return Err(KitError::Calls { most: MAX_CALL_DEPTH }.into());
        }
        let body = self.body(function)?;
        let ty = self.module.functions[function].result;
        let result = self.kit.vars.add(self.values.types.leaves(ty)?);
        self.mark_variable(call, result, ty);
        let walk = Walk::new(&body.cfg.graph);
        self.bodies.calls += 1;
        let place = Place { call: self.bodies.calls, node: 0 };
        self.bodies.frames.push(Frame {
            function,
            body,
            place,
            rest: None,
            walk,
            result,
            call,
            line: self.kit.b.line,
        });
        Ok(())
    }

    /// Ends a function: its result becomes a value of the caller.
    pub(super) fn leave(&mut self) -> Result<(), CompileError> {
        let frame = self.bodies.frames.pop().expect("invariant: a function is being translated");
        let ty = self.module.functions[frame.function].result;
        self.kit.b.line = frame.line;
        if frame.call != 0 {
            let leaves = self.read_all(frame.result, ty)?;
            self.define(frame.call, Def::Value(ty, leaves))?;
        }
        Ok(())
    }

    /// The scalars of a value of type `ty` in the variables from `first` on.
    pub(super) fn read_all(&mut self, first: Variable, ty: Ty) -> Result<&'a [Src], CompileError> {
        let count = self.values.types.leaf_count(ty)? as u32;
        let leaves: Vec<Src> =
            (0..count).map(|leaf| self.kit.vars.read(&mut self.kit.b, Variable(first.0 + leaf))).collect();
        Ok(self.values.bump.alloc_slice_copy(&leaves))
    }

    /// Sets the variables from `first` on.
    pub(super) fn write_all(&mut self, first: Variable, leaves: &[Src]) {
        for (leaf, src) in leaves.iter().enumerate() {
            self.kit.vars.write(&self.kit.b, Variable(first.0 + leaf as u32), *src);
        }
    }

    /// The variables of a phi.
    pub(super) fn phi_variable(&mut self, inst: &Inst<'a>) -> Result<Variable, CompileError> {
        let (ty, id) = (self.eval().ty(inst.word(0)?)?, inst.word(1)? as usize);
        match self.bodies.phis.get(id).copied() {
            Some(Some((variable, known))) if known == ty => Ok(variable),
            Some(Some(_)) => Err(FlowError::PhiTypes { id: id as u32 }.into()),
            Some(None) => {
                let variable = self.kit.vars.add(self.values.types.leaves(ty)?);
                self.mark_variable(id as u32, variable, ty);
                self.bodies.phis[id] = Some((variable, ty));
                Ok(variable)
            }
            None => Err(TypeError::OutOfBound { id: id as u32, bound: self.bodies.phis.len() as u32 }.into()),
        }
    }

    /// Says what an id denotes. Bodies of functions called twice define their ids twice.
    pub fn define(&mut self, id: u32, def: Def<'a>) -> Result<(), CompileError> {
        self.values.relaxed.mark(&mut self.kit.b, self.module, id, &def);
        match self.values.defs.get_mut(id as usize) {
            Some(
                slot @ (Def::None | Def::Value(..) | Def::Pointer(_) | Def::Resource(_) | Def::Global(_)),
            ) => {
                *slot = def;
                self.values.places[id as usize] =
                    self.bodies.frames.last().map(|frame| frame.place).unwrap_or_default();
                Ok(())
            }
            _ => Err(ValueError::NotAResult { id }.into()),
        }
    }

    /// Gives an instruction's result its scalars, which must be those of its type.
    pub fn define_leaves(&mut self, inst: &Inst<'a>, leaves: &[Src]) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        let leaves = self.values.bump.alloc_slice_copy(leaves);
        let leaves = self.eval().checked(ty, leaves)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// Marks variables whose values may be rounded to half precision.
    pub fn mark_variable(&mut self, id: u32, first: Variable, ty: Ty) {
        self.values.relaxed.mark_variable(&mut self.kit.vars, self.module, id, first, ty);
    }
}

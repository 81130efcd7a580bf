//! The meaning of ids, and the computation of values: the state that every handler gets.

use std::rc::Rc;

use bumpalo::Bump;

use super::cfg::Body;
use super::eval::{Eval, Place, Site};
use super::float_controls::FloatControls;
use super::module::{Def, Module};
use super::pointer::StageMemory;
use super::relaxed::Relaxed;
use super::types::{Ty, Types};
use super::words::Inst;
use crate::error::{CompileError, GroupError, ValueError};
use crate::frontend::kit::{Kit, uniforms};
use crate::ir::Arithmetic;
use crate::ir::src::Src;
use crate::ssa::Variable;

/// The current position in a function.
#[derive(Clone)]
pub(super) struct Here<'a> {
    pub place: Place,
    /// The function.
    pub body: Rc<Body<'a>>,
}

/// The function under construction, the meaning of the module's ids, and the computation of values.
pub(super) struct Values<'t, 'a> {
    pub kit: Kit<'t, 'a>,
    pub module: &'t Module<'a>,
    pub bump: &'a Bump,
    pub types: &'t Types<'a>,
    /// By id.
    pub defs: &'a mut [Def<'a>],
    /// The inputs and outputs in device memory.
    pub stage_memory: Vec<StageMemory<'a>>,
    /// The position of each id's definition.
    places: &'a mut [Place],
    /// The current position; `None` outside function bodies.
    pub here: Option<Here<'a>>,
    pub floats: FloatControls,
    /// Relaxed precision of values.
    pub relaxed: Relaxed,
    /// See [`Eval::masks_shifts`].
    pub masks_shifts: bool,
    /// A large value was defined.
    pub has_stored: bool,
}

impl<'t, 'a> Values<'t, 'a> {
    /// Starts with the module's definitions, for use in the function of `kit`.
    pub fn new(kit: Kit<'t, 'a>, bump: &'a Bump, module: &'t Module<'a>) -> Self {
        Values {
            kit,
            module,
            bump,
            types: &module.types,
            defs: bump.alloc_slice_copy(module.defs),
            stage_memory: Vec::new(),
            places: bump.alloc_slice_fill_copy(module.defs.len(), Place::default()),
            here: None,
            floats: FloatControls::default(),
            relaxed: Relaxed::of(module),
            masks_shifts: false,
            has_stored: false,
        }
    }

    /// Evaluates pure instructions.
    pub fn eval(&mut self) -> Eval<'_, 't, 'a> {
        let site = self.here.as_ref().map(|here| Site {
            places: self.places,
            here: here.place,
            graph: here.body.cfg.visibility(),
        });
        let (bump, types, masks_shifts) = (self.bump, self.types, self.masks_shifts);
        Eval { b: &mut self.kit.b, bump, types, defs: self.defs, site, masks_shifts }
    }

    /// Scalars of an undefined value of a type: zeros, except words, of which stores are omitted.
    pub fn undefined(&self, ty: Ty) -> Result<&'a [Src], CompileError> {
        let widths = self.types.leaves(ty)?;
        Ok(self.bump.alloc_slice_fill_iter(widths.iter().map(|bits| match *bits {
            32 => uniforms::undefined(32),
            bits => Src::imm(0, bits),
        })))
    }

    /// Defines an id. Bodies of functions that are called twice define their ids twice.
    pub fn define(&mut self, id: u32, def: Def<'a>) -> Result<(), CompileError> {
        self.relaxed.mark(&mut self.kit.b, self.module, id, &def);
        if let (Some(named), Def::Value(_, leaves)) = (&mut self.kit.vars.named, &def) {
            named.define(&self.kit.b, id, leaves);
        }
        match self.defs.get_mut(id as usize) {
            Some(
                slot @ (Def::None
                | Def::Value(..)
                | Def::Stored(..)
                | Def::Pointer(_)
                | Def::Resource(_)
                | Def::Global(_)),
            ) => {
                *slot = def;
                if let Some(place) = self.places.get_mut(id as usize) {
                    *place = self.here.as_ref().map(|here| here.place).unwrap_or_default();
                }
                Ok(())
            }
            _ => Err(ValueError::NotAResult { id }.into()),
        }
    }

    /// Defines the scalars of an instruction's result, which must match its type.
    pub fn define_leaves(&mut self, inst: &Inst<'a>, leaves: &[Src]) -> Result<(), CompileError> {
        let leaves = self.bump.alloc_slice_copy(leaves);
        self.define_result(inst, leaves)
    }

    /// Like [`Values::define_leaves`], for scalars that are in the arena.
    pub fn define_result(&mut self, inst: &Inst<'a>, leaves: &'a [Src]) -> Result<(), CompileError> {
        let eval = self.eval();
        let ty = eval.ty(inst.word(0)?)?;
        let leaves = eval.checked(ty, leaves)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// A constant operand: a scope, semantics, a cluster size.
    pub fn constant(&mut self, id: u32) -> Result<u32, CompileError> {
        let value = self.eval().scalar(id)?.as_imm();
        value.map(|bits| bits as u32).ok_or_else(|| CompileError::from(GroupError::NotConstant { id }))
    }

    /// The scalars of a value of type `ty` in the variables starting at `first`.
    pub fn read_all(&mut self, first: Variable, ty: Ty) -> Result<&'a [Src], CompileError> {
        let count = self.types.leaf_count(ty)?;
        let kit = &mut self.kit;
        let leaf = |leaf| kit.vars.read(&mut kit.b, first.at(leaf as u32));
        Ok(self.bump.alloc_slice_fill_with(count, leaf))
    }

    /// Sets the variables starting at `first`.
    pub fn write_all(&mut self, first: Variable, leaves: &[Src]) {
        for (leaf, src) in leaves.iter().enumerate() {
            self.kit.vars.write(&self.kit.b, first.at(leaf as u32), *src);
        }
    }

    /// Marks variables as relaxed.
    pub fn mark_variable(&mut self, id: u32, first: Variable, ty: Ty) {
        self.relaxed.mark_variable(&mut self.kit.vars, self.module, id, first, ty);
        if let Some(named) = &mut self.kit.vars.named
            && let Ok(count) = self.types.leaf_count(ty)
        {
            named.hold(id, first, count);
        }
    }

    /// Sets the float mode for the arithmetic of an instruction.
    pub fn float_mode(&mut self, inst: &Inst<'a>) {
        if self.floats.is_plain() {
            return;
        }
        let ty = inst.word(0).ok().and_then(|id| self.eval().ty(id).ok());
        let bits = ty.and_then(|ty| self.types.leaves(ty).ok()?.first().copied()).unwrap_or(0);
        self.kit.b.mode = self.floats.mode(self.module, inst, bits);
    }

    /// Protects the floats that an instruction computes from fusion with their users, and from rules that
    /// change zeros, if its mode requires it. Functions that do not allow contraction at all need no marks.
    pub fn apart(&mut self, ty: Ty, leaves: &'a [Src]) -> &'a [Src] {
        let marked = self.kit.b.mode.separate || (self.kit.b.mode.signed_zero && self.kit.b.f.contract);
        if !marked || self.eval().check_float(ty).is_err() {
            return leaves;
        }
        let apart: Vec<Src> = leaves.iter().map(|leaf| self.kit.b.apart(*leaf)).collect();
        self.bump.alloc_slice_copy(&apart)
    }
}

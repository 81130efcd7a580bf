//! `RelaxedPrecision`: which values may be rounded to half precision.
//!
//! The decoration of a result applies to the values that its instruction computes: a result that only passes
//! on another value does not affect that value. The decoration of a variable, or of a member of a structure,
//! applies to phis of its values, and to inputs. `opt_narrow` uses the marks.

use spirv::Decoration;

use super::module::{Def, Module};
use super::types::{Kind, Ty, Types};
use crate::ir::builder::Builder;
use crate::ir::entity::Entity;
use crate::ir::op::{IrOp, Op};
use crate::ssa::{Variable, Variables};

/// State of relaxed precision during translation.
pub(super) struct Relaxed {
    /// Whether the module contains the decoration.
    is_used: bool,
    /// The first value that the current instruction created.
    pub first_new: usize,
}

impl Relaxed {
    /// Checks whether `module` contains the decoration.
    pub fn of(module: &Module<'_>) -> Self {
        Relaxed { is_used: module.decorations.anywhere(Decoration::RelaxedPrecision), first_new: 0 }
    }

    /// Marks the floats that the current instruction created for its result `id`, if that is decorated.
    pub fn mark(&self, b: &mut Builder<'_, '_>, module: &Module<'_>, id: u32, def: &Def<'_>) {
        let Def::Value(ty, leaves) = *def else { return };
        if !self.is_used || !module.decorations.has(id, Decoration::RelaxedPrecision) {
            return;
        }
        // One of several results may be computed from another, which then must not be rounded.
        if matches!(module.types.kind(ty), Kind::Struct { .. }) {
            return;
        }
        let mut is_float = Vec::with_capacity(leaves.len());
        collect(&module.types, ty, true, &mut is_float);
        for (leaf, _) in leaves.iter().zip(is_float).filter(|(_, is_float)| *is_float) {
            let is_new = |value: &crate::ir::entity::Value| value.index() >= self.first_new;
            if let Some(value) = leaf.as_value().filter(is_new) {
                b.f.relax(value);
                // The `exact` that prevents fusion is gone when widths are chosen. The lower bound of a clamp can be rounded before
                // the upper bound is applied, which may turn out to be unnecessary.
                let passes = |op| matches!(op, Op::Ir(IrOp::Exact | IrOp::Fmin | IrOp::Fmax));
                let inner = b.f.def(*leaf).filter(|data| passes(data.op));
                if let Some(inner) = inner.and_then(|data| data.srcs.first()?.as_value()).filter(is_new) {
                    b.f.relax(inner);
                }
            }
        }
    }

    /// Marks the floats of the variables starting at `first` that hold a value of type `ty`, if `id` or
    /// members of the type are decorated.
    pub fn mark_variable(&self, vars: &mut Variables, module: &Module<'_>, id: u32, first: Variable, ty: Ty) {
        if !self.is_used {
            return;
        }
        let mut relaxed = Vec::new();
        let whole = module.decorations.has(id, Decoration::RelaxedPrecision);
        collect(&module.types, ty, whole, &mut relaxed);
        for (at, _) in (0..).zip(relaxed).filter(|(_, relaxed)| *relaxed) {
            vars.relax(first.at(at));
        }
    }
}

/// For each scalar of a type, whether it is a relaxed float: either all of them are, or the decoration is on
/// its member. The recursion depth is the nesting depth of types, which is limited; the caller ensures that
/// the number of scalars is.
fn collect(types: &Types<'_>, ty: Ty, relaxed: bool, out: &mut Vec<bool>) {
    match types.kind(ty) {
        Kind::Struct { members } => {
            for member in members {
                collect(types, member.ty, relaxed || member.decorated.style.relaxed, out);
            }
        }
        Kind::Array { elem, count, .. } => (0..count).for_each(|_| collect(types, elem, relaxed, out)),
        Kind::Matrix { column, count } => (0..count).for_each(|_| collect(types, column, relaxed, out)),
        Kind::Vector { elem, count } => (0..count).for_each(|_| collect(types, elem, relaxed, out)),
        Kind::Float { .. } => out.push(relaxed),
        Kind::Void => {}
        _ => out.push(false),
    }
}

//! `RelaxedPrecision`: which values may be rounded to half precision.
//!
//! The decoration of a result holds for what its instruction computes: a result that only passes on a value made elsewhere
//! says nothing of that value. The decoration of a variable, or of a member of a structure, holds where values of
//! several paths meet in it, and for inputs. What is done about it is `opt_narrow_mediump`'s.

use spirv::Decoration;

use super::module::{Def, Module};
use super::types::{Kind, Ty, Types};
use crate::frontend::ssa::{Variable, Variables};
use crate::ir::builder::Builder;
use crate::ir::entity::Entity;
use crate::ir::op::{IrOp, Op};

/// What is known of rounding while a module is translated.
pub(super) struct Relaxed {
    /// Something in the module has the decoration.
    is_used: bool,
    /// The first value that the current instruction made.
    pub first_new: usize,
}

impl Relaxed {
    /// Looks whether `module` has the decoration anywhere.
    pub fn of(module: &Module<'_>) -> Self {
        Relaxed { is_used: module.decorations.anywhere(Decoration::RelaxedPrecision), first_new: 0 }
    }
}

impl Relaxed {
    /// Marks the floats that the current instruction made for its result `id`, if that is decorated.
    pub fn mark(&self, b: &mut Builder<'_, '_>, module: &Module<'_>, id: u32, def: &Def<'_>) {
        let Def::Value(ty, leaves) = *def else { return };
        if !self.is_used || !module.decorations.has(id, Decoration::RelaxedPrecision) {
            return;
        }
        // Of several results one may be computed from another, which then must not be rounded.
        if matches!(module.types.kind(ty), Kind::Struct { .. }) {
            return;
        }
        let mut is_float = Vec::with_capacity(leaves.len());
        collect(&module.types, ty, true, &mut is_float);
        for (leaf, _) in leaves.iter().zip(is_float).filter(|(_, is_float)| *is_float) {
            let is_new = |value: &crate::ir::entity::Value| value.index() >= self.first_new;
            if let Some(value) = leaf.as_value().filter(is_new) {
                b.f.relax(value);
                // What keeps it from being fused is gone when the width is chosen.
                let inner = b.f.def(*leaf).filter(|data| data.op == Op::Ir(IrOp::Exact));
                if let Some(inner) = inner.and_then(|data| data.srcs.first()?.as_value()).filter(is_new) {
                    b.f.relax(inner);
                }
            }
        }
    }

    /// Marks the floats of the variables from `first` on that hold a value of type `ty`, if `id` or members of the type
    /// are decorated.
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

/// For each scalar of a type whether it is a float that may be rounded, when all of them may or a member of theirs. The
/// recursion is as deep as types nest, which is limited, and the caller knows that the scalars are not too many.
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

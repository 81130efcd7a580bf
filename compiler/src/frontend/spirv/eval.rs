//! Instructions whose results depend on their operands alone, for function bodies and for specialization constants.

use bumpalo::Bump;

use super::module::Def;
use super::types::{Kind, Ty, Types};
use crate::error::{CompileError, TypeError, ValueError};
use crate::frontend::kit::control::{Graph, Node};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// A place in a function body, which sees what is defined on every path to it.
#[derive(Clone, Copy)]
pub(super) struct Site<'e> {
    /// Places of definitions by id.
    pub places: &'e [Place],
    /// This place.
    pub here: Place,
    /// Graph of the function.
    pub graph: &'e Graph,
}

/// Where an id is defined: a call, counted from 1, and a block of the function called. Call 0 is the module itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    /// Which call.
    pub call: u32,
    /// Which block.
    pub node: u32,
}

impl Site<'_> {
    /// Whether the definition of `id` reaches this place.
    pub fn sees(&self, id: u32) -> bool {
        let place = self.places.get(id as usize).copied().unwrap_or_default();
        place == self.here
            || place.call == 0
            || (place.call == self.here.call
                && self.graph.dominates(place.node as Node, self.here.node as Node))
    }
}

/// What an instruction needs to be evaluated: where to build, and what ids denote.
pub(super) struct Eval<'e, 'f, 'a> {
    pub b: &'e mut Builder<'f, 'a>,
    pub bump: &'a Bump,
    pub types: &'e Types<'a>,
    pub defs: &'e [Def<'a>],
    /// Where evaluation takes place; `None` outside functions.
    pub site: Option<Site<'e>>,
    /// Shift amounts are taken modulo the width, which SPIR-V leaves undefined and WGSL wants.
    pub masks_shifts: bool,
}

impl<'a> Eval<'_, '_, 'a> {
    /// Type and scalars of a value.
    pub fn value(&self, id: u32) -> Result<(Ty, &'a [Src]), CompileError> {
        self.check_visible(id)?;
        match self.defs.get(id as usize) {
            Some(Def::Value(ty, leaves)) => Ok((*ty, leaves)),
            Some(Def::Pointer(_) | Def::Global(_)) => Err(ValueError::PointerAsValue { id }.into()),
            _ => Err(ValueError::NotAValue { id }.into()),
        }
    }

    /// Refuses ids that are not defined on every path to here.
    pub fn check_visible(&self, id: u32) -> Result<(), CompileError> {
        match self.site {
            Some(site) if !site.sees(id) => Err(ValueError::NotDominating { id }.into()),
            _ => Ok(()),
        }
    }

    /// A value of one scalar.
    pub fn scalar(&self, id: u32) -> Result<Src, CompileError> {
        match self.value(id)? {
            (_, [leaf]) => Ok(*leaf),
            (_, leaves) => Err(ValueError::NotAScalar { id, count: leaves.len() }.into()),
        }
    }

    /// Type named by an id.
    pub fn ty(&self, id: u32) -> Result<Ty, CompileError> {
        match self.defs.get(id as usize) {
            Some(Def::Type(ty)) => Ok(*ty),
            _ => Err(TypeError::NotAType { id }.into()),
        }
    }

    /// Keeps a list of scalars.
    pub fn keep(&self, leaves: &[Src]) -> &'a [Src] {
        self.bump.alloc_slice_copy(leaves)
    }

    /// Zeros for every scalar of a type.
    pub fn zeros(&self, ty: Ty) -> Result<&'a [Src], CompileError> {
        let widths = self.types.leaves(ty)?;
        Ok(self.bump.alloc_slice_fill_iter(widths.iter().map(|bits| Src::imm(0, *bits))))
    }

    /// Checks that a result has the scalars its type says.
    pub fn checked(&self, ty: Ty, leaves: &'a [Src]) -> Result<&'a [Src], CompileError> {
        let widths = self.types.leaves(ty)?;
        let fits = widths.len() == leaves.len()
            && widths.iter().zip(leaves).all(|(bits, leaf)| self.b.f.width(*leaf) == *bits);
        if fits { Ok(leaves) } else { Err(ValueError::ResultType.into()) }
    }

    /// Floats and vectors of floats.
    pub fn check_float(&self, ty: Ty) -> Result<(), CompileError> {
        match self.types.scalar_and_count(ty).map(|(scalar, _)| self.types.kind(scalar)) {
            Ok(Kind::Float { .. }) => Ok(()),
            _ => Err(ValueError::NotAFloat.into()),
        }
    }
}

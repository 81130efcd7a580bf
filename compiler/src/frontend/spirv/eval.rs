//! Evaluation of instructions whose results depend only on their operands, in function bodies and for
//! specialization constants.

use bumpalo::Bump;

use super::module::Def;
use super::types::{Kind, Ty, Types};
use crate::error::{CompileError, TypeError, ValueError};
use crate::frontend::kit::control::{Graph, Node};
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// A position in a function body, from which definitions on every path to it are visible.
#[derive(Clone, Copy)]
pub(super) struct Site<'e> {
    /// Positions of definitions by id.
    pub places: &'e [Place],
    /// The current position.
    pub here: Place,
    /// The graph of the function.
    pub graph: &'e Graph,
}

/// The position of a definition: a call, counted from 1, and a block of the called function. Call 0 is module
/// scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    /// Number of the call.
    pub call: u32,
    /// Number of the block.
    pub node: u32,
}

impl Site<'_> {
    /// Whether the definition of `id` is visible at this position.
    pub fn sees(&self, id: u32) -> bool {
        let place = self.places.get(id as usize).copied().unwrap_or_default();
        place == self.here
            || place.call == 0
            || (place.call == self.here.call
                && self.graph.dominates(place.node as Node, self.here.node as Node))
    }
}

/// The context of evaluation: where to build, and the meaning of ids.
pub(super) struct Eval<'e, 'f, 'a> {
    pub b: &'e mut Builder<'f, 'a>,
    pub bump: &'a Bump,
    pub types: &'e Types<'a>,
    pub defs: &'e [Def<'a>],
    /// The position of the instruction; `None` outside functions.
    pub site: Option<Site<'e>>,
    /// Shift amounts are taken modulo the width; SPIR-V leaves this undefined, WGSL requires it.
    pub masks_shifts: bool,
}

impl<'a> Eval<'_, '_, 'a> {
    /// Type and scalars of a value.
    #[inline]
    pub fn value(&self, id: u32) -> Result<(Ty, &'a [Src]), CompileError> {
        self.check_visible(id)?;
        match self.defs.get(id as usize) {
            Some(Def::Value(ty, leaves)) => Ok((*ty, leaves)),
            Some(Def::Pointer(_) | Def::Global(_)) => Err(ValueError::PointerAsValue { id }.into()),
            _ => Err(ValueError::NotAValue { id }.into()),
        }
    }

    /// Rejects ids that are not defined on every path to here.
    #[inline]
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

    /// The type with an id.
    pub fn ty(&self, id: u32) -> Result<Ty, CompileError> {
        match self.defs.get(id as usize) {
            Some(Def::Type(ty)) => Ok(*ty),
            _ => Err(TypeError::NotAType { id }.into()),
        }
    }

    /// Copies a list of scalars to the arena.
    pub fn keep(&self, leaves: &[Src]) -> &'a [Src] {
        self.bump.alloc_slice_copy(leaves)
    }

    /// Zeros for every scalar of a type.
    pub fn zeros(&self, ty: Ty) -> Result<&'a [Src], CompileError> {
        let widths = self.types.leaves(ty)?;
        Ok(self.bump.alloc_slice_fill_iter(widths.iter().map(|bits| Src::imm(0, *bits))))
    }

    /// Checks that a result has the scalars of its type.
    pub fn checked(&self, ty: Ty, leaves: &'a [Src]) -> Result<&'a [Src], CompileError> {
        let widths = self.types.leaves(ty)?;
        let fits = widths.len() == leaves.len()
            && widths.iter().zip(leaves).all(|(bits, leaf)| self.b.f.width(*leaf) == *bits);
        if fits { Ok(leaves) } else { Err(ValueError::ResultType.into()) }
    }

    /// Checks that scalars have one width.
    pub fn check_widths<'s>(&self, scalars: impl IntoIterator<Item = &'s Src>) -> Result<(), CompileError> {
        let mut widths = scalars.into_iter().map(|scalar| self.b.f.width(*scalar));
        let Some(expected) = widths.next() else { return Ok(()) };
        if widths.all(|bits| bits == expected) { Ok(()) } else { Err(ValueError::Widths { expected }.into()) }
    }

    /// Checks that a scalar is an integer or an address, as far as its width tells.
    pub fn check_integer(&self, scalar: Src) -> Result<(), CompileError> {
        match self.b.f.width(scalar) {
            1 => Err(ValueError::OperandType { expected: "an integer" }.into()),
            _ => Ok(()),
        }
    }

    /// Floats and vectors of floats.
    pub fn check_float(&self, ty: Ty) -> Result<(), CompileError> {
        match self.types.scalar_and_count(ty).map(|(scalar, _)| self.types.kind(scalar)) {
            Ok(Kind::Float { .. }) => Ok(()),
            Ok(Kind::Bfloat16) => Err(ValueError::Bfloat16.into()),
            _ => Err(ValueError::NotAFloat.into()),
        }
    }
}

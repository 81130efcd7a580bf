//! Insertion of instructions: the interface shared by [`Builder`](super::Builder) and
//! [`Rewriter`](super::Rewriter). Operations on constants are folded as they are built.

use agx_isa::semantics::{PureArgs, Source};
use arrayvec::ArrayVec;

use super::entity::{Inst, Value};
use super::function::{Function, make_value};
use super::op::{IrOp, Op};
use super::src::{Src, SrcKind};
use super::types::Type;

/// Maximum number of sources of an operation that is folded.
pub(crate) const MAX_PURE_SOURCES: usize = 4;

/// Evaluates a pure operation on constants; `None` if it is not pure, a source is not constant, or the result
/// has more than one component.
#[inline]
pub fn fold(f: &Function<'_>, op: Op, ty: Type, srcs: &[Src], mods: &[u32]) -> Option<Src> {
    // Fast path: most operations have a source that is not constant.
    if srcs.iter().any(|src| matches!(src.kind, SrcKind::Value | SrcKind::Uniform)) {
        return None;
    }
    fold_constants(f, op, ty, srcs, mods)
}

/// Like [`fold`], for sources that include no value or uniform.
fn fold_constants(f: &Function<'_>, op: Op, ty: Type, srcs: &[Src], mods: &[u32]) -> Option<Src> {
    let pure = op.pure_fn()?;
    if ty.comps != 1 || srcs.len() > MAX_PURE_SOURCES {
        return None;
    }
    let mut sources: ArrayVec<Source, MAX_PURE_SOURCES> = ArrayVec::new();
    for src in srcs {
        let bits = if src.kind == SrcKind::Imm { src.payload } else { 0 };
        sources.push(Source { bits, width: f.width(*src), flags: src.flags });
    }
    Some(Src::imm(pure(&PureArgs { dst_width: ty.bits, sources: &sources, mods }), ty.bits))
}

/// How float arithmetic is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatMode {
    /// Products are not fused with sums.
    pub separate: bool,
    /// A product that is zero gets its correct sign, which the hardware's multiplication does not provide.
    pub signed_zero: bool,
}

/// Adds instructions at a current point of a function.
pub trait Build<'a> {
    /// The function.
    fn function(&self) -> &Function<'a>;

    /// The function, mutable. The implementation manages the instruction list of the current block.
    fn function_mut(&mut self) -> &mut Function<'a>;

    /// The source line of new instructions.
    fn line(&self) -> u32;

    /// Appends an instruction to the current block.
    fn append(&mut self, inst: Inst);

    /// Adds an instruction with given destinations; in a rewrite, these may be those of the instruction being rewritten.
    fn push(&mut self, op: impl Into<Op>, dsts: &[Value], srcs: &[Src], mods: &[u32]) -> Inst {
        let line = self.line();
        let inst = self.function_mut().make_inst(op, dsts, srcs, mods, line);
        self.append(inst);
        inst
    }

    /// How float arithmetic is built.
    fn float_mode(&self) -> FloatMode {
        FloatMode::default()
    }

    /// Bits of a component of `src`.
    fn width(&self, src: Src) -> u8 {
        self.function().width(src)
    }

    /// Adds an instruction with one new result and returns the result.
    fn value(&mut self, op: impl Into<Op>, ty: Type, srcs: &[Src], mods: &[u32]) -> Value {
        let line = self.line();
        let (inst, dst) = make_value(self.function_mut(), op, ty, srcs, mods, line);
        self.append(inst);
        dst
    }

    /// The result of a scalar operation: a constant if all sources are, else a new value.
    fn alu(&mut self, op: impl Into<Op>, bits: u8, srcs: &[Src], mods: &[u32]) -> Src {
        let (op, ty) = (op.into(), Type::scalar(bits));
        fold(self.function(), op, ty, srcs, mods)
            .unwrap_or_else(|| Src::value(self.value(op, ty, srcs, mods)))
    }

    /// Like [`alu`](Build::alu), with the operation's default modifiers.
    fn op(&mut self, op: impl Into<Op>, bits: u8, srcs: &[Src]) -> Src {
        let op = op.into();
        match op.zero_mods() {
            Some(mods) => self.alu(op, bits, srcs, mods),
            None => self.alu(op, bits, srcs, &op.default_mods()),
        }
    }

    /// Adds an operation without results.
    fn effect(&mut self, op: impl Into<Op>, srcs: &[Src], mods: &[u32]) {
        self.push(op, &[], srcs, mods);
    }

    /// Concatenates `parts` into one value of type `ty`; a single part of that type is returned as it is.
    fn collect(&mut self, ty: Type, parts: &[Src]) -> Src {
        match parts {
            [part] if self.function().src_ty(*part) == ty => *part,
            _ => Src::value(self.value(IrOp::Collect, ty, parts, &[])),
        }
    }

    /// Divides `src` into `count` equal parts of type `ty`, lowest first.
    fn split(&mut self, src: Src, ty: Type, count: usize) -> ArrayVec<Src, 16> {
        if let (Some(bits), 2..) = (src.as_imm(), count) {
            let part = |index: usize| {
                Src::imm(bits.checked_shr(index as u32 * u32::from(ty.bits)).unwrap_or(0), ty.bits)
            };
            return (0..count).map(part).collect();
        }
        if count == 1 && self.function().src_ty(src) == ty {
            return [src].into_iter().collect();
        }
        self.parts(src, ty, count)
    }

    /// Like [`split`](Build::split), for a value of more than one part.
    fn parts(&mut self, src: Src, ty: Type, count: usize) -> ArrayVec<Src, 16> {
        let f = self.function_mut();
        let dsts: ArrayVec<Value, 16> = (0..count).map(|_| f.add_value(ty)).collect();
        self.push(IrOp::Split, &dsts, &[src], &[]);
        dsts.into_iter().map(Src::value).collect()
    }

    /// The `N` equal parts of `src`, lowest first.
    fn split_into<const N: usize>(&mut self, src: Src, ty: Type) -> [Src; N] {
        let mut parts = self.split(src, ty, N).into_iter();
        std::array::from_fn(|_| parts.next().unwrap_or(Src::NONE))
    }

    /// The low and high word of a 64-bit integer; needs no split if its definition provides them.
    fn words(&mut self, src: Src) -> [Src; 2] {
        if let Some(bits) = src.as_imm() {
            return [Src::imm(bits, 32), Src::imm(bits >> 32, 32)];
        }
        if let Some(half) = src.as_uniform() {
            return [Src::uniform(half, 32), Src::uniform(half + 2, 32)];
        }
        match self.function().def(src).map(|def| (def.op, def.srcs)) {
            Some((Op::Ir(IrOp::Collect), [low, high])) => return [*low, *high],
            Some((Op::Ir(IrOp::Uconv), [narrow])) if self.width(*narrow) <= 32 => {
                let low =
                    if self.width(*narrow) == 32 { *narrow } else { self.op(IrOp::Uconv, 32, &[*narrow]) };
                return [low, Src::imm32(0)];
            }
            _ => {}
        }
        let [low, high] = [Type::B32; 2].map(|ty| self.function_mut().add_value(ty));
        self.push(IrOp::Split, &[low, high], &[src], &[]);
        [low.into(), high.into()]
    }

    /// The 64-bit integer composed of two words, low and high.
    fn join(&mut self, [low, high]: [Src; 2]) -> Src {
        match (low.as_imm(), high.as_imm()) {
            (Some(low), Some(high)) => Src::imm(high << 32 | low, 64),
            _ => Src::value(self.value(IrOp::Collect, Type::B64, &[low, high], &[])),
        }
    }
}

//! Derivatives: how a value differs between the invocations of a quad.
//!
//! Fragment shaders have an instruction for them, of one kind, which is the same throughout a quad's row or column and so
//! does for both coarse and fine ones. Compute shaders say which invocations make a quad
//! (SPV_KHR_compute_shader_derivatives); these are put into the four lanes of a hardware quad, and read each other by
//! shuffles.

use agx_abi::Stage;
use agx_isa::table::Opcode;
use spirv::{ExecutionMode, Op};

use super::module::Def;
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;

/// The special register with the number of an invocation in its workgroup (applegpu).
const THREAD: u32 = 51;

/// Which invocations of a compute shader make a quad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// Two by two in x and y.
    Quads,
    /// Four that follow each other.
    Linear,
}

impl Group {
    /// The group that an execution mode asks for.
    pub fn of(mode: u32) -> Option<Group> {
        match ExecutionMode::from_u32(mode)? {
            ExecutionMode::DerivativeGroupQuadsKHR => Some(Group::Quads),
            ExecutionMode::DerivativeGroupLinearKHR => Some(Group::Linear),
            _ => None,
        }
    }

    /// Whether a workgroup can be made of such quads.
    pub fn check(self, size: [u32; 3]) -> Result<(), CompileError> {
        let fits = match self {
            Group::Quads => size[0].is_multiple_of(2) && size[1].is_multiple_of(2),
            Group::Linear => size.iter().product::<u32>().is_multiple_of(4),
        };
        if fits {
            return Ok(());
        }
        Err(CompileError::invalid(format!("a workgroup of {size:?} cannot be made of quads")))
    }
}

/// A direction in a quad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Axis {
    /// To the right.
    X,
    /// Down.
    Y,
}

/// Derivatives with the directions they are made of.
const DERIVATIVES: &[(Op, &[Axis])] = &[
    (Op::DPdx, &[Axis::X]),
    (Op::DPdxFine, &[Axis::X]),
    (Op::DPdxCoarse, &[Axis::X]),
    (Op::DPdy, &[Axis::Y]),
    (Op::DPdyFine, &[Axis::Y]),
    (Op::DPdyCoarse, &[Axis::Y]),
    (Op::Fwidth, &[Axis::X, Axis::Y]),
    (Op::FwidthFine, &[Axis::X, Axis::Y]),
    (Op::FwidthCoarse, &[Axis::X, Axis::Y]),
];

impl<'a> Translator<'_, 'a> {
    /// Translates derivatives; false for other instructions.
    pub(super) fn derivative_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let Some((_, axes)) = DERIVATIVES.iter().find(|(op, _)| *op == inst.op) else { return Ok(false) };
        if !self.has_quads() {
            return Err(CompileError::unsupported(
                "derivatives in shaders without quads: a compute shader says by an execution mode how it has them",
            ));
        }
        self.io.fragment.needs_helpers = self.io.stage == Stage::Fragment;
        let (ty, source) = self.eval().value(inst.word(2)?)?;
        let mut result = Vec::with_capacity(source.len());
        for x in source {
            let slopes: Vec<Src> = axes.iter().map(|axis| self.derivative(*axis, *x)).collect();
            result.push(match slopes[..] {
                [dx, dy] => {
                    let (dx, dy) = (self.b.fabs(dx), self.b.fabs(dy));
                    self.b.fadd(dx, dy)
                }
                _ => slopes[0],
            });
        }
        let leaves = self.bump.alloc_slice_copy(&result);
        let wanted = self.eval().ty(inst.word(0)?)?;
        if wanted != ty {
            return Err(CompileError::invalid("a derivative is of another type than its operand"));
        }
        self.define(inst.word(1)?, Def::Value(ty, leaves))?;
        Ok(true)
    }

    /// Whether there are quads to take derivatives in.
    pub(super) fn has_quads(&self) -> bool {
        match self.io.stage {
            Stage::Fragment => true,
            Stage::Compute => self.io.derivative_group.is_some(),
            Stage::Vertex => false,
        }
    }

    /// How a float differs in a direction.
    pub(super) fn derivative(&mut self, axis: Axis, x: Src) -> Src {
        let ty = Type::scalar(self.b.f.width(x));
        if self.io.stage == Stage::Fragment {
            let op = if axis == Axis::X { Opcode::Dfdx } else { Opcode::Dfdy };
            return Src::value(self.b.value(op, ty, &[x], &mods_with(op, &[])));
        }
        let bit = Src::imm32(if axis == Axis::X { 1 } else { 2 });
        let other = Src::value(self.b.value(IrOp::ReadLaneXor, ty, &[x, bit], &[]));
        let difference = self.b.fsub(other, x);
        let lane = self.thread();
        let own = self.b.and(lane, bit);
        let is_first = self.b.icmp(IntCond::EQ, own, Src::imm32(0));
        let opposite = self.b.fneg(difference);
        self.b.select(is_first, difference, opposite)
    }

    /// The number of the lane's thread in its workgroup, four to a quad.
    fn thread(&mut self) -> Src {
        let mods = mods_with(Opcode::Mfsr, &[("sr", THREAD)]);
        Src::value(self.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
    }

    /// The place of an invocation in its workgroup, where quads are two by two: threads of a quad are neighbours, quads
    /// go from left to right, then down.
    pub(super) fn place_in_quads(&mut self) -> [Src; 3] {
        let [width, height, _] = self.workgroup_size.map(|size| size / 2);
        let thread = self.thread();
        let within_x = self.b.and(thread, Src::imm32(1));
        let half = self.b.ushr(thread, Src::imm32(1));
        let within_y = self.b.and(half, Src::imm32(1));
        let quad = self.b.ushr(thread, Src::imm32(2));
        let row = self.b.udiv(quad, Src::imm32(width.max(1)));
        let column = self.b.umod(quad, Src::imm32(width.max(1)));
        let layer = self.b.udiv(row, Src::imm32(height.max(1)));
        let row = self.b.umod(row, Src::imm32(height.max(1)));
        let [x, y] = [(column, within_x), (row, within_y)].map(|(pair, within)| {
            let first = self.b.shl(pair, Src::imm32(1));
            self.b.or(first, within)
        });
        [x, y, layer]
    }
}

//! Register constraints of values: size and alignment.

use agx_isa::desc::{OperandDesc, Role};
use agx_isa::operand::{ADD_SRC, ALU_DST64};
use agx_isa::table::{INSTS, Opcode};

use crate::ir::entity::Value;
use crate::ir::function::{Function, InstData};
use crate::ir::op::{Op, is_same};
use crate::ir::table::Side;
use crate::ir::types::Type;

/// Size and alignment of a value's register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Half registers.
    pub halves: u16,
    /// Alignment of the first half register.
    pub align: u16,
}

/// Alignment of 64-bit operands of the ALU, in half registers (asserted by the Mesa 25.0 AGX compiler).
/// Memory bases only need even alignment.
const ALU64_ALIGN: u16 = 4;

/// Alignment of the operands of matrix products, which are whole registers (measured on M1).
const MATRIX_ALIGN: u16 = 2;

/// The shapes of a function's values.
#[derive(Clone, Debug)]
pub struct Shapes {
    /// The alignment of values that need more than their type; 0 for others.
    special: Side<Value, u16>,
    /// The largest of them.
    most: u16,
}

impl Shapes {
    /// Examines every operand.
    pub fn new(f: &Function<'_>) -> Shapes {
        let mut shapes = Shapes { special: Side::default(), most: 0 };
        let has_matrices = MATRIX_PRODUCTS.into_iter().any(|op| f.present.may_have_op(op));
        if !has_matrices && !f.present.has_width(64) {
            return shapes;
        }
        for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
            let data = &f.insts[*inst];
            matrices(data).for_each(|value| shapes.align(value, MATRIX_ALIGN));
            if !matches!(data.op, Op::Hw(op) if TAKES_PAIRS[op as usize]) {
                continue;
            }
            let is_wide = |value: Value| f.ty(value).bits == 64;
            let mut read = data.srcs.iter().filter_map(|src| src.as_value());
            if !data.dsts.iter().copied().any(is_wide) && !read.any(is_wide) {
                continue;
            }
            alu64_operands(f, data).for_each(|value| shapes.align(value, ALU64_ALIGN));
        }
        shapes
    }

    fn align(&mut self, value: Value, align: u16) {
        self.special[value] = self.special[value].max(align);
        self.most = self.most.max(align);
    }

    /// The shape of a value. 32-bit registers begin at even halves; vectors need no more alignment than their
    /// elements.
    #[inline(always)]
    pub fn of(&self, f: &Function<'_>, value: Value) -> Shape {
        let ty = f.ty(value);
        let special = if self.most == 0 { 0 } else { self.special[value] };
        Shape { halves: ty.halves(), align: least_align(ty).max(special) }
    }

    /// Half registers that alignment may waste in addition to the demand: packing by descending alignment
    /// leaves a gap only where the values that live through an instruction end off a 64-bit boundary.
    pub fn waste(&self) -> u16 {
        if self.most == ALU64_ALIGN { ALU64_ALIGN / 2 } else { 0 }
    }

    /// Half registers lost when `reserved` halves from 0 up are not allocatable, including those.
    pub fn lost_to(&self, reserved: u16) -> u16 {
        reserved.next_multiple_of(self.most.max(2))
    }
}

/// The minimum alignment that the encoding requires of a type.
pub fn least_align(ty: Type) -> u16 {
    if ty.bits <= 16 { 1 } else { 2 }
}

/// Whether an operand is an ALU register pair if its value has 64 bits.
const fn is_pair(operand: &OperandDesc) -> bool {
    is_same(operand.kind.name, ADD_SRC.name) || is_same(operand.kind.name, ALU_DST64.name)
}

/// The operations with such operands.
static TAKES_PAIRS: [bool; Opcode::ALL.len()] = {
    let mut takes = [false; Opcode::ALL.len()];
    let mut row = 0;
    while row < takes.len() {
        let operands = INSTS[row].operands;
        let mut at = 0;
        while at < operands.len() {
            takes[row] |= is_pair(&operands[at]);
            at += 1;
        }
        row += 1;
    }
    takes
};

/// The products of matrices.
const MATRIX_PRODUCTS: [Opcode; 2] = [Opcode::SimdMatrixFmadd32, Opcode::SimdMatrixFmadd16];

/// The values among the operands of a matrix product.
fn matrices<'d>(data: &'d InstData<'_>) -> impl Iterator<Item = Value> + 'd {
    let data = matches!(data.op, Op::Hw(op) if MATRIX_PRODUCTS.contains(&op)).then_some(data);
    data.into_iter()
        .flat_map(|data| data.dsts.iter().copied().chain(data.srcs.iter().filter_map(|src| src.as_value())))
}

/// 64-bit values among the operands of an instruction of the ALU.
fn alu64_operands<'d>(f: &'d Function<'_>, data: &'d InstData<'_>) -> impl Iterator<Item = Value> + 'd {
    let rows = match data.op {
        Op::Hw(opcode) => Some(opcode.desc()),
        Op::Ir(_) => None,
    };
    rows.into_iter().flat_map(move |desc| {
        let dsts = desc.with_role(Role::Dst).zip(data.dsts.iter().map(|dst| Some(*dst)));
        let srcs = desc.with_role(Role::Src).zip(data.srcs.iter().map(|src| src.as_value()));
        dsts.chain(srcs).filter_map(move |((_, operand), value)| {
            value.filter(|value| f.ty(*value).bits == 64 && is_pair(operand))
        })
    })
}

/// Whether every 64-bit operand of the ALU and every matrix in `data` is aligned; `half` gives the first half register of
/// a value.
pub fn is_aligned(f: &Function<'_>, data: &InstData<'_>, half: impl Fn(Value) -> Option<u16>) -> bool {
    let is_at = |value: Value, align: u16| half(value).is_none_or(|half| half.is_multiple_of(align));
    alu64_operands(f, data).all(|value| is_at(value, ALU64_ALIGN))
        && matrices(data).all(|value| is_at(value, MATRIX_ALIGN))
}

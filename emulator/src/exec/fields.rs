//! Operands of an instruction by key, resolved once when a program is decoded.

use agx_isa::desc::{OperandDesc, Role};
use agx_isa::inst::{Inst, Operand, Size, Tag};
use agx_isa::key::Key;
use agx_isa::minifloat;
use agx_isa::operand::Style;
use half::f16;

use crate::registers::{Place, Src};

/// The operands of one instruction.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    inst: &'a Inst,
}

impl<'a> Fields<'a> {
    /// Operands of `inst`.
    pub(crate) fn new(inst: &'a Inst) -> Self {
        Fields { inst }
    }

    /// The operand `key`, which the row has.
    pub(crate) fn get(&self, key: Key) -> Operand {
        self.inst.get(key)
    }

    /// The operand `key`, if the row has it.
    pub(crate) fn find(&self, key: Key) -> Option<Operand> {
        key.place(self.inst.op).and_then(|at| self.inst.operands.get(at)).copied()
    }

    /// The value of a modifier, which the row has.
    pub(crate) fn number(&self, key: Key) -> u32 {
        self.get(key).value
    }

    /// Whether a modifier is set.
    pub(crate) fn flag(&self, key: Key) -> bool {
        self.number(key) != 0
    }

    /// A source, which the row has.
    pub(crate) fn source(&self, key: Key) -> Src {
        let at = key.place(self.inst.op).expect("invariant: the row has the source");
        source_at(self.inst, at, &self.inst.op.desc().operands[at])
    }

    /// The sources in row order.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Src> + use<'a> {
        let inst = self.inst;
        inst.op.desc().with_role(Role::Src).map(move |(at, desc)| source_at(inst, at, desc))
    }

    /// The modifiers in row order.
    pub(crate) fn mods(&self) -> impl Iterator<Item = u32> + use<'a> {
        let inst = self.inst;
        inst.op.desc().with_role(Role::Mod).map(move |(at, _)| inst.operands[at].value)
    }

    /// The first register among the operands.
    pub(crate) fn first_register(&self) -> Option<Operand> {
        self.inst.operands.iter().find(|operand| operand.tag == Tag::Reg).copied()
    }
}

/// The source at `at` in its row.
fn source_at(inst: &Inst, at: usize, desc: &OperandDesc) -> Src {
    let operand = inst.operands[at];
    let minifloat = desc.kind.style == Style::Float && operand.tag == Tag::Imm;
    if minifloat { expanded(operand) } else { Src::new(operand) }
}

/// A minifloat immediate as a half float; every minifloat is exact in 16 bits.
fn expanded(operand: Operand) -> Src {
    let value = f16::from_f32(minifloat::decode(operand.value as u8));
    let place = Place::Immediate(u64::from(value.to_bits()));
    Src { place, size: Size::B16, flags: operand.flags }
}

//! Operands of an instruction by name, resolved once when a program is decoded.

use agx_isa::desc::Role;
use agx_isa::inst::{Inst, Operand, Size, Tag};
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

    /// The operand called `name`; [`Operand::NONE`] if the row does not have it.
    pub(crate) fn get(&self, name: &str) -> Operand {
        let at = self.inst.op.desc().operand_index(name);
        at.and_then(|at| self.inst.operands.get(at)).copied().unwrap_or(Operand::NONE)
    }

    /// The value of a modifier; 0 if the row does not have it.
    pub(crate) fn number(&self, name: &str) -> u32 {
        self.get(name).value
    }

    /// Whether a modifier is set.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.number(name) != 0
    }

    /// A source by name.
    pub(crate) fn source(&self, name: &str) -> Src {
        self.sources_named()
            .find(|(source, _)| *source == name)
            .map_or(Src::new(Operand::imm(0)), |(_, src)| src)
    }

    /// The sources in row order.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Src> + use<'a> {
        self.sources_named().map(|(_, src)| src)
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

    fn sources_named(&self) -> impl Iterator<Item = (&'static str, Src)> + use<'a> {
        let inst = self.inst;
        inst.op.desc().with_role(Role::Src).map(move |(at, desc)| {
            let operand = inst.operands[at];
            let minifloat = desc.kind.style == Style::Float && operand.tag == Tag::Imm;
            (desc.name, if minifloat { expanded(operand) } else { Src::new(operand) })
        })
    }
}

/// A minifloat immediate as a half float; every minifloat is exact in 16 bits.
fn expanded(operand: Operand) -> Src {
    let value = f16::from_f32(minifloat::decode(operand.value as u8));
    let place = Place::Immediate(u64::from(value.to_bits()));
    Src { place, size: Size::B16, flags: operand.flags }
}

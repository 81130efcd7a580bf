//! Conventions shared by the printer and the parser besides the grammar: which modifiers have named values,
//! which sources are read as floats, and the names of registers and of operations with fixed operands.

use agx_isa::alias as isa;
use agx_isa::desc::Role;
use agx_isa::inst::OperandFlags;
use agx_isa::operand::Style;
use agx_isa::table::names;

use super::function::{Access, InstData};
use super::op::{IrOp, Op};
use super::signature::slot_at;
use super::src::Src;

/// How a modifier's value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ModStyle {
    /// A number.
    Number,
    /// The name at the value's index in the list, if there is one.
    Names(&'static [&'static str]),
    /// A set of the components `xyzw`.
    Components,
    /// A set of [`Access`] flags.
    Access,
}

/// Names of the bits of [`Access`].
pub(super) const ACCESS_NAMES: [(&str, Access); 7] = [
    ("readonly", Access::READONLY),
    ("volatile", Access::VOLATILE),
    ("speculatable", Access::SPECULATABLE),
    ("device", Access::DEVICE),
    ("local", Access::LOCAL),
    ("image", Access::IMAGE),
    ("signed", Access::SIGNED),
];

/// Names of the hardware's reductions, and of the IR-only one.
static REDUCTIONS: [&str; names::REDUCTIONS.len() + 1] = {
    let mut all = ["imul"; names::REDUCTIONS.len() + 1];
    let mut code = 0;
    while code < names::REDUCTIONS.len() {
        all[code] = names::REDUCTIONS[code];
        code += 1;
    }
    all
};

/// The width of sources that an alias fixes in an instruction without results.
pub(super) const NO_RESULT_BITS: u8 = 32;

/// Names of the components of a vector.
pub(super) const COMPONENT_NAMES: &str = "xyzw";

/// Suffixes of a source. Negation is a prefix.
pub(super) const FLAG_NAMES: [(&str, OperandFlags); 5] = [
    ("abs", OperandFlags::ABS),
    ("sx", OperandFlags::SX),
    ("zx", OperandFlags::ZX),
    ("cache", OperandFlags::CACHE),
    ("discard", OperandFlags::DISCARD),
];

/// A name for a hardware operation with some operands fixed, as in assembly. Fixed operands are not written;
/// a fixed source is a constant of the width of the first result, or of [`NO_RESULT_BITS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Alias(&'static isa::Alias);

impl Alias {
    /// Whether it may be written: no IR-only operation has the same name.
    fn is_free(&self) -> bool {
        IrOp::ALL.iter().all(|op| op.desc().name != self.name())
    }

    /// The alias with this name.
    pub(super) fn from_name(name: &str) -> Option<Alias> {
        isa::ALIASES.iter().map(Alias).find(|alias| alias.name() == name).filter(Alias::is_free)
    }

    /// The first alias that matches an instruction whose first result has `bits` bits.
    pub(super) fn of(data: &InstData<'_>, bits: u8) -> Option<Alias> {
        isa::ALIASES.iter().map(Alias).find(|alias| {
            let fixed = |index| data.srcs.get(index).copied();
            data.op == alias.op()
                && alias.sources(bits).all(|(index, src)| fixed(index) == Some(src))
                && alias.mods().all(|(index, value)| data.mods.get(index) == Some(&value))
                && alias.is_free()
        })
    }

    /// Name.
    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    /// The operation.
    pub(super) fn op(self) -> Op {
        self.0.op.into()
    }

    /// Whether source `index` is fixed.
    pub(super) fn fixes_source(self, index: usize) -> bool {
        self.sources(32).any(|(fixed, _)| fixed == index)
    }

    /// Whether modifier `index` is fixed.
    pub(super) fn fixes_mod(self, index: usize) -> bool {
        self.mods().any(|(fixed, _)| fixed == index)
    }

    /// Indices of fixed sources, ascending, and their values.
    pub(super) fn sources(self, bits: u8) -> impl Iterator<Item = (usize, Src)> {
        self.fixed(Role::Src).map(move |(index, value)| (index, Src::imm(value.into(), bits)))
    }

    /// Indices of fixed modifiers and their values.
    pub(super) fn mods(self) -> impl Iterator<Item = (usize, u32)> {
        self.fixed(Role::Mod)
    }

    /// Indices of the fixed operands of `role`, ascending, and their values.
    fn fixed(self, role: Role) -> impl Iterator<Item = (usize, u32)> {
        let operands = self.0.op.desc().with_role(role).enumerate();
        operands.filter_map(move |(index, (_, operand))| {
            let (_, fixed) = self.0.fixed.iter().find(|(name, _)| *name == operand.name)?;
            Some((index, fixed.value))
        })
    }
}

/// How modifier `index` of `op` is written.
pub(super) fn mod_style(op: Op, index: usize) -> ModStyle {
    match op {
        Op::Hw(opcode) => {
            match opcode.desc().with_role(Role::Mod).nth(index).map(|(_, desc)| desc.kind.style) {
                Some(Style::Names(names)) => ModStyle::Names(names),
                Some(Style::Components) => ModStyle::Components,
                _ => ModStyle::Number,
            }
        }
        Op::Ir(ir) => match (ir, ir.desc().mods.get(index).copied()) {
            (IrOp::Icmp, Some("cond")) => ModStyle::Names(names::INT_CONDITIONS),
            (IrOp::Fcmp, Some("cond")) => ModStyle::Names(names::FLOAT_CONDITIONS),
            (IrOp::Reduce | IrOp::Scan, Some("op")) => ModStyle::Names(&REDUCTIONS),
            (_, Some("dim")) => ModStyle::Names(names::DIMENSIONS),
            (_, Some("lod_mode")) => ModStyle::Names(names::LOD_MODES),
            (_, Some("gather")) => ModStyle::Names(names::GATHERS),
            (_, Some("op")) => ModStyle::Names(names::ATOMICS),
            (_, Some("access" | "memory")) => ModStyle::Access,
            _ => ModStyle::Number,
        },
    }
}

/// Whether source `index` of `op` is read as a float.
pub(crate) fn is_float_source(op: Op, index: usize) -> bool {
    match op {
        Op::Hw(opcode) => opcode
            .desc()
            .with_role(Role::Src)
            .nth(index)
            .is_some_and(|(_, desc)| desc.kind.style == Style::Float),
        Op::Ir(ir) => slot_at(ir.desc().signature.srcs, index).is_some_and(|slot| slot.class.is_float()),
    }
}

/// Appends the name of the half register or half-word `half`, seen as `bits` bits wide, after the letter `file`:
/// `r5l`, `r5`, `r4_r5`. Odd wide registers, which do not exist, are written `r[11]`.
pub(super) fn write_register(
    out: &mut impl std::fmt::Write,
    file: char,
    half: u16,
    bits: u8,
) -> std::fmt::Result {
    let number = half / 2;
    match bits {
        16 => write!(out, "{file}{number}{}", if half.is_multiple_of(2) { 'l' } else { 'h' }),
        32 if half.is_multiple_of(2) => write!(out, "{file}{number}"),
        64 if half.is_multiple_of(2) => write!(out, "{file}{number}_{file}{}", number + 1),
        _ => write!(out, "{file}[{half}]:{bits}"),
    }
}

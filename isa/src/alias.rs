//! Aliases: names of instructions with some operands fixed, as in AGX2.xml and Mesa. They exist only in
//! assembly text.

use crate::inst::{Inst, Operand};
use crate::table::Opcode;

/// A name for a row with some of its operands fixed; the fixed ones are not written.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// Mnemonic.
    pub name: &'static str,
    /// The row.
    pub op: Opcode,
    /// Fixed operands by name, with their values.
    pub fixed: &'static [(&'static str, Operand)],
}

const fn imm(name: &'static str, value: u32) -> (&'static str, Operand) {
    (name, Operand::imm(value))
}

macro_rules! aliases {
    ($($name:literal = $op:ident { $($operand:literal: $value:literal),* };)*) => {
        /// Every alias. If several match an instruction, the first is printed.
        pub static ALIASES: &[Alias] = &[
            $(Alias { name: $name, op: Opcode::$op, fixed: &[$(imm($operand, $value)),*] }),*
        ];
    };
}

aliases! {
    "mov" = Bitop { "table": 0b1010, "b": 0 };
    "not" = Bitop { "table": 0b0101, "b": 0 };
    "mov_a" = Bitop { "table": 0b0011, "b": 0 };
    "not_a" = Bitop { "table": 0b1100, "b": 0 };
    "zero" = Bitop { "table": 0b0000 };
    "nor" = Bitop { "table": 0b0001 };
    "andn2" = Bitop { "table": 0b0010 };
    "andn1" = Bitop { "table": 0b0100 };
    "xor" = Bitop { "table": 0b0110 };
    "nand" = Bitop { "table": 0b0111 };
    "and" = Bitop { "table": 0b1000 };
    "xnor" = Bitop { "table": 0b1001 };
    "orn2" = Bitop { "table": 0b1011 };
    "orn1" = Bitop { "table": 0b1101 };
    "or" = Bitop { "table": 0b1110 };
    "one" = Bitop { "table": 0b1111 };
    "imul" = Imadd { "c": 0, "shift": 0 };
    "shl" = Bfi { "a": 0, "width": 0 };
    "shr" = Bfeil { "a": 0, "width": 0 };
    "ballot" = IcmpBallot { "a": 1, "b": 0, "cond": 0, "inv": 1, "simd": 1 };
    "update_exec" = IfFcmp { "a": 0, "b": 0, "cond": 0, "inv": 0, "nest": 0 };
    "push_exec" = IfFcmp { "a": 0, "b": 0, "cond": 0, "inv": 0 };
    "else_exec" = ElseFcmp { "a": 0, "b": 0, "cond": 0, "inv": 0 };
}

impl Alias {
    /// The alias with this name.
    pub fn from_name(name: &str) -> Option<&'static Alias> {
        ALIASES.iter().find(|alias| alias.name == name)
    }

    /// The first alias that matches an instruction.
    pub fn of(inst: &Inst) -> Option<&'static Alias> {
        ALIASES.iter().find(|alias| alias.fits(inst))
    }

    /// Whether the alias fixes the operand `name`.
    pub fn fixes(&self, name: &str) -> bool {
        self.fixed.iter().any(|(fixed, _)| *fixed == name)
    }

    fn fits(&self, inst: &Inst) -> bool {
        self.op == inst.op && self.fixed.iter().all(|(name, value)| inst.operand(name) == Some(*value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_refer_to_operands_and_do_not_shadow_names() {
        for (i, alias) in ALIASES.iter().enumerate() {
            assert_eq!(Opcode::from_name(alias.name), None, "{}", alias.name);
            assert!(ALIASES[..i].iter().all(|other| other.name != alias.name));
            for (name, _) in alias.fixed {
                assert!(alias.op.desc().operand_index(name).is_some(), "{}.{name}", alias.name);
            }
        }
    }
}

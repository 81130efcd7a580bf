//! The table: one row per instruction, one file per family.
//!
//! A family file is a `macro_rules!` that passes its rows on to the next; the last step creates [`Opcode`]
//! and [`INSTS`] from all of them, so each row's name is written once. A row has the form
//!
//! ```text
//! /// What it does.
//! Variant "mnemonic" = row(value, mask, length).operands(ops![…]).cost(unit, latency, throughput)…;
//! ```
//!
//! where `value` and `mask` identify the row's words. Bits that are in neither the mask nor an operand must
//! be zero. An operand list that several rows of a family share is a constant above the family's rows.

use crate::desc::{
    Count, Effects, InstDesc, Length, OperandDesc, OrderClass, Piece, Reach, Role, Sign, Unit,
};
use crate::inst::{Inst, MAX_OPERANDS, Operand};
use crate::operand as kinds;
use crate::semantics::kernels::{self, Kind};
use crate::semantics::{bits, convert, float, integer, pure, select};

#[macro_use]
mod macros;
#[macro_use]
mod barrier;
#[macro_use]
mod bitfield;
#[macro_use]
mod compare;
#[macro_use]
mod control;
#[macro_use]
mod convert_rows;
#[macro_use]
mod float_rows;
#[macro_use]
mod fragment;
#[macro_use]
mod image;
#[macro_use]
mod integer_rows;
#[macro_use]
mod local;
#[macro_use]
mod memory;
#[macro_use]
mod simd;
#[macro_use]
mod state;
#[macro_use]
mod texture;
#[macro_use]
mod tile;
pub mod names;

const fn row(value: u128, mask: u128, length: Length) -> InstDesc {
    InstDesc::new(value, mask, length)
}

const fn fixed(bytes: u8) -> Length {
    Length::Fixed(bytes)
}

/// Short form unless a bit requires the long one.
const fn extends(short: u8, long: u8, l_bit: u8) -> Length {
    Length::Extensible { short, long, l_bit, prefer_long: false }
}

/// Long form in new code: Mesa and Apple's compiler never use the short one.
const fn prefers(short: u8, long: u8, l_bit: u8) -> Length {
    Length::Extensible { short, long, l_bit, prefer_long: true }
}

const fn p(lo: u8, len: u8) -> Piece {
    Piece { lo, len }
}

const fn dst(name: &'static str, kind: kinds::OperandKind, pieces: &'static [Piece]) -> OperandDesc {
    OperandDesc::new(name, Role::Dst, kind, pieces)
}

const fn src(name: &'static str, kind: kinds::OperandKind, pieces: &'static [Piece]) -> OperandDesc {
    OperandDesc::new(name, Role::Src, kind, pieces)
}

const fn modifier(name: &'static str, kind: kinds::OperandKind, pieces: &'static [Piece]) -> OperandDesc {
    OperandDesc::new(name, Role::Mod, kind, pieces)
}

const fn unknown(name: &'static str, pieces: &'static [Piece]) -> OperandDesc {
    OperandDesc::new(name, Role::Unknown, kinds::NUMBER, pieces)
}

/// Sources of facts, cited by rows.
mod from {
    pub(super) const ALL: &str = "applegpu, Mesa 25.0, AGX2.xml";
    pub(super) const NO_MESA: &str = "applegpu, AGX2.xml";
    pub(super) const APPLEGPU: &str = "applegpu";
}

macro_rules! insts {
    (@next [] $($rows:tt)*) => { insts! { @define $($rows)* } };
    (@next [$next:ident $($more:ident)*] $($rows:tt)*) => { $next! { insts @next [$($more)*] $($rows)* } };
    (@define $(
        @family $family:literal $title:literal;
        $( $(#[doc = $doc:literal])+ $op:ident $name:literal = $row:expr; )*
    )*) => {
        /// An instruction: a row of [`INSTS`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Opcode {
            $($( $(#[doc = $doc])+ $op, )*)*
        }

        impl Opcode {
            /// Every opcode, in table order.
            pub const ALL: &'static [Opcode] = &[$($(Opcode::$op),*),*];
        }

        /// Every instruction, indexed by [`Opcode`].
        pub static INSTS: &[InstDesc] = &ROWS;

        /// There is a row for each opcode, so no index is out of bounds.
        static ROWS: [InstDesc; Opcode::ALL.len()] =
            [$($( $row.named($family, $name, concat!($($doc),+)) ),*),*];

        /// The families of the table in order: name, title.
        pub static FAMILIES: &[(&str, &str)] = &[$(($family, $title)),*];
    };
}

insts! { @next [
    integer_rows bitfield_rows convert_rows float_rows compare_rows control_rows memory_rows local_rows state_rows
    barrier_rows simd_rows tile_rows fragment_rows texture_rows image_rows
] }

/// The result of [`Inst::new`] for each opcode.
static FRESH: [Inst; Opcode::ALL.len()] = {
    let none = Inst { op: Opcode::ALL[0], long: false, operands: [Operand::NONE; MAX_OPERANDS] };
    let mut fresh = [none; Opcode::ALL.len()];
    let mut row = 0;
    while row < fresh.len() {
        let operands = ROWS[row].operands;
        let mut index = 0;
        while index < operands.len() {
            fresh[row].operands[index] = operands[index].default;
            index += 1;
        }
        fresh[row].op = Opcode::ALL[row];
        fresh[row].long = ROWS[row].prefers_long();
        row += 1;
    }
    fresh
};

impl Opcode {
    /// The row.
    #[inline]
    pub fn desc(self) -> &'static InstDesc {
        &ROWS[self as usize]
    }

    /// The instruction with the row's default modifiers: see [`Inst::new`].
    #[inline]
    pub(crate) fn fresh(self) -> &'static Inst {
        &FRESH[self as usize]
    }

    /// Mnemonic.
    pub fn name(self) -> &'static str {
        self.desc().name
    }

    /// The opcode with this mnemonic.
    pub fn from_name(name: &str) -> Option<Opcode> {
        Opcode::ALL.iter().copied().find(|op| op.name() == name)
    }
}

#[cfg(test)]
pub(crate) mod tests;

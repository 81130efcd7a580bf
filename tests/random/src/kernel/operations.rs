//! Kinds of values and the operations between them.

use super::writer::Writer;
use crate::entropy::Entropy;

/// A kind of value. Floats and integers of the same width are distinct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A boolean.
    Bool,
    /// A 16-bit integer.
    Short,
    /// A 32-bit integer.
    Int,
    /// A 64-bit integer.
    Long,
    /// A 16-bit float.
    Half,
    /// A 32-bit float.
    Float,
}

use Kind::{Bool, Float, Half, Int, Long, Short};

impl Kind {
    /// All of them, by discriminant.
    pub const ALL: [Kind; 6] = [Bool, Short, Int, Long, Half, Float];

    /// Width in bits.
    pub fn bits(self) -> u8 {
        [1, 16, 32, 64, 16, 32][self as usize]
    }

    /// A canonical value for all bits with the same meaning: NaNs are equal, zeros have no sign, and 32-bit denormals
    /// may or may not be flushed.
    pub fn canonical(self, bits: u64) -> u64 {
        let (exponent, mantissa) = match self {
            Half => (0x7c00, 0x3ff),
            Float => (0x7f80_0000, 0x7f_ffff),
            Bool | Short | Int | Long => return bits,
        };
        let is_flushed = self == Float || bits & mantissa == 0;
        match bits & exponent {
            0 if is_flushed => 0,
            found if found == exponent && bits & mantissa != 0 => exponent | mantissa,
            _ => bits,
        }
    }

    /// Interesting constants.
    pub(super) fn constants(self) -> &'static [&'static str] {
        match self {
            Bool => &["true", "false"],
            Short => &["#0:16", "#1:16", "#7:16", "#15:16", "#0x8000:16", "#0xffff:16", "#0x1234:16"],
            Int => {
                &["#0", "#1", "#2", "#7", "#31", "#32", "#-1", "#0x80000000", "#0x7fffffff", "#0x12345678"]
            }
            Long => &["#0:64", "#1:64", "#33:64", "#-1:64", "#0x80000000:64", "#0x100000000:64"],
            Half => &["#0x0000:16", "#0x3c00:16", "#0xbe00:16", "#0x0001:16", "#0x7bff:16", "#0x2e66:16"],
            Float => &["#0.0", "#1.0", "#-1.5", "#1e-40", "#3.4e38", "#0.1", "#2.0"],
        }
    }
}

/// An operation: name and modifiers, the kind of the result, the kinds of the sources.
type Row = (&'static str, Kind, &'static [Kind]);

/// All are defined for all inputs, except that divisors must not be zero.
#[rustfmt::skip]
const OPERATIONS: &[Row] = &[
    ("iadd", Int, &[Int, Int]), ("isub", Int, &[Int, Int]), ("imul", Int, &[Int, Int]),
    ("iadd shift=2", Int, &[Int, Int]), ("imadd", Int, &[Int, Int, Int]),
    ("umin", Int, &[Int, Int]), ("umax", Int, &[Int, Int]), ("imin", Int, &[Int, Int]), ("imax", Int, &[Int, Int]),
    ("shl", Int, &[Int, Int]), ("ushr", Int, &[Int, Int]), ("sshr", Int, &[Int, Int]),
    ("udiv", Int, &[Int, Int]), ("umod", Int, &[Int, Int]), ("srem", Int, &[Int, Int]),
    ("umulh", Int, &[Int, Int]), ("smulh", Int, &[Int, Int]),
    ("bitop table=8", Int, &[Int, Int]), ("bitop table=14", Int, &[Int, Int]), ("bitop table=6", Int, &[Int, Int]),
    ("bitop table=4", Int, &[Int, Int]), ("bitop table=1", Int, &[Int, Int]),
    ("bitrev", Int, &[Int]), ("popcnt", Int, &[Int]), ("ffs", Int, &[Int]),
    ("select", Int, &[Bool, Int, Int]), ("select", Int, &[Bool, Int, Int]),

    ("iadd", Short, &[Short, Short]), ("isub", Short, &[Short, Short]), ("imul", Short, &[Short, Short]),
    ("umin", Short, &[Short, Short]), ("imax", Short, &[Short, Short]), ("shl", Short, &[Short, Int]),
    ("ushr", Short, &[Short, Int]), ("sshr", Short, &[Short, Int]), ("bitop table=8", Short, &[Short, Short]),
    ("bitop table=6", Short, &[Short, Short]), ("select", Short, &[Bool, Short, Short]),

    ("iadd", Long, &[Long, Long]), ("isub", Long, &[Long, Long]), ("imul", Long, &[Long, Long]),
    ("umin", Long, &[Long, Long]), ("imax", Long, &[Long, Long]), ("shl", Long, &[Long, Int]),
    ("ushr", Long, &[Long, Int]), ("sshr", Long, &[Long, Int]), ("bitop table=14", Long, &[Long, Long]),
    ("select", Long, &[Bool, Long, Long]), ("collect", Long, &[Int, Int]),

    ("uconv", Int, &[Short]), ("sconv", Int, &[Short]), ("uconv", Int, &[Long]), ("uconv", Int, &[Bool]),
    ("sconv", Int, &[Bool]), ("uconv", Short, &[Int]), ("uconv", Short, &[Bool]), ("uconv", Long, &[Int]),
    ("sconv", Long, &[Int]), ("sconv", Long, &[Short]),

    ("fadd", Float, &[Float, Float]), ("fmul", Float, &[Float, Float]), ("ffma", Float, &[Float, Float, Float]),
    ("fmin", Float, &[Float, Float]), ("fmax", Float, &[Float, Float]), ("fneg", Float, &[Float]),
    ("fabs", Float, &[Float]), ("fsat", Float, &[Float]), ("floor", Float, &[Float]), ("trunc", Float, &[Float]),
    ("select", Float, &[Bool, Float, Float]), ("u32_to_f", Float, &[Int]), ("s32_to_f", Float, &[Int]),
    ("f_to_u32", Int, &[Float]), ("f_to_s32", Int, &[Float]),

    ("hadd", Half, &[Half, Half]), ("hmul", Half, &[Half, Half]), ("fmin", Half, &[Half, Half]),
    ("fmax", Half, &[Half, Half]), ("fneg", Half, &[Half]), ("fabs", Half, &[Half]),
    ("select", Half, &[Bool, Half, Half]), ("fconv", Half, &[Float]), ("fconv", Float, &[Half]),

    ("icmp cond=ueq", Bool, &[Int, Int]), ("icmp cond=ult", Bool, &[Int, Int]), ("icmp cond=ugt", Bool, &[Int, Int]),
    ("icmp cond=slt", Bool, &[Int, Int]), ("icmp cond=sgt inv=1", Bool, &[Int, Int]),
    ("icmp cond=ult", Bool, &[Short, Short]), ("icmp cond=slt", Bool, &[Short, Short]),
    ("icmp cond=ueq inv=1", Bool, &[Long, Long]), ("icmp cond=slt", Bool, &[Long, Long]),
    ("fcmp cond=eq", Bool, &[Float, Float]), ("fcmp cond=lt", Bool, &[Float, Float]),
    ("fcmp cond=ge inv=1", Bool, &[Float, Float]), ("fcmp cond=lt", Bool, &[Half, Half]),
    ("bitop table=8", Bool, &[Bool, Bool]), ("bitop table=14", Bool, &[Bool, Bool]),
    ("bitop table=6", Bool, &[Bool, Bool]), ("select", Bool, &[Bool, Bool, Bool]),
];

/// Operations whose second source must not be zero.
const DIVISIONS: [&str; 3] = ["udiv", "umod", "srem"];

impl Writer {
    /// A random operation on existing values.
    pub(super) fn operation(&mut self, entropy: &mut Entropy<'_>) {
        let (row, result, kinds) = OPERATIONS[entropy.below(OPERATIONS.len())];
        let mut sources: Vec<String> = kinds.iter().map(|kind| self.source(*kind, entropy)).collect();
        if DIVISIONS.contains(&row) {
            sources[1] = self.unnamed(Int, "bitop table=14", &[sources[1].clone(), "#1".into()]);
        }
        self.value(result, row, &sources);
    }

    /// A new boolean; most conditions depend on recently computed values.
    pub(super) fn condition(&mut self, entropy: &mut Entropy<'_>) -> String {
        if entropy.below(4) == 0 {
            return self.source(Bool, entropy);
        }
        let comparisons = OPERATIONS.iter().filter(|(row, _, _)| row.contains("cmp"));
        let rows: Vec<&Row> = comparisons.collect();
        let (row, _, kinds) = rows[entropy.below(rows.len())];
        let sources = [self.latest(kinds[0], entropy), self.source(kinds[1], entropy)];
        self.value(Bool, row, &sources)
    }
}

//! Shorthands of the family files. The layouts are those of the operand kinds: number, then size or flag bits.

/// Operands or pieces as a constant slice.
macro_rules! ops {
    ($($operand:expr),* $(,)?) => { const { &[$($operand),*] } };
}

/// A field: `bits![16:21, 58:59, 8]`, inclusive, low part first.
macro_rules! bits {
    (@piece $lo:literal) => { p($lo, 1) };
    (@piece $lo:literal : $hi:literal) => { p($lo, $hi - $lo + 1) };
    ($($lo:literal $(: $hi:literal)?),*) => { const { &[$(bits!(@piece $lo $(: $hi)?)),*] } };
}

/// ALU destination at bits 7:14 with its upper number bits at `$x`.
macro_rules! alu_dst {
    ($x:literal) => {
        dst("dst", kinds::ALU_DST, const { &[p(9, 6), p($x, 2), p(8, 1), p(7, 1)] })
    };
    (wide $x:literal) => {
        dst("dst", kinds::ALU_DST64, const { &[p(9, 6), p($x, 2), p(8, 1), p(7, 1)] })
    };
}

/// Integer source: ten bits at `$lo`, upper number bits at `$x`.
macro_rules! alu {
    ($name:literal, $lo:literal, $x:literal) => {
        src($name, kinds::ALU_SRC, const { &[p($lo, 6), p($x, 2), p($lo + 6, 4)] })
    };
}

/// Multiplier (`MUL_SRC`) or adder (`ADD_SRC`) source: eleven bits at `$lo`.
macro_rules! extended {
    ($kind:ident, $name:literal, $lo:literal, $x:literal) => {
        src($name, kinds::$kind, const { &[p($lo, 6), p($x, 2), p($lo + 6, 5)] })
    };
}

/// Float source: twelve bits at `$lo`.
macro_rules! float_src {
    ($name:literal, $lo:literal, $x:literal) => {
        src($name, kinds::FLOAT_SRC, const { &[p($lo, 6), p($x, 2), p($lo + 6, 6)] })
    };
}

/// Half source: eleven bits at `$lo`.
macro_rules! half_src {
    ($name:literal, $lo:literal, $x:literal) => {
        src($name, kinds::HALF_SRC, const { &[p($lo, 6), p($x, 2), p($lo + 6, 5)] })
    };
}

/// Select source: nine bits at `$lo`.
macro_rules! select_src {
    ($name:literal, $lo:literal, $x:literal) => {
        src($name, kinds::SELECT_SRC, const { &[p($lo, 6), p($x, 2), p($lo + 6, 3)] })
    };
}

/// A bit written as a suffix.
macro_rules! flag {
    ($name:literal, $bit:literal) => {
        modifier($name, kinds::FLAG, bits![$bit])
    };
}

//! Kernels of the most frequent pure operations, over the words of all lanes: loops without branches, which Rust compiles to
//! vector instructions, with the same arithmetic as the functions over single values. A test of the machine compares every
//! kernel with the function of its row.

/// The inputs of a kernel.
pub struct Inputs<'a> {
    /// Sources in row order.
    pub words: [&'a [u32]; 4],
    /// The first modifier: a condition, a shift, a field's width.
    pub modifier: u32,
}

/// Computes all lanes of a row, on slices: the compiler would unroll loops of constant length before it could vectorise
/// them.
pub type KernelFn = fn(&Inputs<'_>, &mut [u32]);

/// A pure operation over words.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Conversion of its sources to words, and of its result.
    pub kind: Kind,
    /// The function; that of a select depends on its condition ([`integer_select`], [`single_select`]).
    pub run: KernelFn,
}

/// Conversion of the sources of a row to words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Singles with denormals flushed; the result is one too.
    Single,
    /// Halves widened to singles, in which the operation is exact or rounds correctly.
    Half,
    /// Integers, extended by their flags.
    Integer,
    /// Zero-extended bits.
    Bits,
    /// Bits; the first source has a sign bit at its own size.
    SignedBits,
    /// Singles that are converted to integers.
    FromSingle,
    /// Bits that are converted to singles, exactly.
    ToSingle,
    /// Bits that are converted to singles, rounded to nearest if the modifier is not 0.
    ToRoundedSingle,
    /// Two integers to compare, and two words to select from.
    IntegerSelect,
    /// Two singles to compare, and two words to select from.
    SingleSelect,
}

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;

/// A single with denormals flushed to zero of the same sign.
#[inline(always)]
pub fn flushed(bits: u32) -> u32 {
    if bits & EXPONENT == 0 { bits & SIGN } else { bits }
}

/// The single that equals a half.
#[inline(always)]
pub fn widened(half: u32) -> u32 {
    // Scaling by 2^112 moves the exponent, of denormals too; infinities and NaNs need the highest exponent.
    let scaled = f32::from_bits((half & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    let special = if half & 0x7c00 == 0x7c00 { EXPONENT } else { 0 };
    scaled.to_bits() | special | (half & 0x8000) << 16
}

/// A single rounded to the nearest half, ties to even.
#[inline(always)]
fn narrowed(bits: u32) -> u32 {
    let magnitude = bits & !SIGN;
    let odd = magnitude >> 13 & 1;
    // Rebias by 112 and round at bit 13; a carry moves into the exponent by itself.
    let normal = magnitude.wrapping_add(0xc800_0fff).wrapping_add(odd) >> 13;
    // Adding a half makes the last place of the sum that of half denormals.
    let denormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let finite = if magnitude < 0x3880_0000 { denormal } else { normal };
    let large = if magnitude > EXPONENT { 0x7e00 } else { 0x7c00 };
    let half = if magnitude < 0x4780_0000 { finite } else { large };
    let sign = if magnitude > EXPONENT { 0 } else { bits >> 16 & 0x8000 };
    half | sign
}

#[inline(always)]
fn saturated(value: f32) -> f32 {
    // NaN fails the comparison and gives 0; so does −0.
    let capped = if value < 1.0 { value } else { 1.0 };
    if value > 0.0 { capped } else { 0.0 }
}

/// Flushes, saturates and narrows the results of a 32-bit operation.
pub fn finish_single(words: &mut [u32], saturate: bool, narrow: bool) {
    words.iter_mut().for_each(|word| {
        let canonical = if *word & !SIGN > EXPONENT { NAN } else { *word };
        *word = flushed(canonical);
    });
    if saturate {
        words.iter_mut().for_each(|word| *word = flushed(saturated(f32::from_bits(*word)).to_bits()));
    }
    if narrow {
        words.iter_mut().for_each(|word| *word = narrowed(*word));
    }
}

/// Saturates and narrows the results of a 16-bit operation.
pub fn finish_half(words: &mut [u32], saturate: bool) {
    if saturate {
        words.iter_mut().for_each(|word| *word = saturated(f32::from_bits(*word)).to_bits());
    }
    words.iter_mut().for_each(|word| *word = narrowed(*word));
}

#[inline(always)]
fn unary(inputs: &Inputs<'_>, out: &mut [u32], f: impl Fn(u32) -> u32) {
    for (out, a) in out.iter_mut().zip(inputs.words[0]) {
        *out = f(*a);
    }
}

#[inline(always)]
fn binary(inputs: &Inputs<'_>, out: &mut [u32], f: impl Fn(u32, u32) -> u32) {
    let [a, b, ..] = inputs.words;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = f(*a, *b);
    }
}

#[inline(always)]
fn ternary(inputs: &Inputs<'_>, out: &mut [u32], f: impl Fn(u32, u32, u32) -> u32) {
    let [a, b, c, _] = inputs.words;
    for (out, ((a, b), c)) in out.iter_mut().zip(a.iter().zip(b).zip(c)) {
        *out = f(*a, *b, *c);
    }
}

#[inline(always)]
fn float(inputs: &Inputs<'_>, out: &mut [u32], f: impl Fn(f32) -> f32) {
    unary(inputs, out, |a| f(f32::from_bits(a)).to_bits());
}

/// A double rounded to a single, flushed by its exponent before rounding.
#[inline(always)]
fn rounded(value: f64) -> u32 {
    let single = (value as f32).to_bits();
    if value.abs() < f64::from(f32::MIN_POSITIVE) { single & SIGN } else { single }
}

/// Copies.
pub fn copy(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| a);
}

/// `a + b`.
pub fn fadd(inputs: &Inputs<'_>, out: &mut [u32]) {
    binary(inputs, out, |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits());
}

/// `a · b` of halves, exact in single precision; a product of zero is +0.
pub fn hmul(inputs: &Inputs<'_>, out: &mut [u32]) {
    binary(inputs, out, |a, b| (f32::from_bits(a) * f32::from_bits(b) + 0.0).to_bits());
}

/// `a · b`; a product of zero is +0.
pub fn fmul(inputs: &Inputs<'_>, out: &mut [u32]) {
    binary(inputs, out, |a, b| {
        let product = f32::from_bits(a) * f32::from_bits(b);
        let zero = a & !SIGN == 0 || b & !SIGN == 0;
        if zero { (product + 0.0).to_bits() } else { product.to_bits() }
    });
    flush_before_rounding(inputs, out, |_| 0.0);
}

/// `a · b + c`, rounded once.
pub fn ffma(inputs: &Inputs<'_>, out: &mut [u32]) {
    // A double holds the product exactly. Rounding the sum twice differs from rounding it once only if the first result
    // is exactly between two singles.
    let sum = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|word| f64::from(f32::from_bits(word)));
        a * b + c
    };
    let mut middle = 0;
    let [a, b, c, _] = inputs.words;
    for (out, ((a, b), c)) in out.iter_mut().zip(a.iter().zip(b).zip(c)) {
        let sum = sum(*a, *b, *c);
        *out = (sum as f32).to_bits();
        middle |= u32::from(sum.to_bits() as u32 & 0x1fff_ffff == 0x1000_0000);
    }
    if middle != 0 {
        ternary(inputs, out, |a, b, c| {
            f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)).to_bits()
        });
    }
    flush_before_rounding(inputs, out, |lane| f64::from(f32::from_bits(c[lane])));
}

/// Flushes results that rounding increased to the smallest normal number: the exponent before rounding counts.
#[inline(always)]
fn flush_before_rounding(inputs: &Inputs<'_>, out: &mut [u32], c: impl Fn(usize) -> f64) {
    let smallest = f32::MIN_POSITIVE.to_bits();
    if !out.iter().fold(false, |any, word| any | (*word & !SIGN == smallest)) {
        return;
    }
    let single = |word: u32| f64::from(f32::from_bits(word));
    for (lane, word) in out.iter_mut().enumerate().filter(|(_, word)| **word & !SIGN == smallest) {
        let [a, b] = [0, 1].map(|at| single(inputs.words[at][lane]));
        let excess = a.mul_add(b, c(lane) - single(*word));
        if excess != 0.0 && (excess < 0.0) == (*word & SIGN == 0) {
            *word &= SIGN;
        }
    }
}

/// Rounds toward minus infinity.
pub fn floor(inputs: &Inputs<'_>, out: &mut [u32]) {
    float(inputs, out, f32::floor);
}

/// Rounds toward plus infinity.
pub fn ceil(inputs: &Inputs<'_>, out: &mut [u32]) {
    float(inputs, out, f32::ceil);
}

/// Rounds toward zero.
pub fn trunc(inputs: &Inputs<'_>, out: &mut [u32]) {
    float(inputs, out, f32::trunc);
}

/// Rounds to the nearest integer, ties to even.
pub fn rint(inputs: &Inputs<'_>, out: &mut [u32]) {
    float(inputs, out, f32::round_ties_even);
}

/// Reciprocal.
pub fn rcp(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| rounded(1.0 / f64::from(f32::from_bits(a))));
}

/// Reciprocal square root.
pub fn rsqrt(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| rounded(1.0 / f64::from(f32::from_bits(a)).sqrt()));
}

/// Reciprocal square root; 1 for zero and infinity.
pub fn rsqrts(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| {
        let value = f64::from(f32::from_bits(a));
        let one = value == 0.0 || value == f64::INFINITY;
        rounded(if one { 1.0 } else { 1.0 / value.sqrt() })
    });
}

/// The shifted addend; shifts of 5 and more give 0.
#[inline(always)]
fn shifted(value: u32, shift: u32) -> u32 {
    if shift <= 4 { value << shift } else { 0 }
}

/// `a + (b << shift)`.
pub fn iadd(inputs: &Inputs<'_>, out: &mut [u32]) {
    let shift = inputs.modifier;
    binary(inputs, out, |a, b| a.wrapping_add(shifted(b, shift)));
}

/// `a − (b << shift)`.
pub fn isub(inputs: &Inputs<'_>, out: &mut [u32]) {
    let shift = inputs.modifier;
    binary(inputs, out, |a, b| a.wrapping_sub(shifted(b, shift)));
}

/// `a · b + (c << shift)`.
pub fn imadd(inputs: &Inputs<'_>, out: &mut [u32]) {
    let shift = inputs.modifier;
    ternary(inputs, out, |a, b, c| a.wrapping_mul(b).wrapping_add(shifted(c, shift)));
}

/// `a · b − (c << shift)`.
pub fn imsub(inputs: &Inputs<'_>, out: &mut [u32]) {
    let shift = inputs.modifier;
    ternary(inputs, out, |a, b, c| a.wrapping_mul(b).wrapping_sub(shifted(c, shift)));
}

/// A bitwise function by its truth table; 0b0011 and 0b1100 give `a`, as in the instruction table.
pub fn bitop(inputs: &Inputs<'_>, out: &mut [u32]) {
    match inputs.modifier & 15 {
        0b1010 | 0b0011 | 0b1100 => copy(inputs, out),
        0b1000 => binary(inputs, out, |a, b| a & b),
        0b1110 => binary(inputs, out, |a, b| a | b),
        0b0110 => binary(inputs, out, |a, b| a ^ b),
        table => {
            let [neither, first, second, both] = [0, 1, 2, 3].map(|at| 0_u32.wrapping_sub(table >> at & 1));
            binary(inputs, out, |a, b| neither & !a & !b | first & a & !b | second & !a & b | both & a & b);
        }
    }
}

/// The field mask, with as many bits as the modifier has; 0 means all.
fn field(inputs: &Inputs<'_>) -> u32 {
    match inputs.modifier & 31 {
        0 => u32::MAX,
        width => (1 << width) - 1,
    }
}

#[inline(always)]
fn up(value: u32, by: u32) -> u32 {
    let by = by & 0x7f;
    if by < 32 { value << (by & 31) } else { 0 }
}

#[inline(always)]
fn down(value: u32, by: u32) -> u32 {
    let by = by & 0x7f;
    if by < 32 { value >> (by & 31) } else { 0 }
}

/// Bit-field insert.
pub fn bfi(inputs: &Inputs<'_>, out: &mut [u32]) {
    let mask = field(inputs);
    ternary(inputs, out, |a, b, by| a & !up(mask, by) | up(b & mask, by));
}

/// Bit-field extract and insert low.
pub fn bfeil(inputs: &Inputs<'_>, out: &mut [u32]) {
    let mask = field(inputs);
    ternary(inputs, out, |a, b, by| a & !mask | down(b, by) & mask);
}

/// Field of a 64-bit pair.
pub fn extr(inputs: &Inputs<'_>, out: &mut [u32]) {
    let mask = field(inputs);
    ternary(inputs, out, |a, b, by| {
        let (pair, by) = (u64::from(b) << 32 | u64::from(a), by & 0x7f);
        if by < 64 { (pair >> (by & 63)) as u32 & mask } else { 0 }
    });
}

/// Arithmetic shift right.
pub fn asr(inputs: &Inputs<'_>, out: &mut [u32]) {
    binary(inputs, out, |a, by| (a as i32 >> (by & 0x7f).min(31)) as u32);
}

/// Reverses 32 bits.
pub fn bitrev(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, u32::reverse_bits);
}

/// Counts set bits.
pub fn popcnt(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, u32::count_ones);
}

/// Index of the most significant set bit, all ones for 0.
pub fn ffs(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| 31_u32.wrapping_sub(a.leading_zeros()));
}

/// A single converted to an integer with the modifier's rounding, before clamping.
#[inline(always)]
fn whole(bits: u32, nearest: bool) -> f32 {
    let value = f32::from_bits(bits);
    if nearest { value.round_ties_even() } else { value }
}

/// Float to unsigned integer: clamped, NaN to 0.
pub fn f_to_u32(inputs: &Inputs<'_>, out: &mut [u32]) {
    let nearest = inputs.modifier != 0;
    unary(inputs, out, |a| whole(a, nearest) as u32);
}

/// Float to signed integer: clamped, NaN to 0.
pub fn f_to_s32(inputs: &Inputs<'_>, out: &mut [u32]) {
    let nearest = inputs.modifier != 0;
    unary(inputs, out, |a| whole(a, nearest) as i32 as u32);
}

/// Unsigned byte to float.
pub fn u8_to_f(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| f32::from(a as u8).to_bits());
}

/// Signed byte to float.
pub fn s8_to_f(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| f32::from(a as u8 as i8).to_bits());
}

/// Unsigned 16-bit integer to float.
pub fn u16_to_f(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| f32::from(a as u16).to_bits());
}

/// Signed 16-bit integer to float.
pub fn s16_to_f(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| f32::from(a as u16 as i16).to_bits());
}

/// Unsigned 32-bit integer to float, rounded to nearest even.
pub fn u32_to_f(inputs: &Inputs<'_>, out: &mut [u32]) {
    unary(inputs, out, |a| (a as f32).to_bits());
}

#[inline(always)]
fn select(inputs: &Inputs<'_>, out: &mut [u32], holds: impl Fn(u32, u32) -> bool) {
    let [a, b, then, other] = inputs.words;
    for (out, ((a, b), (then, other))) in out.iter_mut().zip(a.iter().zip(b).zip(then.iter().zip(other))) {
        *out = if holds(*a, *b) { *then } else { *other };
    }
}

/// A select whose condition is never true.
pub fn never(inputs: &Inputs<'_>, out: &mut [u32]) {
    select(inputs, out, |_, _| false);
}

/// The select of an integer condition.
pub fn integer_select(condition: u32) -> KernelFn {
    match condition & 7 {
        0 | 4 => |inputs, out| select(inputs, out, |a, b| a == b),
        1 => |inputs, out| select(inputs, out, |a, b| a < b),
        2 => |inputs, out| select(inputs, out, |a, b| a > b),
        5 => |inputs, out| select(inputs, out, |a, b| (a as i32) < b as i32),
        6 => |inputs, out| select(inputs, out, |a, b| a as i32 > b as i32),
        _ => never,
    }
}

/// The select of a float condition. Conditions 3 and 7 are also true if the second operand is NaN.
pub fn single_select(condition: u32) -> KernelFn {
    macro_rules! holds {
        ($a:ident, $b:ident, $holds:expr) => {
            |inputs, out| {
                select(inputs, out, |a, b| {
                    let ($a, $b) = (f32::from_bits(a), f32::from_bits(b));
                    $holds
                })
            }
        };
    }
    match condition & 7 {
        0 => holds!(a, b, a == b),
        1 => holds!(a, b, a < b),
        2 => holds!(a, b, a > b),
        3 => holds!(a, b, a < b || b.is_nan()),
        5 => holds!(a, b, a >= b),
        6 => holds!(a, b, a <= b),
        7 => holds!(a, b, a > b || b.is_nan()),
        _ => never,
    }
}

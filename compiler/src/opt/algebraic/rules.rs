//! The rules, grouped by the operation that they replace.
//!
//! `a b c d e` are any sources, `k m` any constants. Within a group the first matching rule applies.

use agx_isa::table::Opcode::{
    Bitop, Exp2, FToS32, FToU32, Fadd, Ffma, Fmul, Hadd, Hfma, Hmul, Iadd, Isub, Log2, Rcp, Rsqrt, Rsqrts,
    S8ToF, S16ToF, S32ToF, Trunc, U8ToF, U16ToF, U32ToF,
};
use agx_isa::table::names::{FloatCondition, IntCondition, Rounding, Truth};

use super::pattern::Exactness::{Clean, Closer, Exact, Finite, Near, Passes, Regrouped};
use super::pattern::{Bound, Exactness, Mod, Named, Node, Rule, Shape};
use crate::analysis::float_bounds::{Bounds, is_never_negative, number};
use crate::ir::IrOp::{
    Fabs, Fcmp, Fconv, Fmax, Fmin, Fneg, Fsat, Icmp, Imax, Imin, Imul, Sconv, Select, Shl, Sshr, Uconv, Umax,
    Umin, Ushr,
};
use crate::ir::{Function, Op, Src};

const A: Node = Node::Any(0);
const B: Node = Node::Any(1);
const C: Node = Node::Any(2);
const D: Node = Node::Any(3);
const E: Node = Node::Any(4);
/// The first constant.
const K: Node = Node::Const(2);
/// The second constant.
const M: Node = Node::Const(3);
const ZERO: Node = Node::Int(0);
const ONE: Node = Node::Int(1);
const ONES: Node = Node::Int(u64::MAX);
const SIXTEEN: Node = Node::Int(16);
/// The mask of a byte.
const BYTE: Node = Node::Int(0xff);
/// The mask of half a word.
const HALF: Node = Node::Int(0xffff);

/// An operation of a pattern: `hw!(Iadd A, B)`, `hw!(Bitop[table = Is(8)] A, B)`.
macro_rules! node {
    ($side:ident $op:ident [$($name:ident = $value:expr),*] $($arg:expr),*) => {
        Node::Apply(Op::$side($op), &[$(Named::new(Op::$side($op), stringify!($name), $value)),*], &[$($arg),*])
    };
    ($side:ident $op:ident $($arg:expr),*) => {
        Node::Apply(Op::$side($op), &[], &[$($arg),*])
    };
}
macro_rules! hw { ($($tokens:tt)*) => { node!(Hw $($tokens)*) }; }
macro_rules! ir { ($($tokens:tt)*) => { node!(Ir $($tokens)*) }; }

const fn rule(exactness: Exactness, from: Node, to: Node) -> Rule {
    Rule { exactness, from, to, when: |_| true, given: None, shape: Shape::of_pattern(&from) }
}

const fn exact(from: Node, to: Node) -> Rule {
    rule(Exact, from, to)
}

const fn clean(from: Node, to: Node) -> Rule {
    rule(Clean, from, to)
}

const fn passes(from: Node, to: Node) -> Rule {
    rule(Passes, from, to)
}

const fn finite(from: Node, to: Node) -> Rule {
    rule(Finite, from, to)
}

const fn closer(from: Node, to: Node) -> Rule {
    rule(Closer, from, to)
}

const fn near(from: Node, to: Node) -> Rule {
    rule(Near, from, to)
}

impl Rule {
    const fn when(mut self, condition: fn(&Bound) -> bool) -> Rule {
        self.when = condition;
        self
    }

    const fn given(mut self, condition: fn(&Function<'_>, &Bound) -> bool) -> Rule {
        self.given = Some(condition);
        self
    }
}

macro_rules! table { ($table:ident, $a:expr, $b:expr) => { hw!(Bitop[table = Mod::Is(Truth::$table.get())] $a, $b) }; }
macro_rules! and {
    ($a:expr, $b:expr) => {
        table!(AND, $a, $b)
    };
}
macro_rules! or {
    ($a:expr, $b:expr) => {
        table!(OR, $a, $b)
    };
}
macro_rules! xor {
    ($a:expr, $b:expr) => {
        table!(XOR, $a, $b)
    };
}

macro_rules! not {
    ($a:expr) => {
        table!(NOT, $a, ZERO)
    };
}
macro_rules! any_icmp { ($a:expr, $b:expr) => { ir!(Icmp[cond = Mod::Bind(0), inv = Mod::Bind(1)] $a, $b) }; }
macro_rules! any_fcmp { ($a:expr, $b:expr) => { ir!(Fcmp[cond = Mod::Bind(0), inv = Mod::Bind(1)] $a, $b) }; }
macro_rules! fcmp { ($cond:ident, $a:expr, $b:expr) => { ir!(Fcmp[cond = Mod::Is(FloatCondition::$cond.get())] $a, $b) }; }

macro_rules! nearest { ($op:ident $a:expr) => { hw!($op[round = Mod::Is(Rounding::NEAREST_EVEN.get())] $a) }; }

/// A constant other than K and M.
const FIRST: Node = Node::Const(1);

/// Two comparisons of a number with a constant and its negation, in both orders, become one comparison of its
/// absolute value.
macro_rules! compares_size {
    ($join:ident, $below:ident, $above:ident => $size:ident) => {
        [
            exact($join!(fcmp!($below, A, K), fcmp!($above, A, M)), fcmp!($size, ir!(Fabs A), M))
                .when(|bound| are_opposite(bound, 3)),
            exact($join!(fcmp!($above, A, K), fcmp!($below, A, M)), fcmp!($size, ir!(Fabs A), K))
                .when(|bound| are_opposite(bound, 2)),
        ]
    };
}

/// Whether one of two numbers exceeds a third: whether the maximum, or the minimum, does.
macro_rules! any_beyond {
    ($cond:ident, $extremum:ident) => {
        exact(or!(fcmp!($cond, A, C), fcmp!($cond, B, C)), fcmp!($cond, ir!($extremum A, B), C))
    };
}

fn is_power_of_two(bound: &Bound) -> bool {
    bound.constant(2).is_power_of_two()
}

/// Base-two logarithm of the first constant.
fn log2(bound: &Bound) -> u64 {
    u64::from(bound.constant(2).checked_ilog2().unwrap_or(0))
}

fn amount(bound: &Bound, index: usize) -> u64 {
    bound.constant(index) & 0x7f
}

/// Whether a mask is zero outside the bits that are left of a result after a shift by `amount`.
fn lies_within(bound: &Bound, mask: usize, amount: u64) -> bool {
    let width = u64::from(bound.results[0]);
    amount < width && bound.constant(mask) & !low_mask(width - amount) == 0
}

fn shifts_everything_out(bound: &Bound) -> bool {
    amount(bound, 2) >= u64::from(bound.results[0])
}

/// The sum of two shift amounts; patterns ensure that it stays below the width.
fn total_amount(bound: &Bound) -> u64 {
    amount(bound, 2) + amount(bound, 3)
}

fn total_amount_is_small(bound: &Bound) -> bool {
    total_amount(bound) < u64::from(bound.results[0])
}

/// Whether a sum is shifted by more than the scale of an element. Accesses to memory scale the index of an element
/// themselves, so that a sum that is an index stays one.
fn shifts_more_than_an_element(bound: &Bound) -> bool {
    (5..u64::from(bound.results[0])).contains(&amount(bound, 3))
}

/// Equal amounts of opposite shifts, below the width.
fn same_small_amount(bound: &Bound) -> bool {
    amount(bound, 2) == amount(bound, 3) && amount(bound, 2) < u64::from(bound.results[0])
}

fn low_mask(width: u64) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Whether the constant `positive` of two is greater than zero and the other one is its negation.
fn are_opposite(bound: &Bound, positive: usize) -> bool {
    let sign = 1 << (bound.widths[positive] - 1);
    let number = bound.constant(positive);
    number & sign == 0 && number != 0 && bound.constant(5 - positive) == number | sign
}

fn is_boolean(bound: &Bound) -> bool {
    bound.results[0] == 1
}

fn selects_number(bound: &Bound) -> bool {
    bound.results[0] > 1
}

/// Whether a boolean is compared with zero or one.
fn compares_boolean(bound: &Bound) -> bool {
    equality(bound) && bound.widths[0] == 1 && bound.constant(2) <= 1
}

/// Whether a comparison of a boolean with a constant is its complement.
fn is_other(bound: &Bound) -> u64 {
    1 ^ bound.constant(2) ^ u64::from(bound.mods[1] & 1)
}

fn equality(bound: &Bound) -> bool {
    bound.mods[0] & 3 == 0
}

/// A float of `width` bits, converted to 32 bits.
fn float(bits: u64, width: u8) -> f32 {
    if width == 16 {
        agx_isa::half::Half::from_bits(bits as u16).to_f32()
    } else {
        f32::from_bits(bits as u32)
    }
}

/// Product of the two constants, in the width of the result.
fn float_product(bound: &Bound) -> u64 {
    let width = bound.results[0];
    let product = float(bound.constant(2), width) * float(bound.constant(3), width);
    if width == 16 {
        u64::from(agx_isa::half::Half::from_f32(product).to_bits())
    } else {
        u64::from(product.to_bits())
    }
}

/// The one of two constants that `choose` selects.
fn extremum(bound: &Bound, choose: fn(f32, f32) -> f32) -> u64 {
    let width = bound.results[0];
    let [first, second] = [bound.constant(2), bound.constant(3)];
    let chosen = choose(float(first, width), float(second, width));
    if float(first, width) == chosen { first } else { second }
}

/// Whether both constants are numbers, and not both zero.
fn are_numbers(bound: &Bound) -> bool {
    let numbers = [bound.constant(2), bound.constant(3)].map(|bits| float(bits, bound.results[0]));
    numbers.iter().all(|number| number.is_normal() || *number == 0.0) && numbers != [0.0; 2]
}

/// The negated first constant.
fn negated_float(bound: &Bound) -> u64 {
    negated(bound, 2)
}

/// The negated constant `index`.
fn negated(bound: &Bound, index: usize) -> u64 {
    bound.constant(index) ^ (1 << (bound.results[0] - 1))
}

/// The sum of the constants `first` and `second`, in the width of the result.
fn float_sum(bound: &Bound, first: usize, second: usize) -> u64 {
    let width = bound.results[0];
    let sum = float(bound.constant(first), width) + float(bound.constant(second), width);
    match width {
        16 => u64::from(agx_isa::half::Half::from_f32(sum).to_bits()),
        _ => u64::from(sum.to_bits()),
    }
}

/// Whether the source of a conversion is a boolean.
fn converts_boolean(bound: &Bound) -> bool {
    bound.widths[0] == 1
}

/// Whether two selected constants, a third, and their sums with it are numbers that the hardware does not flush.
fn sums_are_numbers(bound: &Bound) -> bool {
    let numbers = [
        bound.constant(1),
        bound.constant(2),
        bound.constant(3),
        float_sum(bound, 1, 3),
        float_sum(bound, 2, 3),
    ];
    numbers.iter().all(|bits| {
        let number = float(*bits, bound.results[0]);
        number.is_normal() || number == 0.0
    })
}

/// Whether the factors and their product are normal numbers.
fn product_is_normal(bound: &Bound) -> bool {
    let is_normal = |bits: u64| match bound.results[0] {
        16 => agx_isa::half::Half::from_bits(bits as u16).is_normal(),
        _ => f32::from_bits(bits as u32).is_normal(),
    };
    is_normal(bound.constant(2)) && is_normal(bound.constant(3)) && is_normal(float_product(bound))
}

/// The widths of a conversion of a conversion: (source, intermediate, result).
fn conversions(bound: &Bound) -> (u8, u8, u8) {
    (bound.widths[0], bound.results[1], bound.results[0])
}

/// The source that a pattern binds first.
fn first(bound: &Bound) -> Src {
    bound.srcs[0].unwrap_or(Src::NONE)
}

/// The bounds of the float that a pattern binds first.
fn bounds(f: &Function<'_>, bound: &Bound) -> Bounds {
    Bounds::of(f, first(bound))
}

/// Whether the first constant is a float of at most zero.
fn is_no_more_than_zero(f: &Function<'_>, bound: &Bound) -> bool {
    bound.srcs[2].and_then(|src| number(f, src)).is_some_and(|number| number <= 0.0)
}

/// The operations that have rules, with these.
pub(super) static GROUPS: &[(Op, &[Rule])] = &[
    (Op::Hw(Iadd), INTEGER_ADD),
    (Op::Hw(Isub), INTEGER_SUBTRACT),
    (Op::Ir(Imul), INTEGER_MULTIPLY),
    (Op::Ir(Shl), SHIFT_LEFT),
    (Op::Ir(Ushr), SHIFT_RIGHT),
    (Op::Hw(Bitop), BITWISE),
    (Op::Ir(Select), SELECT),
    (Op::Ir(Icmp), COMPARE),
    (Op::Ir(Fcmp), FLOAT_COMPARE),
    (Op::Ir(Uconv), UNSIGNED_CONVERSION),
    (Op::Ir(Sconv), SIGNED_CONVERSION),
    (Op::Ir(Fconv), FLOAT_CONVERSION),
    (Op::Ir(Fneg), NEGATION),
    (Op::Ir(Fabs), ABSOLUTE),
    (Op::Ir(Fsat), SATURATION),
    (Op::Ir(Fmin), FLOAT_MINIMUM),
    (Op::Ir(Fmax), FLOAT_MAXIMUM),
    (Op::Ir(Imin), SIGNED_MINIMUM),
    (Op::Ir(Imax), SIGNED_MAXIMUM),
    (Op::Ir(Umin), UNSIGNED_MINIMUM),
    (Op::Ir(Umax), UNSIGNED_MAXIMUM),
    (Op::Hw(Fadd), FLOAT_ADD),
    (Op::Hw(Hadd), HALF_ADD),
    (Op::Hw(Fmul), FLOAT_MULTIPLY),
    (Op::Hw(Hmul), HALF_MULTIPLY),
    (Op::Hw(Exp2), POWER),
    (Op::Hw(Rcp), RECIPROCAL),
    (Op::Hw(Log2), LOGARITHM),
    (Op::Hw(S32ToF), FLOAT_OF_SIGNED),
    (Op::Hw(U32ToF), FLOAT_OF_UNSIGNED),
    (Op::Hw(FToS32), SIGNED_OF_FLOAT),
    (Op::Hw(FToU32), UNSIGNED_OF_FLOAT),
    (Op::Hw(Ffma), FLOAT_FUSED),
    (Op::Hw(Hfma), HALF_FUSED),
];

/// The rules of `op`.
pub(super) fn of(op: Op) -> &'static [Rule] {
    GROUPS.get(usize::from(PLACES[op.index()])).map_or(&[], |(_, rules)| rules)
}

/// The group index of each operation; operations without rules have an index past the last.
static PLACES: [u8; Op::COUNT] = {
    let mut places = [u8::MAX; Op::COUNT];
    let mut group = 0;
    while group < GROUPS.len() {
        places[GROUPS[group].0.index()] = group as u8;
        group += 1;
    }
    places
};

static INTEGER_ADD: &[Rule] = &[
    exact(hw!(Iadd A, ZERO), A),
    exact(
        hw!(Iadd hw!(Iadd A, K), M),
        hw!(Iadd A, Node::Calc(|bound| bound.constant(2).wrapping_add(bound.constant(3)))),
    ),
    // Constants move outward, where they combine with others and memory accesses find them.
    exact(hw!(Iadd hw!(Iadd A, K), B), hw!(Iadd hw!(Iadd A, B), K)),
    exact(hw!(Iadd A, hw!(Iadd B, K)), hw!(Iadd hw!(Iadd A, B), K)),
    exact(hw!(Iadd hw!(Isub ZERO, A), B), hw!(Isub B, A)),
    exact(hw!(Iadd A, hw!(Isub ZERO, B)), hw!(Isub A, B)),
    exact(hw!(Iadd hw!(Isub A, B), B), A),
    exact(hw!(Iadd B, hw!(Isub A, B)), A),
    exact(
        hw!(Iadd hw!(Isub K, A), M),
        hw!(Isub Node::Calc(|bound| bound.constant(2).wrapping_add(bound.constant(3))), A),
    ),
];

static INTEGER_SUBTRACT: &[Rule] = &[
    exact(hw!(Isub A, A), ZERO),
    exact(hw!(Isub A, K), hw!(Iadd A, Node::Calc(|bound| bound.constant(2).wrapping_neg()))),
    exact(hw!(Isub hw!(Iadd A, B), B), A),
    exact(hw!(Isub hw!(Iadd A, B), A), B),
    exact(hw!(Isub A, hw!(Isub ZERO, B)), hw!(Iadd A, B)),
    exact(
        hw!(Isub K, hw!(Isub M, A)),
        hw!(Iadd A, Node::Calc(|bound| bound.constant(2).wrapping_sub(bound.constant(3)))),
    ),
    exact(
        hw!(Isub K, hw!(Iadd A, M)),
        hw!(Isub Node::Calc(|bound| bound.constant(2).wrapping_sub(bound.constant(3))), A),
    ),
];

static INTEGER_MULTIPLY: &[Rule] = &[
    exact(ir!(Imul A, ZERO), ZERO),
    exact(ir!(Imul A, ONE), A),
    exact(ir!(Imul A, ONES), hw!(Isub ZERO, A)),
    exact(ir!(Imul A, K), ir!(Shl A, Node::Calc(log2))).when(is_power_of_two),
    exact(
        ir!(Imul ir!(Imul A, K), M),
        ir!(Imul A, Node::Calc(|bound| bound.constant(2).wrapping_mul(bound.constant(3)))),
    ),
    exact(
        ir!(Imul hw!(Iadd A, K), M),
        hw!(Iadd ir!(Imul A, M), Node::Calc(|bound| bound.constant(2).wrapping_mul(bound.constant(3)))),
    ),
];

static SHIFT_LEFT: &[Rule] = &[
    exact(ir!(Shl A, ZERO), A),
    exact(ir!(Shl ZERO, A), ZERO),
    exact(ir!(Shl A, K), ZERO).when(shifts_everything_out),
    exact(ir!(Shl ir!(Shl A, K), M), ir!(Shl A, Node::Calc(total_amount))).when(total_amount_is_small),
    exact(ir!(Shl ir!(Ushr A, K), M), and!(A, Node::Calc(|bound| u64::MAX << amount(bound, 2))))
        .when(same_small_amount),
    exact(ir!(Shl ir!(Imul A, K), M), ir!(Imul A, Node::Calc(|bound| bound.constant(2) << amount(bound, 3))))
        .when(|bound| amount(bound, 3) < u64::from(bound.results[0])),
    exact(
        ir!(Shl hw!(Iadd A, K), M),
        hw!(Iadd ir!(Shl A, M), Node::Calc(|bound| bound.constant(2) << amount(bound, 3))),
    )
    .when(shifts_more_than_an_element),
];

static SHIFT_RIGHT: &[Rule] = &[
    exact(ir!(Ushr A, ZERO), A),
    exact(ir!(Ushr ZERO, A), ZERO),
    exact(ir!(Ushr A, K), ZERO).when(shifts_everything_out),
    exact(ir!(Ushr ir!(Ushr A, K), M), ir!(Ushr A, Node::Calc(total_amount))).when(total_amount_is_small),
];

const OUTSIDE: [Rule; 2] = compares_size!(or, LESS, GREATER => GREATER);
const NOT_INSIDE: [Rule; 2] = compares_size!(or, LESS_OR_EQUAL, GREATER_OR_EQUAL => GREATER_OR_EQUAL);
const INSIDE: [Rule; 2] = compares_size!(and, GREATER, LESS => LESS);
const NOT_OUTSIDE: [Rule; 2] = compares_size!(and, GREATER_OR_EQUAL, LESS_OR_EQUAL => LESS_OR_EQUAL);

macro_rules! other_fcmp { ($a:expr, $b:expr) => { ir!(Fcmp[cond = Mod::Bind(0), inv = Mod::Is(1)] $a, $b) }; }
macro_rules! other_icmp { ($a:expr, $b:expr) => { ir!(Icmp[cond = Mod::Bind(0), inv = Mod::Is(1)] $a, $b) }; }

/// A conjunction or disjunction with the complement of a condition that is itself a complement.
macro_rules! of_complement {
    ($join:ident, $first:ident, $second:ident) => {
        [
            of_complement!($first other_fcmp!(A, B), C => $join!(ir!(Fcmp[cond = Mod::Bind(0)] A, B), C)),
            of_complement!($first other_icmp!(A, B), C => $join!(ir!(Icmp[cond = Mod::Bind(0)] A, B), C)),
            of_complement!($first table!(NOR, A, B), C => $join!(or!(A, B), C)),
            of_complement!($first table!(NAND, A, B), C => $join!(and!(A, B), C)),
            of_complement!($second C, other_fcmp!(A, B) => $join!(C, ir!(Fcmp[cond = Mod::Bind(0)] A, B))),
            of_complement!($second C, other_icmp!(A, B) => $join!(C, ir!(Icmp[cond = Mod::Bind(0)] A, B))),
            of_complement!($second C, table!(NOR, A, B) => $join!(C, or!(A, B))),
            of_complement!($second C, table!(NAND, A, B) => $join!(C, and!(A, B))),
        ]
    };
    ($table:ident $first:expr, $second:expr => $to:expr) => {
        exact(table!($table, $first, $second), $to)
    };
}

/// Whether one of two numbers exceeds a third.
const BEYOND: [Rule; 4] = [
    any_beyond!(GREATER, Fmax),
    any_beyond!(GREATER_OR_EQUAL, Fmax),
    any_beyond!(LESS, Fmin),
    any_beyond!(LESS_OR_EQUAL, Fmin),
];

const OR_COMPLEMENT: [Rule; 8] = of_complement!(or, NOT_OR, OR_NOT);
const AND_COMPLEMENT: [Rule; 8] = of_complement!(and, NOT_AND, AND_NOT);

/// One of two comparisons of a number with a constant and its negation is inside another disjunction: the conditions of a
/// longer chain.
macro_rules! outside_or {
    ($inner:ident $c:expr, $outer:ident $k:expr, $positive:expr) => {
        [
            outside_or!(or!(or!(B, fcmp!($inner, A, $c)), fcmp!($outer, A, $k)), $positive),
            outside_or!(or!(or!(fcmp!($inner, A, $c), B), fcmp!($outer, A, $k)), $positive),
            outside_or!(or!(fcmp!($outer, A, $k), or!(B, fcmp!($inner, A, $c))), $positive),
            outside_or!(or!(fcmp!($outer, A, $k), or!(fcmp!($inner, A, $c), B)), $positive),
        ]
    };
    ($from:expr, $positive:expr) => {
        exact($from, or!(B, fcmp!(GREATER, ir!(Fabs A), Node::Const($positive))))
            .when(|bound| are_opposite(bound, $positive))
    };
}

const GREATER_LAST: [Rule; 4] = outside_or!(LESS K, GREATER M, 3);
const LESS_LAST: [Rule; 4] = outside_or!(GREATER K, LESS M, 2);

/// The low bits of sums and products depend only on the low bits of the operands.
macro_rules! low_bits {
    (cut |$a:ident| $operation:expr) => {
        low_bits!(|$a| ir!(Uconv $operation), |bound| low_mask(u64::from(bound.results[0])) & !bound.constant(2) == 0)
    };
    (masked |$a:ident| $operation:expr) => {
        low_bits!(|$a| and!($operation, M), |bound| {
            let (inner, outer) = (bound.constant(2), bound.constant(3));
            outer <= inner && inner & inner.wrapping_add(1) == 0
        })
    };
    (|$a:ident| $operation:expr, $when:expr) => {{
        const WIDE: Node = {
            let $a = and!(A, K);
            $operation
        };
        const SLIM: Node = {
            let $a = A;
            $operation
        };
        exact(WIDE, SLIM).when($when)
    }};
}

/// The rules of several lists.
const fn joined<const COUNT: usize>(lists: &[&[Rule]]) -> [Rule; COUNT] {
    let mut rules = [lists[0][0]; COUNT];
    let (mut list, mut at, mut next) = (0, 0, 0);
    while list < lists.len() {
        if at < lists[list].len() {
            rules[next] = lists[list][at];
            (at, next) = (at + 1, next + 1);
        } else {
            (list, at) = (list + 1, 0);
        }
    }
    assert!(next == COUNT, "the number of rules");
    rules
}

static BITWISE: &[Rule] = &joined::<66>(&[
    LOGIC,
    &OUTSIDE,
    &NOT_INSIDE,
    &INSIDE,
    &NOT_OUTSIDE,
    &BEYOND,
    &OR_COMPLEMENT,
    &AND_COMPLEMENT,
    &GREATER_LAST,
    &LESS_LAST,
]);

const LOGIC: &[Rule] = &[
    low_bits!(masked | a | hw!(Iadd a, B)),
    low_bits!(masked | a | hw!(Iadd B, a)),
    low_bits!(masked | a | hw!(Isub a, B)),
    low_bits!(masked | a | hw!(Isub B, a)),
    low_bits!(masked | a | ir!(Imul a, B)),
    low_bits!(masked | a | ir!(Imul B, a)),
    exact(and!(A, ZERO), ZERO),
    exact(and!(A, ONES), A),
    exact(and!(A, A), A),
    // A field that is extended with its sign and then masked has no use for the sign.
    exact(
        and!(ir!(Sshr ir!(Shl A, K), M), FIRST),
        and!(ir!(Ushr A, Node::Calc(|bound| amount(bound, 3) - amount(bound, 2))), FIRST),
    )
    .when(|bound| amount(bound, 2) <= amount(bound, 3) && lies_within(bound, 1, amount(bound, 3))),
    exact(and!(ir!(Sshr A, K), M), and!(ir!(Ushr A, K), M))
        .when(|bound| lies_within(bound, 3, amount(bound, 2))),
    exact(and!(and!(A, K), M), and!(A, Node::Calc(|bound| bound.constant(2) & bound.constant(3)))),
    exact(or!(A, ZERO), A),
    exact(or!(A, ONES), ONES),
    exact(or!(A, A), A),
    exact(xor!(A, ZERO), A),
    exact(xor!(A, A), ZERO),
    exact(xor!(A, ONES), not!(A)),
    // A complement is free inside another bitwise operation.
    exact(not!(not!(A)), A),
    exact(and!(A, not!(B)), table!(AND_NOT, A, B)),
    exact(and!(not!(A), B), table!(NOT_AND, A, B)),
    exact(or!(A, not!(B)), table!(OR_NOT, A, B)),
    exact(or!(not!(A), B), table!(NOT_OR, A, B)),
    exact(xor!(A, not!(B)), table!(XNOR, A, B)),
    exact(xor!(not!(A), B), table!(XNOR, A, B)),
    exact(table!(XNOR, A, ZERO), not!(A)),
    exact(not!(and!(A, B)), table!(NAND, A, B)),
    exact(not!(or!(A, B)), table!(NOR, A, B)),
    exact(not!(any_icmp!(A, B)), ir!(Icmp[cond = Mod::Bind(0), inv = Mod::Flip(1)] A, B)),
    exact(
        not!(ir!(Fcmp[cond = Mod::Bind(0), inv = Mod::Bind(1)] A, B)),
        ir!(Fcmp[cond = Mod::Bind(0), inv = Mod::Flip(1)] A, B),
    ),
];

/// A comparison for equality.
macro_rules! is {
    ($a:expr, $b:expr) => {
        ir!(Icmp[cond = Mod::Is(IntCondition::EQUAL.get()), inv = Mod::Is(0)] $a, $b)
    };
}

static SELECT: &[Rule] = &[
    exact(ir!(Select ONE, A, B), A),
    exact(ir!(Select ZERO, A, B), B),
    exact(ir!(Select A, B, B), B),
    exact(ir!(Select not!(A), B, C), ir!(Select A, C, B)),
    exact(
        ir!(Select ir!(Fcmp[cond = Mod::Bind(0), inv = Mod::Is(1)] A, B), C, D),
        ir!(Select ir!(Fcmp[cond = Mod::Bind(0)] A, B), D, C),
    )
    .when(selects_number),
    exact(ir!(Select A, ir!(Select A, B, C), D), ir!(Select A, B, D)),
    exact(ir!(Select A, B, ir!(Select A, C, D)), ir!(Select A, B, D)),
    // The corners of a triangle or rectangle, chosen by the number of the vertex.
    exact(ir!(Select is!(A, K), B, ir!(Select is!(A, M), E, B)), ir!(Select is!(A, M), E, B))
        .when(|bound| bound.constant(2) != bound.constant(3)),
    exact(
        ir!(Select is!(A, ZERO), B, ir!(Select is!(A, ONE), B, C)),
        ir!(Select ir!(Icmp[cond = Mod::Is(IntCondition::UNSIGNED_LESS.get()), inv = Mod::Is(0)] A, Node::Int(2)), B, C),
    )
    .when(|bound| bound.widths[0] > 1),
    exact(ir!(Select A, ONE, ZERO), A).when(is_boolean),
    exact(ir!(Select A, ZERO, ONE), not!(A)).when(is_boolean),
    exact(ir!(Select A, A, B), or!(A, B)).when(is_boolean),
    exact(ir!(Select A, B, A), and!(A, B)).when(is_boolean),
    exact(ir!(Select A, ONE, B), or!(A, B)).when(is_boolean),
    exact(ir!(Select A, B, ZERO), and!(A, B)).when(is_boolean),
    exact(ir!(Select A, ZERO, B), table!(NOT_AND, A, B)).when(is_boolean),
    exact(ir!(Select A, B, ONE), table!(NOT_OR, A, B)).when(is_boolean),
    exact(ir!(Select A, ONE, ZERO), ir!(Uconv A)),
    exact(ir!(Select A, ONES, ZERO), ir!(Sconv A)),
    // Selections on `a || b` of comparisons: the second is only relevant where the first does not hold.
    exact(
        ir!(Select ir!(Fcmp[cond = Mod::Bind(0), inv = Mod::Is(1)] A, B), C, ir!(Fcmp[cond = Mod::Bind(0)] A, B)),
        or!(ir!(Fcmp[cond = Mod::Bind(0)] A, B), C),
    )
    .when(is_boolean),
    exact(
        ir!(Select ir!(Icmp[cond = Mod::Bind(0), inv = Mod::Is(1)] A, B), C, ir!(Icmp[cond = Mod::Bind(0)] A, B)),
        or!(ir!(Icmp[cond = Mod::Bind(0)] A, B), C),
    )
    .when(is_boolean),
    exact(ir!(Select table!(NOR, A, B), C, or!(A, B)), or!(C, or!(A, B))).when(is_boolean),
    exact(ir!(Select table!(NAND, A, B), C, D), ir!(Select and!(A, B), D, C)),
    exact(ir!(Select table!(NOR, A, B), C, D), ir!(Select or!(A, B), D, C)),
    // Selecting the factor lets vectors share the selection, and leaves one product.
    exact(ir!(Select A, hw!(Fmul B, C), hw!(Fmul B, D)), hw!(Fmul B, ir!(Select A, C, D))),
    near(ir!(Select A, B, hw!(Fmul B, C)), hw!(Fmul B, ir!(Select A, Node::Float(1.0), C))),
    near(ir!(Select A, hw!(Fmul B, C), B), hw!(Fmul B, ir!(Select A, C, Node::Float(1.0)))),
    // Users apply signs and absolute values for free, a selection does not.
    exact(ir!(Select A, ir!(Fabs B), ir!(Fabs C)), ir!(Fabs ir!(Select A, B, C))),
    exact(ir!(Select A, ir!(Fneg B), ir!(Fneg C)), ir!(Fneg ir!(Select A, B, C))),
    exact(ir!(Select A, hw!(Iadd B, K), hw!(Iadd B, M)), hw!(Iadd B, ir!(Select A, K, M))),
];

static COMPARE: &[Rule] = &[
    exact(any_icmp!(ir!(Select A, FIRST, K), M), ir!(Select A, any_icmp!(FIRST, M), any_icmp!(K, M))),
    exact(any_icmp!(A, A), Node::Calc(|bound| u64::from(equality(bound)) ^ u64::from(bound.mods[1] & 1))),
    // Unsigned: no number is below zero.
    exact(
        ir!(Icmp[cond = Mod::Is(IntCondition::UNSIGNED_LESS.get()), inv = Mod::Bind(1)] A, ZERO),
        Node::Calc(|bound| u64::from(bound.mods[1] & 1)),
    ),
    // A boolean, also one converted to a number, compared with one of its two possible values.
    exact(any_icmp!(A, K), xor!(A, Node::Calc(is_other))).when(compares_boolean),
    exact(any_icmp!(ir!(Uconv A), K), xor!(A, Node::Calc(is_other))).when(compares_boolean),
    exact(any_icmp!(ir!(Sconv A), ZERO), xor!(A, Node::Calc(is_other))).when(compares_boolean),
    exact(any_icmp!(hw!(Isub A, B), ZERO), any_icmp!(A, B)).when(equality),
    exact(any_icmp!(xor!(A, B), ZERO), any_icmp!(A, B)).when(equality),
    exact(
        any_icmp!(hw!(Iadd A, K), M),
        any_icmp!(A, Node::Calc(|bound| bound.constant(3).wrapping_sub(bound.constant(2)))),
    )
    .when(equality),
];

static UNSIGNED_CONVERSION: &[Rule] = &[
    low_bits!(cut | a | hw!(Iadd a, B)),
    low_bits!(cut | a | hw!(Iadd B, a)),
    low_bits!(cut | a | hw!(Isub a, B)),
    low_bits!(cut | a | hw!(Isub B, a)),
    low_bits!(cut | a | ir!(Imul a, B)),
    low_bits!(cut | a | ir!(Imul B, a)),
    exact(ir!(Uconv ir!(Uconv A)), ir!(Uconv A)).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source != result && (middle >= source || middle >= result)
    }),
    exact(ir!(Uconv ir!(Uconv A)), A).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source == result && middle >= source
    }),
    exact(ir!(Uconv ir!(Uconv A)), and!(A, Node::Calc(|bound| low_mask(u64::from(bound.results[1]))))).when(
        |bound| {
            let (source, middle, result) = conversions(bound);
            source == result && middle < source && matches!(source, 16 | 32)
        },
    ),
    exact(ir!(Uconv ir!(Sconv A)), A).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source == result && middle >= source
    }),
    exact(ir!(Uconv ir!(Sconv A)), ir!(Uconv A)).when(|bound| {
        let (source, middle, result) = conversions(bound);
        result < source && result <= middle
    }),
    exact(ir!(Uconv ir!(Sconv A)), ir!(Sconv A)).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source < result && result <= middle
    }),
];

static SIGNED_CONVERSION: &[Rule] = &[
    exact(ir!(Sconv ir!(Sconv A)), ir!(Sconv A)).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source != result && middle >= source
    }),
    exact(ir!(Sconv ir!(Sconv A)), A).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source == result && middle >= source
    }),
    exact(ir!(Sconv ir!(Uconv A)), ir!(Uconv A)).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source < middle && source != result
    }),
    exact(ir!(Sconv ir!(Uconv A)), A).when(|bound| {
        let (source, middle, result) = conversions(bound);
        source < middle && source == result
    }),
];

static FLOAT_CONVERSION: &[Rule] = &[clean(ir!(Fconv ir!(Fconv A)), A).when(|bound| {
    let (source, middle, result) = conversions(bound);
    source == result && middle > source
})];

static FLOAT_COMPARE: &[Rule] =
    &[exact(any_fcmp!(ir!(Select A, FIRST, K), M), ir!(Select A, any_fcmp!(FIRST, M), any_fcmp!(K, M)))];

static NEGATION: &[Rule] = &[
    exact(ir!(Fneg ir!(Fneg A)), A),
    exact(
        ir!(Fneg ir!(Select A, K, M)),
        ir!(Select A, Node::Calc(negated_float), Node::Calc(|bound| negated(bound, 3))),
    ),
];

static ABSOLUTE: &[Rule] =
    &[exact(ir!(Fabs ir!(Fneg A)), ir!(Fabs A)), exact(ir!(Fabs ir!(Fabs A)), ir!(Fabs A))];

static SATURATION: &[Rule] = &[
    exact(ir!(Fsat ir!(Fsat A)), ir!(Fsat A)),
    clean(ir!(Fsat ir!(Fmax A, Node::Float(0.0))), ir!(Fsat A)),
    finite(ir!(Fsat ir!(Fmin A, Node::Float(1.0))), ir!(Fsat A)),
    // The operation that computes A saturates its result, a selection cannot.
    exact(ir!(Fsat ir!(Fmax A, K)), ir!(Fmax ir!(Fsat A), K)).when(is_fraction),
];

/// Whether the constant is between zero and one.
fn is_fraction(bound: &Bound) -> bool {
    let number = float(bound.constant(2), bound.results[0]);
    number.is_normal() && number > 0.0 && number <= 1.0
}

/// An extremum of absolute values is the absolute value of one of them: a selection cannot apply it, but its
/// users can.
macro_rules! extremum_of_sizes {
    ($op:ident, $cond:ident, $b:expr, $size:expr) => {
        clean(ir!($op ir!(Fabs A), $size), ir!(Fabs ir!(Select fcmp!($cond, ir!(Fabs A), $size), A, $b)))
    };
}

/// Whether the constant is non-negative.
fn is_size(bound: &Bound) -> bool {
    bound.constant(2) >> (bound.widths[2] - 1) & 1 == 0
}

static FLOAT_MINIMUM: &[Rule] = &[
    extremum_of_sizes!(Fmin, LESS_OR_NAN, B, ir!(Fabs B)),
    extremum_of_sizes!(Fmin, LESS_OR_NAN, K, K).when(is_size),
    exact(ir!(Fmin A, A), A),
    exact(ir!(Fmin ir!(Fmin A, B), B), ir!(Fmin A, B)),
    exact(ir!(Fmin ir!(Fmin A, K), M), ir!(Fmin A, Node::Calc(|bound| extremum(bound, f32::min))))
        .when(are_numbers),
    clean(ir!(Fmin ir!(Fmax A, Node::Float(0.0)), Node::Float(1.0)), ir!(Fsat A)),
    // Saturation costs nothing if the number has no other use: the operation that computes it saturates its result.
    closer(ir!(Fmin A, Node::Float(1.0)), ir!(Fsat A)).given(|f, bound| bounds(f, bound).low >= 0.0),
];

static FLOAT_MAXIMUM: &[Rule] = &[
    extremum_of_sizes!(Fmax, GREATER_OR_NAN, B, ir!(Fabs B)),
    extremum_of_sizes!(Fmax, GREATER_OR_NAN, K, K).when(is_size),
    exact(ir!(Fmax A, A), A),
    exact(ir!(Fmax ir!(Fmax A, B), B), ir!(Fmax A, B)),
    exact(ir!(Fmax ir!(Fmax A, K), M), ir!(Fmax A, Node::Calc(|bound| extremum(bound, f32::max))))
        .when(are_numbers),
    finite(ir!(Fmax A, K), A)
        .given(|f, bound| is_no_more_than_zero(f, bound) && is_never_negative(f, first(bound))),
    // A dot product of unit vectors may exceed one by rounding; saturated, it is closer to the exact result.
    closer(ir!(Fmax A, Node::Float(0.0)), ir!(Fsat A)).given(|f, bound| bounds(f, bound).high <= 1.0),
];

static SIGNED_MINIMUM: &[Rule] = &[exact(ir!(Imin A, A), A)];
static SIGNED_MAXIMUM: &[Rule] = &[exact(ir!(Imax A, A), A)];
static UNSIGNED_MINIMUM: &[Rule] = &[exact(ir!(Umin A, A), A), exact(ir!(Umin A, ZERO), ZERO)];
static UNSIGNED_MAXIMUM: &[Rule] =
    &[exact(ir!(Umax A, A), A), exact(ir!(Umax A, ZERO), A), exact(ir!(Umax A, ONES), ONES)];

/// A power as a product.
macro_rules! power {
    ($exponent:literal, $product:expr) => {
        closer(hw!(Exp2 hw!(Fmul hw!(Log2 A), Node::Float($exponent))), $product)
    };
}

const SQUARE: Node = hw!(Fmul A, A);
const THIRD: Node = hw!(Fmul SQUARE, A);
const FOURTH: Node = hw!(Fmul SQUARE, SQUARE);
const EIGHTH: Node = hw!(Fmul FOURTH, FOURTH);

static POWER: &[Rule] = &[
    closer(hw!(Exp2 hw!(Log2 A)), A),
    power!(2.0, SQUARE),
    power!(3.0, THIRD),
    power!(4.0, FOURTH),
    power!(5.0, hw!(Fmul FOURTH, A)),
    power!(6.0, hw!(Fmul THIRD, THIRD)),
    power!(8.0, EIGHTH),
    power!(16.0, hw!(Fmul EIGHTH, EIGHTH)),
    power!(0.5, hw!(Fmul A, hw!(Rsqrts A))),
    power!(-0.5, hw!(Rsqrt A)),
    closer(hw!(Exp2 ir!(Fneg hw!(Log2 A))), hw!(Rcp A)),
];

/// The square root of A.
const ROOT: Node = hw!(Fmul A, hw!(Rsqrts A));

static RECIPROCAL: &[Rule] = &[
    closer(hw!(Rcp hw!(Exp2 A)), hw!(Exp2 ir!(Fneg A))),
    closer(hw!(Rcp hw!(Rcp A)), A),
    closer(hw!(Rcp ROOT), hw!(Rsqrt A)),
    // One divided by the cube of a length.
    closer(hw!(Rcp hw!(Fmul A, ROOT)), hw!(Fmul hw!(Fmul hw!(Rsqrt A), hw!(Rsqrt A)), hw!(Rsqrt A))),
];

/// The square root of the square of A.
const ROOT_OF_SQUARE: Rule = closer(hw!(Fmul SQUARE, hw!(Rsqrts SQUARE)), ir!(Fabs A));

/// The square of a square root.
const SQUARED_ROOT: Rule = closer(hw!(Fmul ROOT, ROOT), A);

/// The square of a number whose sign is selected by a condition.
const SQUARED_SIGN: Rule =
    exact(hw!(Fmul ir!(Select A, B, ir!(Fneg B)), ir!(Select A, B, ir!(Fneg B))), hw!(Fmul B, B));

static LOGARITHM: &[Rule] = &[closer(hw!(Log2 hw!(Exp2 A)), A)];

// Conversions of numbers outside the 32-bit integers are undefined in the source languages.
static FLOAT_OF_SIGNED: &[Rule] = &[
    finite(nearest!(S32ToF hw!(FToS32[round = Mod::Is(Rounding::TOWARD_ZERO.get())] A)), hw!(Trunc A)),
    exact(nearest!(S32ToF ir!(Sshr ir!(Shl A, SIXTEEN), SIXTEEN)), nearest!(S16ToF Node::Low(0))),
    exact(nearest!(S32ToF ir!(Sshr A, SIXTEEN)), nearest!(S16ToF Node::High(0))),
    exact(nearest!(S32ToF ir!(Sshr ir!(Shl A, Node::Int(24)), Node::Int(24))), nearest!(S8ToF Node::Low(0))),
    exact(nearest!(S32ToF ir!(Sshr ir!(Shl A, Node::Int(8)), Node::Int(24))), nearest!(S8ToF Node::High(0))),
];

static FLOAT_OF_UNSIGNED: &[Rule] = &[
    exact(nearest!(U32ToF ir!(Uconv A)), ir!(Select A, Node::Float(1.0), ZERO)).when(converts_boolean),
    // Halves and their lower bytes are read as such.
    exact(nearest!(U32ToF and!(ir!(Ushr A, SIXTEEN), BYTE)), nearest!(U8ToF Node::High(0))),
    exact(nearest!(U32ToF and!(A, BYTE)), nearest!(U8ToF Node::Low(0))),
    exact(nearest!(U32ToF and!(A, HALF)), nearest!(U16ToF Node::Low(0))),
    exact(nearest!(U32ToF ir!(Ushr A, SIXTEEN)), nearest!(U16ToF Node::High(0))),
];

/// A conversion to an integer truncates by itself.
macro_rules! conversion_truncates {
    ($convert:ident) => {
        &[exact(
            hw!($convert[round = Mod::Is(Rounding::TOWARD_ZERO.get())] hw!(Trunc A)),
            hw!($convert[round = Mod::Is(Rounding::TOWARD_ZERO.get())] A),
        )
        .when(|bound| bound.widths[0] == bound.results[1])]
    };
}

static SIGNED_OF_FLOAT: &[Rule] = conversion_truncates!(FToS32);
static UNSIGNED_OF_FLOAT: &[Rule] = conversion_truncates!(FToU32);

/// A sum smaller than its summands by this factor stays: its rounding is significant.
const CANCELLED: f64 = 1.0 / 1024.0;

/// The sum of two constants; NaN if they nearly cancel.
fn sum(a: f64, b: f64) -> f64 {
    let is_small = a != 0.0 && b != 0.0 && (a + b).abs() < CANCELLED * a.abs().max(b.abs());
    if is_small { f64::NAN } else { a + b }
}

/// A constant that `combine` computes from those of FIRST, K and M, in the width of the result; `None` if one of them
/// is neither zero nor a normal number.
fn combined(bound: &Bound, combine: fn([f64; 3]) -> f64) -> Option<u64> {
    let width = bound.results[0];
    let is_normal = |number: f32| match width {
        16 => agx_isa::half::Half::from_f32(number).is_normal(),
        _ => number.is_normal(),
    };
    let number = combine([1, 2, 3].map(|index| match float(bound.constant(index), width) {
        number if number == 0.0 || is_normal(number) => f64::from(number),
        _ => f64::NAN,
    }));
    (number == 0.0 || is_normal(number as f32)).then(|| match width {
        16 => u64::from(agx_isa::half::Half::from_f32(number as f32).to_bits()),
        _ => u64::from((number as f32).to_bits()),
    })
}

/// A chain of sums and products with constants as one operation. The constants of the result are computed from those of
/// FIRST, K and M. `opt_linear` regroups longer sums.
macro_rules! regrouped {
    ($from:expr, $op:ident $base:expr $(, $combine:expr)+) => {
        rule(Regrouped, $from, hw!($op $base $(, Node::Calc(|bound| combined(bound, $combine).unwrap_or(0)))+))
            .when(|bound| true $(&& combined(bound, $combine).is_some())+)
    };
}

/// The rules of addition, multiplication and their fusion at one width.
macro_rules! float_rules {
    ($add:ident, $multiply:ident, $fused:ident, $add_rules:ident, $multiply_rules:ident, $fused_rules:ident $(, $more:expr)*) => {
        static $add_rules: &[Rule] = &[
    passes(hw!($add A, Node::Float(0.0)), A),
    clean(hw!($add A, Node::Float(-0.0)), A),
    exact(
        hw!($add ir!(Select A, FIRST, K), M),
        ir!(Select A, Node::Calc(|bound| float_sum(bound, 1, 3)), Node::Calc(|bound| float_sum(bound, 2, 3))),
    )
    .when(sums_are_numbers),
    finite(hw!($add A, ir!(Fneg A)), Node::Float(0.0)),
    finite(hw!($add ir!(Fneg A), A), Node::Float(0.0)),
    passes(hw!($add ir!(Fneg A), ir!(Fneg B)), ir!(Fneg hw!($add A, B))),
    regrouped!(hw!($add hw!($add A, K), M), $add A, |[_, k, m]| sum(k, m)),
    regrouped!(hw!($add ir!(Fneg hw!($add A, K)), M), $add ir!(Fneg A), |[_, k, m]| sum(m, -k)),
    regrouped!(hw!($add hw!($add ir!(Fneg A), K), hw!($add A, M)), $fused A, |_| 0.0, |[_, k, m]| sum(k, m)),
    regrouped!(hw!($add hw!($add A, M), hw!($add ir!(Fneg A), K)), $fused A, |_| 0.0, |[_, k, m]| sum(k, m)),
        ];
        static $multiply_rules: &[Rule] = &[
    passes(hw!($multiply A, Node::Float(1.0)), A),
    passes(hw!($multiply A, Node::Float(-1.0)), ir!(Fneg A)),
    finite(hw!($multiply A, Node::Float(0.0)), Node::Float(0.0)),
    finite(hw!($multiply A, Node::Float(-0.0)), Node::Float(0.0)),
    near(hw!($multiply hw!($multiply A, K), M), hw!($multiply A, Node::Calc(float_product)))
                .when(product_is_normal),
    exact(hw!($multiply ir!(Fneg A), ir!(Fneg B)), hw!($multiply A, B)),
            // Signs move outward, so that products that differ only in sign become equal.
    passes(hw!($multiply ir!(Fneg A), K), hw!($multiply A, Node::Calc(negated_float))),
    passes(hw!($multiply ir!(Fneg A), B), ir!(Fneg hw!($multiply A, B))),
    passes(hw!($multiply A, ir!(Fneg B)), ir!(Fneg hw!($multiply A, B))),
    regrouped!(hw!($multiply hw!($add hw!($multiply A, FIRST), K), M), $fused A, |[f, _, m]| f * m, |[_, k, m]| k * m),
    regrouped!(hw!($multiply hw!($add A, K), M), $fused A, |[_, _, m]| m, |[_, k, m]| k * m),
    regrouped!(hw!($multiply hw!($fused A, FIRST, K), M), $fused A, |[f, _, m]| f * m, |[_, k, m]| k * m),
    $($more),*
        ];
        static $fused_rules: &[Rule] = &[
    passes(hw!($fused A, B, Node::Float(0.0)), hw!($multiply A, B)),
    passes(hw!($fused A, B, Node::Float(-0.0)), hw!($multiply A, B)),
    finite(hw!($fused A, Node::Float(0.0), B), B),
    finite(hw!($fused Node::Float(0.0), A, B), B),
    finite(hw!($fused A, Node::Float(-0.0), B), B),
    clean(hw!($fused A, Node::Float(1.0), B), hw!($add A, B)),
    clean(hw!($fused A, Node::Float(-1.0), B), hw!($add ir!(Fneg A), B)),
    passes(hw!($fused ir!(Fneg A), K, B), hw!($fused A, Node::Calc(negated_float), B)),
        ];
    };
}

float_rules!(
    Fadd,
    Fmul,
    Ffma,
    FLOAT_ADD,
    FLOAT_MULTIPLY,
    FLOAT_FUSED,
    SQUARED_ROOT,
    SQUARED_SIGN,
    ROOT_OF_SQUARE
);
float_rules!(Hadd, Hmul, Hfma, HALF_ADD, HALF_MULTIPLY, HALF_FUSED);

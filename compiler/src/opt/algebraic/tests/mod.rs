//! Evaluates both sides of every rule on edge and random inputs.

use agx_isa::semantics::{PureArgs, Source};
use agx_isa::table::Opcode;
use agx_random::Random;
use bumpalo::Bump;

use super::pattern::{
    Bound, Exactness, Mod, Node, Rule, Widths, arg_width, literal, replacement_mods, widths_of,
};
use super::rules::GROUPS;
use crate::ir::op::mod_place;
use crate::ir::{Build, Builder, Function, IrOp, Op, Src, Stage, Type, validate};

const WIDTHS: [u8; 5] = [1, 8, 16, 32, 64];

/// One, infinity, NaN and the smallest number of 16 and 32 bits, and their signs.
const FLOATS: [u64; 7] = [0x3c00, 0x7c00, 0x7e01, 0x3f80_0000, 0x7f80_0000, 0x7fc0_1234, 1];
const SIGNS: [u64; 3] = [0, 0x8000, 0x8000_0000];

/// The edge of a width, its neighbour or negation, or a special float.
fn edge(random: &mut Random) -> u64 {
    let width = u32::from(WIDTHS[random.below(WIDTHS.len())]);
    let power = 1u64.wrapping_shl(width - random.below(2) as u32);
    match random.below(4) {
        0 => power,
        1 => power - 1,
        2 => power.wrapping_neg(),
        _ => FLOATS[random.below(FLOATS.len())] | SIGNS[random.below(SIGNS.len())],
    }
}

fn value(random: &mut Random) -> u64 {
    match random.below(5) {
        // A number of moderate size.
        4 => {
            let number = (1.0 + random.below(1 << 20) as f32 / 65536.0)
                * if random.below(2) == 0 { 1.0 } else { -1.0 };
            if random.below(2) == 0 {
                u64::from(number.to_bits())
            } else {
                u64::from(half::f16::from_f32(number).to_bits())
            }
        }
        0 => random.next_u64(),
        1 => random.next_u64() & 0x3f,
        _ => edge(random),
    }
}

fn allowed(op: Op, width: u8) -> bool {
    match op {
        Op::Hw(Opcode::Fadd | Opcode::Fmul | Opcode::Ffma | Opcode::Exp2 | Opcode::Log2) => width == 32,
        Op::Hw(Opcode::S32ToF | Opcode::U32ToF | Opcode::FToS32) => width == 32,
        Op::Hw(Opcode::Rcp | Opcode::Rsqrt | Opcode::Rsqrts) => width == 32,
        Op::Hw(Opcode::Hadd | Opcode::Hmul | Opcode::Hfma) => width == 16,
        Op::Ir(IrOp::Fneg | IrOp::Fabs | IrOp::Fsat | IrOp::Fmin | IrOp::Fmax | IrOp::Fconv) => {
            matches!(width, 16 | 32)
        }
        Op::Hw(Opcode::Bitop)
        | Op::Ir(IrOp::Select | IrOp::Icmp | IrOp::Fcmp | IrOp::Uconv | IrOp::Sconv) => true,
        _ => width != 1,
    }
}

/// Chooses widths and values for everything in the pattern; `None` if they do not fit.
fn choose(node: Node, width: u8, random: &mut Random, bound: &mut Bound) -> Option<()> {
    match node {
        Node::Any(index) | Node::Const(index) => {
            if bound.srcs[index].is_some() {
                return (bound.widths[index] == width).then_some(());
            }
            let bits = match random.below(4) {
                0 | 1 if index == 3 && bound.srcs[2].is_some() => bound.constant(2),
                2 if index == 3 && bound.srcs[2].is_some() => bound.constant(2) ^ 1 << (width - 1),
                _ => value(random),
            };
            bound.srcs[index] = Some(Src::imm(bits, width));
            bound.widths[index] = width;
            Some(())
        }
        Node::Int(_) | Node::Float(_) => literal(node, width).map(|_| ()),
        Node::Calc(_) | Node::Low(_) | Node::High(_) => None,
        Node::Apply(op, mods, args) => {
            let boolean = matches!(op, Op::Ir(IrOp::Icmp | IrOp::Fcmp));
            if !allowed(op, width) || boolean != (width == 1 && boolean) {
                return None;
            }
            bound.results.push(width);
            for named in mods {
                if let Mod::Bind(index) = named.is {
                    let roll = random.below(6);
                    let is_flag = Some(named.place) == mod_place(op, "inv");
                    bound.mods[index] = if is_flag { roll as u32 & 1 } else { [0, 1, 2, 4, 5, 6][roll] };
                }
            }
            let known = bound.widths.iter().copied().find(|width| matches!(width, 16 | 32));
            let free = match op {
                Op::Ir(IrOp::Fcmp) => known.unwrap_or([16, 32][random.below(2)]),
                _ => WIDTHS[random.below(5)],
            };
            for (index, arg) in args.iter().enumerate() {
                let width = match (widths_of(op), index) {
                    (Widths::Sources | Widths::Free, _) => free,
                    (Widths::FirstAndResult, 1) => 32,
                    (Widths::AllButFirst, 0) => 1,
                    _ => width,
                };
                choose(*arg, width, random, bound)?;
            }
            Some(())
        }
    }
}

/// Evaluates a node; `next` indexes the result widths of nested operations in the order of `choose`.
fn evaluate(node: Node, width: u8, pattern: bool, next: &mut usize, bound: &Bound) -> Source {
    let bits = match node {
        Node::Any(index) | Node::Const(index) => {
            let src = bound.srcs[index].expect("bound");
            return Source { bits: src.payload, width: src.bits, flags: src.flags };
        }
        Node::Int(_) | Node::Float(_) => literal(node, width).expect("fits"),
        Node::Calc(compute) => Src::imm(compute(bound), width).payload,
        Node::Low(index) => return half(bound, index, 0),
        Node::High(index) => return half(bound, index, 16),
        Node::Apply(op, mods, args) => {
            let width = if pattern { bound.results[*next] } else { width };
            *next += 1;
            let mut sources = Vec::new();
            for (index, arg) in args.iter().enumerate() {
                let width = pattern_arg_width(op, index, args, width, bound);
                sources.push(evaluate(*arg, width, pattern, next, bound));
            }
            let mods = replacement_mods(op, mods, bound);
            let dst_width = if matches!(op, Op::Ir(IrOp::Icmp | IrOp::Fcmp)) { 1 } else { width };
            let pure = op.pure_fn().expect("rules are about pure operations");
            let bits = pure(&PureArgs { dst_width, sources: &sources, mods: &mods });
            return Source { bits, width: dst_width, flags: Default::default() };
        }
    };
    Source { bits, width, flags: Default::default() }
}

/// The half of a bound word from bit `first` on.
fn half(bound: &Bound, index: usize, first: u32) -> Source {
    Source { bits: bound.constant(index) >> first & 0xffff, width: 16, flags: Default::default() }
}

/// Like [`arg_width`]; a literal has the width of the operation next to it.
fn pattern_arg_width(op: Op, index: usize, args: &[Node], width: u8, bound: &Bound) -> u8 {
    if widths_of(op) == Widths::Sources
        && !args.iter().any(|arg| matches!(arg, Node::Any(_) | Node::Const(_)))
        && let Some(inner) = bound.results.get(1)
    {
        return *inner;
    }
    arg_width(op, index, args, width, bound)
}

fn float(bits: u64, width: u8) -> f64 {
    let number = match width {
        16 => f64::from(half::f16::from_bits(bits as u16)),
        64 => f64::from_bits(bits),
        _ => f64::from(f32::from_bits(bits as u32)),
    };
    if width == 32 && number.abs() < f64::from(f32::MIN_POSITIVE) { 0f64.copysign(number) } else { number }
}

fn agree(rule: &Rule, bound: &Bound, a: Source, b: Source) -> bool {
    let (x, y) = (float(a.bits, a.width), float(b.bits, b.width));
    let passes = x == y || x.is_nan() && y.is_nan();
    let moderate = bound.srcs.iter().flatten().all(is_moderate);
    let is_converted = matches!(rule.from, Node::Apply(Op::Hw(Opcode::S32ToF), ..));
    let limit = if is_converted { 2f64.powi(31) } else { f64::INFINITY };
    let finite = bound.srcs.iter().flatten().all(|src| float(src.payload, src.bits).abs() < limit);
    a.width == b.width
        && match rule.exactness {
            Exactness::Exact => a.bits == b.bits,
            Exactness::Clean => passes && (x.is_nan() || x.is_sign_negative() == y.is_sign_negative()),
            Exactness::Passes => passes,
            Exactness::Finite => passes || !finite,
            Exactness::Near => passes || !moderate || is_near(x, y, a.width),
            Exactness::Regrouped => passes || !moderate || are_sums(x, y, a.width, bound),
            Exactness::Closer => passes || !moderate || is_close(x, y),
        }
}

/// Whether two numbers agree except for their last ten digits, with a tolerance of at least the last digit of
/// 1. If the first is not finite, they always agree.
fn is_close(x: f64, y: f64) -> bool {
    !x.is_finite() || (x - y).abs() <= y.abs().max(2f64.powi(-9)) * 2f64.powi(10 - 24)
}

/// Whether two numbers agree as sums of products of the sources do that are rounded in different places.
fn are_sums(x: f64, y: f64, width: u8, bound: &Bound) -> bool {
    let largest =
        bound.srcs.iter().flatten().fold(1.0f64, |most, src| most.max(float(src.payload, src.bits).abs()));
    (x - y).abs() <= largest.powi(3) * 2f64.powi(2 - if width == 16 { 11 } else { 24 })
}

/// Whether products of a few such numbers remain normal numbers.
fn is_moderate(src: &Src) -> bool {
    let size = float(src.payload, src.bits).abs();
    if src.bits == 16 { size > 0.1 && size < 30.0 } else { size > 1e-4 && size < 1e4 }
}

/// Whether two numbers differ by at most two units in the last place.
fn is_near(x: f64, y: f64, width: u8) -> bool {
    let digits = if width == 16 { 11 } else { 24 };
    (x - y).abs() <= y.abs() * 2f64.powi(2 - digits)
}

#[test]
fn both_sides_of_every_rule_agree() {
    let mut random = Random::new(7);
    let bump = Bump::new();
    let f = Function::new(&bump, "facts");
    for (root, rules) in GROUPS {
        for (number, rule) in rules.iter().enumerate() {
            let mut hits = 0;
            for _ in 0..300_000 {
                if hits == 2000 {
                    break;
                }
                let mut bound = Bound::default();
                let width = WIDTHS[random.below(5)];
                if choose(rule.from, width, &mut random, &mut bound).is_none() || !holds(rule, &f, &bound) {
                    continue;
                }
                hits += 1;
                let from = evaluate(rule.from, width, true, &mut 0, &bound);
                let to = evaluate(rule.to, width, false, &mut 0, &bound);
                assert!(
                    agree(rule, &bound, from, to),
                    "{root:?} rule {number}: {from:?} became {to:?} with {bound:?}"
                );
            }
            assert!(hits > 20, "{root:?} rule {number} was tried on {hits} inputs only");
        }
    }
}

/// Whether the conditions of a rule hold for sources that are constants.
fn holds(rule: &Rule, f: &Function<'_>, bound: &Bound) -> bool {
    (rule.when)(bound) && rule.given.is_none_or(|given| given(f, bound))
}

/// Builds the pattern with `sources` for those that may be any, and with the constants of `bound`.
fn plant(
    builder: &mut Builder<'_, '_>,
    node: Node,
    width: u8,
    next: &mut usize,
    bound: &Bound,
    sources: &[Src],
) -> Src {
    let (op, mods, args) = match node {
        Node::Any(index) => return sources[index],
        Node::Const(index) => return bound.srcs[index].expect("bound"),
        Node::Int(_) | Node::Float(_) | Node::Calc(_) | Node::Low(_) | Node::High(_) => {
            return Src::imm(literal(node, width).expect("fits"), width);
        }
        Node::Apply(op, mods, args) => (op, mods, args),
    };
    let width = bound.results[*next];
    *next += 1;
    let mut srcs = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let width = pattern_arg_width(op, index, args, width, bound);
        srcs.push(plant(builder, *arg, width, next, bound, sources));
    }
    let mods = replacement_mods(op, mods, bound);
    Src::value(builder.value(op, Type::scalar(width), &srcs, &mods))
}

/// Whether the pass applies `rule` to its pattern with these sources.
fn is_replaced(rule: &Rule, bound: &Bound) -> bool {
    let bump = Bump::new();
    let mut f = Function::new(&bump, "rule");
    let mut sources = Vec::new();
    for (width, src) in bound.widths.into_iter().zip(bound.srcs) {
        let param = f.add_value(Type::scalar(width.max(1)));
        f.params.push(param);
        // Facts hold for the constants, not for any parameter.
        sources.push(src.filter(|_| rule.given.is_some()).unwrap_or(Src::value(param)));
    }
    let mut builder = Builder::start(&mut f);
    let planted = plant(&mut builder, rule.from, bound.results[0], &mut 0, bound, &sources);
    builder.effect(IrOp::Keep, &[planted], &[]);
    builder.finish();
    // Constants that are equal have a rule of their own.
    let is_equal = f.def(planted).is_some_and(|data| data.srcs.windows(2).any(|pair| pair[0] == pair[1]));
    if rule.given.is_some() && is_equal {
        return false;
    }
    // Some rules allow widths that only the semantics support.
    let was_valid = validate(&f, Stage::Source).is_ok();
    let mut rules = super::Rules::new(&f);
    f.map_insts(|rewriter, inst| {
        let data = rewriter.f.insts[inst];
        rules.visit(rewriter, &data)
    });
    let replaced = validate(&f, Stage::Source);
    assert!(!was_valid || replaced.is_ok(), "{replaced:?}\n{f}");
    let kept = *f.block(f.entry()).insts.last().expect("keep");
    f.insts[kept].srcs != [planted]
}

/// For some constants a rule for the inner operation may apply first, but not for all.
#[test]
fn every_rule_is_found() {
    let mut random = Random::new(8);
    let bump = Bump::new();
    let f = Function::new(&bump, "facts");
    for (root, rules) in GROUPS {
        for (number, rule) in rules.iter().enumerate() {
            let found = (0..100_000).any(|_| {
                let mut bound = Bound::default();
                let width = WIDTHS[random.below(5)];
                let chosen = choose(rule.from, width, &mut random, &mut bound);
                chosen.is_some() && holds(rule, &f, &bound) && is_replaced(rule, &bound)
            });
            assert!(found, "{root:?} rule {number}");
        }
    }
}

#[test]
fn groups_contain_rules_of_their_operation() {
    for (root, rules) in GROUPS {
        for rule in *rules {
            assert!(matches!(rule.from, Node::Apply(op, ..) if op == *root), "{root:?}");
        }
    }
}

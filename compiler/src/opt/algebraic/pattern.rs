//! Patterns: the structure of rules, matching, and building of replacements.

use agx_isa::desc::Role;
use arrayvec::ArrayVec;

use crate::ir::op::{Mods, mod_place, mods};
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewriter, Src, SrcKind, Type};

/// How exact a replacement is, the most exact first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Exactness {
    /// Equal bits for all inputs.
    Exact,
    /// The original flushes denormals and canonicalises NaNs, the replacement passes such inputs through;
    /// otherwise equal bits, including the signs of zeros. The front end rejects shaders that require a
    /// particular treatment of denormals, so this is allowed everywhere.
    Clean,
    /// Like `Clean`, but the sign of a zero may differ.
    Passes,
    /// Like `Passes`, but the results may differ if a source is infinite, NaN, or outside the integers that it
    /// is converted to: the source languages let compilers assume that this does not happen.
    Finite,
    /// Like `Finite`, but with as many roundings in other places: normal results differ by at most two units in
    /// the last place.
    Near,
    /// Like `Finite`, but sums are rounded in other places, because constants of one are combined first.
    Regrouped,
    /// Closer to the exact result than the original, which loses up to ten digits in intermediate results,
    /// and defined where the original is undefined or leaves the range of floats in between.
    Closer,
}

impl Exactness {
    /// Whether a rule holds where a shader requires results as written: for sources of `exact`, and in
    /// functions whose zeros, infinities and NaNs are significant.
    pub(super) fn is_strict(self) -> bool {
        self <= Exactness::Clean
    }

    /// The least exact rules that a function allows.
    pub(super) fn limit(f: &Function<'_>) -> Exactness {
        match (f.contract, f.special_values) {
            (false, _) => Exactness::Clean,
            (true, true) => Exactness::Passes,
            (true, false) => Exactness::Closer,
        }
    }
}

/// A modifier in a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mod {
    /// Exactly this value.
    Is(u32),
    /// Any value, bound to a number; in a replacement, the bound value.
    Bind(usize),
    /// In a replacement, the complement of a bound flag.
    Flip(usize),
}

/// A tree of operations.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// Any source; equal numbers denote equal sources.
    Any(usize),
    /// Any constant; shares its numbers with `Any`.
    Const(usize),
    /// This integer, truncated to the width of its operand.
    Int(u64),
    /// This float in the width of its operand.
    Float(f32),
    /// In a replacement, a constant computed from the bound sources.
    Calc(fn(&Bound) -> u64),
    /// In a replacement, the lower half of a bound word. Registers of 16 bits are the halves of others, so that it costs nothing.
    Low(usize),
    /// In a replacement, the upper half of a bound word.
    High(usize),
    /// An operation. Modifiers that are not named have their default.
    Apply(Op, &'static [Named], &'static [Node]),
}

/// A modifier that a pattern names, by its place among those of the operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    /// The place.
    pub place: usize,
    /// What it is.
    pub is: Mod,
}

impl Named {
    /// The modifier `name` of `op`.
    pub(super) const fn new(op: Op, name: &str, is: Mod) -> Named {
        let Some(place) = mod_place(op, name) else { panic!("the operation lacks the modifier") };
        Named { place, is }
    }
}

/// The first modifier of an operation, what its first sources are, and which of them are equal, in one word: comparing it rules
/// out most rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The code of each part: the modifier, the sources, the equalities.
    codes: u64,
    /// The bits of the codes that are known.
    known: u64,
}

/// Bits of a part of a shape.
const PART_BITS: usize = 12;
/// The bits of the first part.
const PART: u64 = (1 << PART_BITS) - 1;
/// Number of sources in a shape.
const SHAPED: usize = 3;
/// The code of a constant; the code of a result is the number of its operation from 1 on, and anything else is 0.
const CONSTANT: u64 = PART;
/// The pairs of sources whose equality is a bit of the last part.
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

impl Shape {
    const UNKNOWN: Shape = Shape { codes: 0, known: 0 };

    /// What a pattern tells of the instructions that it matches.
    pub(super) const fn of_pattern(pattern: &Node) -> Shape {
        let mut shape = Shape::UNKNOWN;
        let Node::Apply(_, mods, args) = pattern else { return shape };
        let mut at = 0;
        while at < mods.len() {
            if let Named { place: 0, is: Mod::Is(number) } = mods[at] {
                shape = shape.with(0, number as u64, PART);
            }
            at += 1;
        }
        at = 0;
        while at < args.len() && at < SHAPED {
            match args[at] {
                Node::Apply(op, ..) => shape = shape.with(1 + at, 1 + op.index() as u64, PART),
                Node::Const(_) | Node::Int(_) | Node::Float(_) => shape = shape.with(1 + at, CONSTANT, PART),
                _ => {}
            }
            at += 1;
        }
        at = 0;
        while at < PAIRS.len() {
            let (first, second) = PAIRS[at];
            if second < args.len()
                && let (Node::Any(first), Node::Any(second)) = (&args[first], &args[second])
                && *first == *second
            {
                shape = shape.with(1 + SHAPED, 1 << at, 1 << at);
            }
            at += 1;
        }
        shape
    }

    /// The shape of an instruction.
    #[inline]
    pub(super) fn of(f: &Function<'_>, data: &InstData<'_>) -> Shape {
        let modifier = data.mods.first().map_or(0, |number| u64::from(*number));
        let mut shape = Shape::UNKNOWN.with(0, modifier & PART, PART);
        for (at, src) in data.srcs.iter().take(SHAPED).enumerate() {
            let code = match src.as_value().and_then(|value| f.values[value].def) {
                Some(def) => 1 + f.insts[def].op.index() as u64,
                None if src.kind == SrcKind::Imm => CONSTANT,
                None => 0,
            };
            shape = shape.with(1 + at, code, PART);
        }
        for (at, (first, second)) in PAIRS.into_iter().enumerate() {
            let is_equal = second < data.srcs.len() && data.srcs[first] == data.srcs[second];
            shape = shape.with(1 + SHAPED, u64::from(is_equal) << at, 1 << at);
        }
        shape
    }

    const fn with(self, part: usize, code: u64, known: u64) -> Shape {
        let first = part * PART_BITS;
        Shape { codes: self.codes | code << first, known: self.known | known << first }
    }

    /// Whether an instruction with this shape may match a pattern with another one.
    #[inline]
    pub(super) const fn may_match(self, pattern: Shape) -> bool {
        self.codes & pattern.known == pattern.codes
    }
}

/// A rewrite rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// How exact it is.
    pub exactness: Exactness,
    /// The pattern to replace.
    pub from: Node,
    /// The replacement.
    pub to: Node,
    /// A condition on the bound sources.
    pub when: fn(&Bound) -> bool,
    /// A condition on what is known of the values that they are.
    pub given: Option<fn(&Function<'_>, &Bound) -> bool>,
    /// The shape of the pattern.
    pub shape: Shape,
}

/// Maximum number of sources that a rule binds.
pub(super) const MAX_SOURCES: usize = 5;
/// Maximum number of operations in a pattern.
const MAX_OPERATIONS: usize = 5;
/// Maximum number of modifiers that a rule binds.
pub(super) const MAX_MODS: usize = 2;

/// Bindings of a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    /// Sources by number.
    pub srcs: [Option<Src>; MAX_SOURCES],
    /// Widths of those sources.
    pub widths: [u8; MAX_SOURCES],
    /// Modifiers by number.
    pub mods: [u32; MAX_MODS],
    /// Result widths of the operations of the pattern, the root first, then in order.
    pub results: ArrayVec<u8, MAX_OPERATIONS>,
}

impl Bound {
    /// The constant bound to `index`; 0 if there is none.
    pub(super) fn constant(&self, index: usize) -> u64 {
        self.srcs[index].and_then(Src::as_imm).unwrap_or(0)
    }
}

/// Which operand widths must agree for the rules of an operation to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Widths {
    /// Sources and result.
    All,
    /// The first source and the result; the second is a shift amount.
    FirstAndResult,
    /// All except the first source, a boolean.
    AllButFirst,
    /// The sources; the result is a boolean.
    Sources,
    /// None: a conversion.
    Free,
}

/// Which widths of `op` must agree.
pub(super) fn widths_of(op: Op) -> Widths {
    match op {
        Op::Ir(IrOp::Shl | IrOp::Ushr | IrOp::Sshr) => Widths::FirstAndResult,
        Op::Ir(IrOp::Select) => Widths::AllButFirst,
        Op::Ir(IrOp::Icmp | IrOp::Fcmp) => Widths::Sources,
        Op::Ir(IrOp::Uconv | IrOp::Sconv | IrOp::Fconv) => Widths::Free,
        _ => Widths::All,
    }
}

/// Matches `rule` against an instruction.
pub(super) fn matches(f: &Function<'_>, rule: &Rule, data: &InstData<'_>) -> Option<Bound> {
    let mut bound = Bound::default();
    let fits = match_inst(f, &rule.from, data, &mut bound) && (rule.when)(&bound);
    (fits && rule.given.is_none_or(|given| given(f, &bound))).then_some(bound)
}

fn bind(f: &Function<'_>, index: usize, src: Src, bound: &mut Bound) -> bool {
    match bound.srcs[index] {
        Some(known) => known == src,
        None => {
            bound.srcs[index] = Some(src);
            bound.widths[index] = f.width(src);
            true
        }
    }
}

/// Matches the operation of `node` with an instruction. Recursion is bounded by the rules, like that of [`match_source`].
fn match_inst(f: &Function<'_>, node: &Node, data: &InstData<'_>, bound: &mut Bound) -> bool {
    let Node::Apply(op, mods, args) = node else { return false };
    if data.op != *op || data.srcs.len() != args.len() || !match_mods(data, mods, bound) {
        return false;
    }
    // Most instructions do not match because of a source, so the width comes last.
    let at = bound.results.len();
    bound.results.push(0);
    if !args.iter().zip(data.srcs).all(|(arg, src)| match_source(f, arg, *src, bound)) {
        return false;
    }
    let width = result_width(f, data);
    bound.results[at] = width.unwrap_or(0);
    width.is_some()
}

/// Matches a source of an instruction with one of a pattern.
fn match_source(f: &Function<'_>, node: &Node, src: Src, bound: &mut Bound) -> bool {
    if !src.flags.is_empty() {
        return false;
    }
    match node {
        Node::Any(index) => bind(f, *index, src, bound),
        Node::Const(index) => src.kind == SrcKind::Imm && bind(f, *index, src, bound),
        Node::Int(_) | Node::Float(_) => {
            src.as_imm().is_some_and(|bits| literal(*node, src.bits) == Some(bits))
        }
        Node::Calc(_) | Node::Low(_) | Node::High(_) => false,
        Node::Apply(..) => {
            let def = src.as_value().and_then(|value| f.values[value].def);
            def.is_some_and(|def| match_inst(f, node, &f.insts[def], bound))
        }
    }
}

/// The width of the only result of an instruction; `None` if no rule matches the instruction because its result is a vector
/// or its widths do not agree.
fn result_width(f: &Function<'_>, data: &InstData<'_>) -> Option<u8> {
    let result = f.ty(data.dst()?);
    (result.comps == 1 && widths_agree(f, data, result.bits)).then_some(result.bits)
}

#[inline(always)]
fn widths_agree(f: &Function<'_>, data: &InstData<'_>, result: u8) -> bool {
    let width = |src: &Src| f.width(*src);
    let all = |srcs: &[Src], expected: u8| srcs.iter().all(|src| width(src) == expected);
    match widths_of(data.op) {
        Widths::All => all(data.srcs, result),
        Widths::FirstAndResult => all(&data.srcs[..1], result),
        Widths::AllButFirst => all(&data.srcs[1..], result),
        Widths::Sources => all(data.srcs, width(&data.srcs[0])),
        Widths::Free => true,
    }
}

fn match_mods(data: &InstData<'_>, wanted: &[Named], bound: &mut Bound) -> bool {
    for (place, actual) in data.mods.iter().enumerate() {
        match wanted.iter().find(|named| named.place == place).map(|named| named.is) {
            None if *actual != default_mod(data.op, place) => return false,
            Some(Mod::Is(number)) if *actual != number => return false,
            Some(Mod::Bind(index)) => bound.mods[index] = *actual,
            _ => {}
        }
    }
    true
}

/// The default of the modifier of an operation at `place`.
#[inline]
pub(super) fn default_mod(op: Op, place: usize) -> u32 {
    match op {
        Op::Hw(op) if !op.desc().zero_defaults => {
            op.desc().with_role(Role::Mod).nth(place).map_or(0, |(_, operand)| operand.default.value)
        }
        _ => 0,
    }
}

/// A literal of a pattern in `width` bits.
pub(super) fn literal(node: Node, width: u8) -> Option<u64> {
    match (node, width) {
        (Node::Int(number), _) => Src::imm(number, width).as_imm(),
        (Node::Float(number), 16) => Some(u64::from(agx_isa::half::Half::from_f32(number).to_bits())),
        (Node::Float(number), 32) => Some(u64::from(number.to_bits())),
        _ => None,
    }
}

/// Builds the replacement; `None` if its type would differ from the original's.
pub(super) fn build(rewriter: &mut Rewriter<'_, '_>, rule: &Rule, bound: &Bound) -> Option<Src> {
    let width = *bound.results.first()?;
    let src = build_node(rewriter, rule.to, width, bound)?;
    (rewriter.f.src_ty(src) == Type::scalar(width)).then_some(src)
}

/// Recursion is bounded by the rules: replacements nest two or three deep, regardless of the input.
fn build_node(rewriter: &mut Rewriter<'_, '_>, node: Node, width: u8, bound: &Bound) -> Option<Src> {
    match node {
        Node::Any(index) | Node::Const(index) => bound.srcs[index],
        Node::Int(_) | Node::Float(_) => Some(Src::imm(literal(node, width)?, width)),
        Node::Calc(compute) => Some(Src::imm(compute(bound), width)),
        Node::Low(index) => Some(rewriter.split(bound.srcs[index]?, Type::B16, 2)[0]),
        Node::High(index) => Some(rewriter.split(bound.srcs[index]?, Type::B16, 2)[1]),
        Node::Apply(op, mods, args) => {
            let mut srcs: ArrayVec<Src, MAX_SOURCES> = ArrayVec::new();
            for (index, arg) in args.iter().enumerate() {
                let width = arg_width(op, index, args, width, bound);
                srcs.push(build_node(rewriter, *arg, width, bound)?);
            }
            let mods = replacement_mods(op, mods, bound);
            Some(rewriter.alu(op, width, &srcs, &mods))
        }
    }
}

/// The modifiers of an operation in a replacement.
pub(super) fn replacement_mods(op: Op, given: &[Named], bound: &Bound) -> Mods {
    let mut mods = mods(op);
    for named in given {
        mods[named.place] = match named.is {
            Mod::Is(number) => number,
            Mod::Bind(index) => bound.mods[index],
            Mod::Flip(index) => bound.mods[index] ^ 1,
        };
    }
    mods
}

/// The width of source `index` of an operation in a replacement whose result has `width` bits.
pub(super) fn arg_width(op: Op, index: usize, args: &[Node], width: u8, bound: &Bound) -> u8 {
    match (widths_of(op), index) {
        (Widths::AllButFirst, 0) => 1,
        (Widths::FirstAndResult, 1) => 32.min(width),
        (Widths::Sources | Widths::Free, _) => {
            args.iter().find_map(|arg| named_width(arg, bound)).unwrap_or(width)
        }
        _ => width,
    }
}

/// The width of a bound source, or of width-preserving operations on it.
fn named_width(mut node: &Node, bound: &Bound) -> Option<u8> {
    loop {
        match node {
            Node::Any(index) | Node::Const(index) => return Some(bound.widths[*index]),
            Node::Apply(op, _, [source, ..]) if widths_of(*op) == Widths::All => node = source,
            _ => return None,
        }
    }
}

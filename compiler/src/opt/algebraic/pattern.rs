//! Patterns: the structure of rules, matching, and building of replacements.

use agx_isa::desc::Role;
use arrayvec::ArrayVec;

use crate::ir::families::Ops;
use crate::ir::op::{Mods, mod_place, mods};
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewriter, Src, SrcKind, Type, Value};

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

impl Node {
    /// The operation that must define source `index`, if the pattern specifies one.
    const fn made_by(&self, index: usize) -> Option<Op> {
        match self {
            Node::Apply(_, _, args) if index < args.len() => match args[index] {
                Node::Apply(op, ..) => Some(op),
                _ => None,
            },
            _ => None,
        }
    }

    /// Number of sources.
    const fn sources(&self) -> usize {
        match self {
            Node::Apply(_, _, args) => args.len(),
            _ => 0,
        }
    }

    /// Whether source `index` must be a constant.
    const fn requires_constant(&self, index: usize) -> bool {
        match self {
            Node::Apply(_, _, args) if index < args.len() => {
                !matches!(args[index], Node::Any(_) | Node::Apply(..))
            }
            _ => false,
        }
    }

    /// The bits that source `index` must have if it is a constant of 32 bits and the pattern specifies them.
    const fn required_literal(&self, index: usize) -> Option<u64> {
        match self {
            Node::Apply(_, _, args) if index < args.len() => match args[index] {
                // A wider number is truncated to the width of the source.
                Node::Int(number) if number <= u32::MAX as u64 => Some(number),
                Node::Float(number) => Some(number.to_bits() as u64),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether two sources must be equal.
    const fn requires_equal(&self, [first, second]: [usize; 2]) -> bool {
        let Node::Apply(_, _, args) = self else { return false };
        if second >= args.len() {
            return false;
        }
        match (&args[first], &args[second]) {
            (Node::Any(a), Node::Any(b)) => *a == *b,
            _ => false,
        }
    }

    /// Whether one of two sources must equal the first source of the operation that defines the other, source `maker`.
    const fn requires_repeated(&self, maker: usize) -> bool {
        let Node::Apply(_, _, args) = self else { return false };
        if args.len() != 2 {
            return false;
        }
        match (&args[maker], &args[1 - maker]) {
            (Node::Apply(_, _, [Node::Any(inner), ..]), Node::Any(other)) => *inner == *other,
            _ => false,
        }
    }
}

/// Maximum number of different defining operations that the rules of a group require for one source.
const MAX_MAKERS: usize = 16;

/// Number of leading sources by which candidate rules are selected: all that rules have.
const DECIDING: usize = 3;

/// The place of a 32-bit constant in a Bloom filter: small integers differ, and so do powers of two as floats.
const fn place_of(constant: u64) -> u64 {
    (constant ^ constant >> 23) % 64
}

/// The rules of a group that may match, by the definition of one source, as bit masks.
#[derive(Clone, Copy, Debug)]
struct BySource {
    /// Rules that accept any source.
    any: u128,
    /// Rules that require a constant.
    constant: u128,
    /// Rules that require a particular 32-bit constant.
    literal: u128,
    /// A Bloom filter of those constants.
    literals: u64,
    /// Whether rules require defining operations.
    has_makers: bool,
    /// The defining operations that rules require.
    wanted: Ops,
    /// The index of each of them, and its rules.
    makers: [(u16, u128); MAX_MAKERS],
}

impl BySource {
    const NONE: BySource = BySource {
        any: 0,
        constant: 0,
        literal: 0,
        literals: 0,
        has_makers: false,
        wanted: Ops::NONE,
        makers: [(u16::MAX, 0); MAX_MAKERS],
    };

    /// Adds rule `at`, whose pattern is `from`, by its source `index`.
    const fn with(mut self, at: usize, from: Node, index: usize) -> BySource {
        let bit = 1 << at;
        if let Some(op) = from.made_by(index) {
            self.has_makers = true;
            self.wanted = self.wanted.with(op);
            let number = op.index() as u16;
            let mut place = 0;
            while self.makers[place].0 != number && self.makers[place].1 != 0 {
                place += 1;
            }
            self.makers[place] = (number, self.makers[place].1 | bit);
        } else if let Some(number) = from.required_literal(index) {
            self.literal |= bit;
            self.literals |= 1 << place_of(number);
        } else if from.requires_constant(index) {
            self.constant |= bit;
        } else {
            self.any |= bit;
        }
        self
    }

    /// The rules that may match given `src`.
    #[inline(always)]
    fn rules(&self, f: &Function<'_>, src: Src) -> u128 {
        match src.kind {
            SrcKind::Imm if src.bits == 32 && self.literals >> place_of(src.payload) & 1 == 0 => {
                self.any | self.constant
            }
            SrcKind::Imm => self.any | self.constant | self.literal,
            SrcKind::Value if self.has_makers => {
                match f.values[Value(src.payload as u32)].def.map(|def| f.insts[def].op) {
                    Some(op) if self.wanted.contains(op) => self.any | self.made_by(op),
                    _ => self.any,
                }
            }
            _ => self.any,
        }
    }

    /// The rules that require the source to be defined by `op`; there is at least one.
    fn made_by(&self, op: Op) -> u128 {
        let is_it = |maker: &&(u16, u128)| usize::from(maker.0) == op.index();
        self.makers.iter().find(is_it).map_or(0, |(_, rules)| *rules)
    }
}

/// The rules of an operation, with masks of those that may match given its sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The rules; the first match applies.
    pub rules: &'static [Rule],
    /// Rules that may match, by each source.
    by_source: [BySource; DECIDING],
    /// Rules that require two sources to be equal, by [`PAIRS`].
    same: [u128; PAIRS.len()],
    /// Rules that require a source to be defined from the other one, by the index of the defined one.
    repeated: [u128; 2],
}

/// The pairs of sources.
const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

impl Group {
    /// No rules.
    pub(super) const NONE: Group = Group::of(&[]);

    /// The group of `rules`.
    pub(super) const fn of(rules: &'static [Rule]) -> Group {
        assert!(rules.len() <= 128, "the masks have one bit per rule");
        let (mut by_source, mut same) = ([BySource::NONE; DECIDING], [0; PAIRS.len()]);
        let mut repeated = [0; 2];
        let mut at = 0;
        while at < rules.len() {
            assert!(rules[at].from.sources() <= DECIDING, "every source decides");
            let mut index = 0;
            while index < DECIDING {
                by_source[index] = by_source[index].with(at, rules[at].from, index);
                index += 1;
            }
            let mut pair = 0;
            while pair < PAIRS.len() {
                if rules[at].from.requires_equal(PAIRS[pair]) {
                    same[pair] |= 1 << at;
                }
                pair += 1;
            }
            let mut maker = 0;
            while maker < repeated.len() {
                if rules[at].from.requires_repeated(maker) {
                    repeated[maker] |= 1 << at;
                }
                maker += 1;
            }
            at += 1;
        }
        Group { rules, by_source, same, repeated }
    }

    /// Mask of the rules that may match given the sources of `data`.
    #[inline(always)]
    pub(super) fn candidates(&self, f: &Function<'_>, data: &InstData<'_>) -> u128 {
        let without = |is_same: bool, pair: usize| if is_same { u128::MAX } else { !self.same[pair] };
        let mut rules = match data.srcs {
            [a, b] => without(a == b, 0),
            [a, b, c] => without(a == b, 0) & without(a == c, 1) & without(b == c, 2),
            _ => u128::MAX,
        };
        for (src, by_source) in data.srcs.iter().zip(&self.by_source) {
            rules &= by_source.rules(f, *src);
        }
        let [first, second] = self.repeated;
        if rules & (first | second) != 0 { rules & !self.not_repeated(f, data) } else { rules }
    }

    /// Mask of the rules that require a source to be defined from the other one, which it is not.
    fn not_repeated(&self, f: &Function<'_>, data: &InstData<'_>) -> u128 {
        let [a, b] = data.srcs else { return 0 };
        let without = |maker: &Src, other: &Src, rules: u128| {
            let def = maker.as_value().and_then(|value| f.values[value].def);
            if def.is_some_and(|def| f.insts[def].srcs.first() == Some(other)) { 0 } else { rules }
        };
        without(a, b, self.repeated[0]) | without(b, a, self.repeated[1])
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
    (match_inst(f, &rule.from, data, &mut bound) && (rule.when)(&bound)).then_some(bound)
}

/// Whether `rule`, one of the [candidates](Group::candidates), may match an instruction with `srcs`, judged
/// by its constants. This cheaply excludes most rules.
#[inline]
pub(super) fn could_match(rule: &Rule, srcs: &[Src]) -> bool {
    let Node::Apply(_, _, args) = &rule.from else { return false };
    args.iter().zip(srcs).all(|(arg, src)| match arg {
        Node::Int(number) => src.payload == *number || *number == u64::MAX,
        Node::Float(number) => src.bits != 32 || src.payload == u64::from(number.to_bits()),
        _ => true,
    })
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
        Node::Calc(_) => false,
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
fn default_mod(op: Op, place: usize) -> u32 {
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

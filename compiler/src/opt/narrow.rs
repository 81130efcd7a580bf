//! Narrows the results of operations to what their readers need.
//!
//! * `fadd x, -0.0` is the hardware's float move: with the `sat` modifier it saturates, with a 16-bit destination it rounds.
//!   Every float operation can do both itself, in the same order, so the move is removed if it is the only use of its source.
//!   Likewise, integer operations truncate their result to a 16-bit destination themselves.
//! * Relaxed-precision floats (`RelaxedPrecision`, mediump) become halves where that needs no conversion. The hardware's float
//!   operations read sources of 16 and 32 bits in any mix and round to a 16-bit destination at no cost: a value can be a half
//!   if its defining operation can round and all its uses read it as a float. It then takes half the registers, and sums and
//!   products of halves only have shorter latency (philipturner, metal-benchmarks).
//!
//! Values related by phis and selections must have the same width. Such a *web* of values becomes 16 bits
//! wide if every value in it can, and if each value computed in it is either marked as relaxed or only used
//! as a relaxed value.
//!
//! Before: stage selected. After: the same.

use agx_isa::desc::{Results, Role};
use agx_isa::half::Half;
use agx_isa::inst::{Size, Tag};
use agx_isa::operand::Style;
use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;

use crate::analysis::uses::uses;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::vectors::taken_apart;
use crate::ir::{
    Function, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Side, Src, SrcKind, Type, Value,
};

/// The first operand of select instructions that is passed through unchanged.
const FIRST_CHOICE: usize = 2;

/// Folds saturation and rounding into the operations they read, and narrows relaxed floats to halves.
pub fn opt_narrow(f: &mut Function<'_>) {
    fold_moves(f);
    if std::mem::take(&mut f.has_relaxed) {
        narrow_relaxed(f);
    }
}

/// Folds moves into the operations that define their sources.
fn fold_moves(f: &mut Function<'_>) {
    let mut insts = f.layout.iter().flat_map(|segment| &f.block(segment.block).insts);
    // Most functions have none.
    if !insts.any(|inst| may_move(&f.insts[*inst])) {
        return;
    }
    f.with_scratch(|f, scratch| {
        let uses = uses(f, scratch);
        map_some(f, may_move, |r, inst| {
            let data = r.f.insts[inst];
            let folded = fold(r, &uses, &data).or_else(|| cut(r, &uses, &data));
            if folded.is_some() { Rewrite::Remove } else { Rewrite::Keep }
        });
    });
}

/// Whether an instruction may be a move.
fn may_move(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Hw(Opcode::Fadd | Opcode::Hadd) => data.srcs[1].as_imm().is_some(),
        Op::Hw(Opcode::Bitop) => data.get(key::TABLE) == Truth::FIRST,
        _ => false,
    }
}

/// The source that an instruction moves without changing its sign.
fn moved(f: &Function<'_>, data: &InstData<'_>) -> Option<Src> {
    let ([source, zero], Op::Hw(Opcode::Fadd | Opcode::Hadd)) = (data.srcs, data.op) else { return None };
    let is_plain = source.flags.is_empty() && zero.flags.is_empty();
    (is_plain && zero.as_imm() == Some(1 << (f.width(*zero) - 1))).then_some(*source)
}

/// Transfers the destination and the saturation of a float move to the producer of its source.
fn fold<'a>(r: &mut Rewriter<'_, 'a>, uses: &ScratchSide<'_, Value, u32>, data: &InstData<'a>) -> Option<()> {
    let (source, dst) = (moved(r.f, data)?.as_value()?, *data.dsts.first()?);
    let producer = r.f.values[source].def?;
    let made = r.f.insts[producer];
    let (from, to) = (r.f.ty(source).bits, r.f.ty(dst).bits);
    let can = match made.op {
        Op::Hw(Opcode::Hadd | Opcode::Hmul | Opcode::Hfma) => from == 16 && to == 16,
        op => op.results().contains(Results::ROUNDED) && made.is_pure() && to <= from,
    };
    // A producer that saturates may also round; one that rounds to 16 bits would have rounded before
    // saturating.
    if !can || uses[source] != 1 {
        return None;
    }
    let index = made.op.mod_index("sat")?;
    let mut mods = made.mods.to_vec();
    mods[index] |= u32::from(data.get(key::SAT));
    let mods = r.f.alloc(&mods);
    r.f.set_inst(producer, InstData { dsts: data.dsts, mods, ..made });
    Some(())
}

/// Transfers the 16-bit destination of a truncating move to the integer operation that defines its source.
fn cut<'a>(r: &mut Rewriter<'_, 'a>, uses: &ScratchSide<'_, Value, u32>, data: &InstData<'a>) -> Option<()> {
    let moves = data.op == Op::Hw(Opcode::Bitop) && data.get(key::TABLE) == Truth::FIRST;
    let ([source, _], [dst]) = (data.srcs, data.dsts) else { return None };
    let source =
        source.as_value().filter(|value| moves && uses[*value] == 1 && r.f.ty(*value) == Type::B32)?;
    let producer = r.f.values[source].def?;
    let made = r.f.insts[producer];
    let can = made.op.results().contains(Results::CUT) && !made.get(key::SAT);
    if r.f.ty(*dst) != Type::B16 || !can {
        return None;
    }
    r.f.set_inst(producer, InstData { dsts: data.dsts, ..made });
    Some(())
}

/// Narrows relaxed-precision floats to halves where that needs no conversion.
fn narrow_relaxed(f: &mut Function<'_>) {
    let mut webs = Webs::new(f);
    for param in f.params.iter() {
        webs.widen(*param);
    }
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            webs.read(f, &f.insts[*inst]);
        }
    }
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            webs.make(f, &f.insts[*inst]);
        }
    }
    let narrow = webs.narrow(f);
    for value in f.values.keys() {
        if narrow[value] {
            f.values[value].ty.bits = 16;
            f.values[value].relaxed = false;
        }
    }
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        match narrowed(r.f, &data, &narrow) {
            Some(Narrowed::Inst(op, srcs)) => {
                let srcs = r.f.alloc(&srcs);
                r.f.set_inst(inst, InstData { op, srcs, ..data });
                Rewrite::Keep
            }
            Some(Narrowed::Source(src)) => Rewrite::Forward(src),
            None => Rewrite::Keep,
        }
    });
}

/// Properties of a web, stored at its root, and of single values.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// A value of the web needs 32 bits.
    wide: bool,
    /// A value of the web is relaxed.
    relaxed: bool,
    /// The value has a use at full precision, other than being passed through as a relaxed value.
    is_read: bool,
}

/// Disjoint sets of the values that must have one width.
struct Webs {
    parent: Side<Value, u32>,
    facts: Side<Value, Facts>,
}

impl Webs {
    fn new(f: &Function<'_>) -> Webs {
        let mut parent: Side<Value, u32> = Side::new(f.values.len());
        for value in f.values.keys() {
            parent[value] = value.0;
        }
        Webs { parent, facts: Side::new(f.values.len()) }
    }

    /// The representative of the web of `value`.
    fn root(&mut self, mut value: Value) -> Value {
        while self.parent[value] != value.0 {
            let above = Value(self.parent[value]);
            self.parent[value] = self.parent[above];
            value = above;
        }
        value
    }

    fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.root(a), self.root(b));
        let (from, to) = (self.facts[b], &mut self.facts[a]);
        to.wide |= from.wide;
        to.relaxed |= from.relaxed;
        self.parent[b] = a.0;
    }

    fn widen(&mut self, value: Value) {
        let root = self.root(value);
        self.facts[root].wide = true;
    }

    /// Applies the constraints of an instruction on its sources.
    fn read(&mut self, f: &Function<'_>, data: &InstData<'_>) {
        for (index, src) in data.srcs.iter().enumerate() {
            let dst = data.dst().filter(|dst| passes_on(data.op, index) && f.ty(*dst) == Type::B32);
            let Some(value) = src.as_value() else {
                if let Some(dst) = dst.filter(|dst| !is_half(*src, f.values[*dst].relaxed)) {
                    self.widen(dst);
                }
                continue;
            };
            match dst {
                Some(dst) => {
                    self.join(dst, value);
                    self.facts[value].is_read |= !f.values[dst].relaxed;
                }
                None => {
                    self.facts[value].is_read = true;
                    let takes_apart = taken_apart(f, data).is_some() && is_vector_of_floats(f, *src);
                    if !takes_apart && !reads_halves(data, index) {
                        self.widen(value);
                    }
                }
            }
        }
    }

    /// Applies the constraints of an instruction on its results.
    fn make(&mut self, f: &Function<'_>, data: &InstData<'_>) {
        let vector = taken_apart(f, data).map(|(vector, _)| vector);
        let vector = vector.filter(|vector| is_vector_of_floats(f, (*vector).into()));
        let can_round = vector.is_some() || data.op.results().contains(Results::ROUNDED);
        for dst in data.dsts.iter().filter(|dst| f.ty(**dst) == Type::B32) {
            let (relaxed, is_read) = (f.values[*dst].relaxed, self.facts[*dst].is_read);
            if relaxed {
                let root = self.root(*dst);
                self.facts[root].relaxed = true;
            }
            if !(passes_on(data.op, FIRST_CHOICE) || can_round && (relaxed || !is_read)) {
                self.widen(*dst);
            }
            if let Some(vector) = vector {
                self.join(vector, *dst);
            }
        }
    }

    /// The values to narrow.
    fn narrow(&mut self, f: &Function<'_>) -> Side<Value, bool> {
        let mut narrow: Side<Value, bool> = Side::new(f.values.len());
        for value in f.values.keys().filter(|value| f.ty(*value).bits == 32) {
            let root = self.root(value);
            let facts = self.facts[root];
            narrow[value] = facts.relaxed && !facts.wide;
        }
        narrow
    }
}

/// Whether source `index` of `op` is passed through unchanged.
fn passes_on(op: Op, index: usize) -> bool {
    match op {
        Op::Ir(IrOp::Phi) => true,
        Op::Hw(Opcode::Fcsel | Opcode::Icsel) => index >= FIRST_CHOICE,
        _ => false,
    }
}

/// Whether a source that is not a value may become a half: a constant that a half represents exactly or, if
/// relaxed, by rounding.
fn is_half(src: Src, relaxed: bool) -> bool {
    let number = f32::from_bits(src.payload as u32);
    let is_near = || relaxed && Half::from_f32(number).is_normal();
    src.kind == SrcKind::Imm && (Half::exactly(number).is_some() || is_near())
}

/// Whether the operation reads source `index` as a float and can read it from a 16-bit register.
fn reads_halves(data: &InstData<'_>, index: usize) -> bool {
    let Op::Hw(op) = data.op else { return false };
    let Some((_, operand)) = op.desc().with_role(Role::Src).nth(index) else { return false };
    let flags = data.srcs[index].flags;
    operand.kind.style == Style::Float
        && operand.kind.forms.iter().all(|form| form.context_mask == 0)
        && operand.kind.forms.iter().any(|form| {
            form.tag == Tag::Reg && form.size == Size::B16 && form.allowed_flags().contains(flags)
        })
}

/// Whether the components of `src` are defined by an operation that can also give 16-bit floats.
fn is_vector_of_floats(f: &Function<'_>, src: Src) -> bool {
    let Some(data) = f.def(src) else { return false };
    matches!(data.op, Op::Hw(Opcode::Smpf | Opcode::Smpi | Opcode::Iter | Opcode::Iterproj))
}

/// The narrowed form of an instruction.
enum Narrowed {
    Inst(Op, Vec<Src>),
    Source(Src),
}

/// The instruction with constants in the width of the values passed through, with half-only operations, and
/// without moves of halves.
fn narrowed(f: &Function<'_>, data: &InstData<'_>, narrow: &Side<Value, bool>) -> Option<Narrowed> {
    let dst = data.dst()?;
    let is_move = |source: &Src| f.ty(dst) == Type::B16 && f.width(*source) == 16 && !data.get(key::SAT);
    if let Some(source) = moved(f, data).filter(is_move) {
        return Some(Narrowed::Source(source));
    }
    if !narrow[dst] {
        return None;
    }
    if passes_on(data.op, FIRST_CHOICE) {
        let pass = |(index, src)| if passes_on(data.op, index) { as_half(src) } else { *src };
        return Some(Narrowed::Inst(data.op, data.srcs.iter().enumerate().map(pass).collect()));
    }
    let op = match data.op {
        Op::Hw(Opcode::Fadd) => Opcode::Hadd,
        Op::Hw(Opcode::Fmul) => Opcode::Hmul,
        Op::Hw(Opcode::Ffma) => Opcode::Hfma,
        _ => return None,
    };
    let of_halves = |src: &Src| match src.kind {
        SrcKind::Imm => is_half(*src, true),
        _ => f.width(*src) == 16,
    };
    data.srcs
        .iter()
        .all(of_halves)
        .then(|| Narrowed::Inst(op.into(), data.srcs.iter().map(as_half).collect()))
}

/// The source, rounded if it is a constant.
fn as_half(src: &Src) -> Src {
    match src.as_imm() {
        Some(bits) if src.bits == 32 => {
            let half = Half::from_f32(f32::from_bits(bits as u32));
            Src { payload: u64::from(half.to_bits()), bits: 16, ..*src }
        }
        _ => *src,
    }
}

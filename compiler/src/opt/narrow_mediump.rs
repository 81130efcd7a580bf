//! Narrows relaxed-precision floats (`RelaxedPrecision`, mediump) to halves.
//!
//! The hardware's float operations read sources of 16 and 32 bits in any mix and round to a 16-bit
//! destination at no cost. A value can therefore be a half without conversions if its defining operation can
//! round and all its uses read it as a float. It then takes half the registers, and sums and products of
//! halves only have shorter latency (philipturner, metal-benchmarks).
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

use crate::ir::key;
use crate::ir::vectors::taken_apart;
use crate::ir::{Function, InstData, IrOp, Op, Rewrite, Side, Src, SrcKind, Type, Value};

/// The first operand of select instructions that is passed through unchanged.
const FIRST_CHOICE: usize = 2;

/// Narrows relaxed-precision floats to halves where that needs no conversion.
pub fn opt_narrow_mediump(f: &mut Function<'_>) {
    if !f.has_relaxed {
        return;
    }
    f.has_relaxed = false;
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
    let half = Half::from_f32(number);
    let exact = half.to_f32().to_bits() == number.to_bits();
    src.kind == SrcKind::Imm && (exact || (relaxed && half.is_normal()))
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
    if is_move(f, data) && f.ty(dst) == Type::B16 && f.width(data.srcs[0]) == 16 {
        return Some(Narrowed::Source(data.srcs[0]));
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

/// Whether the instruction passes its first source through unchanged.
fn is_move(f: &Function<'_>, data: &InstData<'_>) -> bool {
    let ([source, zero], Op::Hw(Opcode::Fadd | Opcode::Hadd)) = (data.srcs, data.op) else { return false };
    let is_plain = source.flags.is_empty() && zero.flags.is_empty() && !data.get(key::SAT);
    is_plain && zero.as_imm() == Some(1 << (f.width(*zero) - 1))
}

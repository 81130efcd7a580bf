//! Instruction selection: replaces the operations that have a direct hardware counterpart.
//!
//! Booleans become 16-bit values 0 and 1, bytes become 16-bit values below 256. Comparisons are fused into the
//! selects and ifs that read them, because the hardware compares and selects in one instruction; negation,
//! absolute value and the widening of 16-bit sources become source modifiers, which are free. `opt_dce` removes operations that become unused.
//!
//! Constants and uniforms may remain where the operand cannot encode them; `lower_operands` loads those.
//!
//! Before: stage lowered; no 8-bit arithmetic; no 64-bit arithmetic except sums. After: stage selected.

use agx_isa::desc::{OperandDesc, Role, SIGNED_CONDITION, Sign};
use agx_isa::inst::{OperandFlags, Size, Tag};
use agx_isa::operand::Style;
use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Truth, Value as _};
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::repeatable::repeatable;
use crate::error::CompileError;
use crate::ir::key;
use crate::ir::machine::is_legal_source;
use crate::ir::op::mods;
use crate::ir::{
    Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Src, SrcKind, Stage, Type,
    Value,
};

/// The float identity of addition: x + -0.0 is x for every x.
const NEGATIVE_ZERO: u64 = 1 << 31;

/// Replaces the operations that have a direct hardware counterpart.
///
/// # Errors
/// An operation of a width that an earlier pass should have lowered is an internal error.
pub fn lower_select(f: &mut Function<'_>) -> Result<(), CompileError> {
    f.with_scratch(select_all)
}

fn select_all(f: &mut Function<'_>, scratch: &Bump) -> Result<(), CompileError> {
    let narrow = f.values.keys_where(|row| row.ty.bits < Type::B16.bits);
    let narrow: ArenaVec<'_, Value> = ArenaVec::from_iter_in(narrow, scratch);
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    if narrow.is_empty() && !insts.any(|inst| is_selected(&f.insts[*inst])) {
        f.stage = Stage::Selected;
        return Ok(());
    }
    let count = f.values.len();
    let mut selector = Selector {
        uses: ScratchSide::later_in(scratch, count),
        repeatable: ScratchSide::later_in(scratch, 0),
        widened_from: ScratchSide::later_in(scratch, f.insts.len()),
        narrow: ScratchSide::later_in(scratch, count),
        compares: ScratchSide::later_in(scratch, count),
        joined: ScratchSide::later_in(scratch, count),
        modified: ScratchSide::later_in(scratch, count),
        widened: ScratchSide::later_in(scratch, count),
        error: None,
    };
    if !narrow.is_empty() {
        selector.find_reads_of_narrow(f);
        if f.layout.len() > 1 {
            selector.repeatable = repeatable(f, scratch);
        }
        for value in narrow {
            selector.narrow[value] = f.ty(value).bits;
            f.values[value].ty.bits = Type::B16.bits;
        }
    }
    f.map_insts(|r, inst| selector.select(r, inst));
    f.stage = Stage::Selected;
    selector.error.map_or(Ok(()), Err)
}

/// Whether an operation may be replaced: it is not yet a machine instruction, or it reads a constant or a uniform that is to be
/// widened.
fn is_selected(data: &InstData<'_>) -> bool {
    let is_replaced = matches!(data.op, Op::Ir(op) if !stays(op));
    is_replaced || data.srcs.iter().any(is_narrow)
}

/// Whether a source is a constant or a uniform that is a boolean or a byte.
fn is_narrow(src: &Src) -> bool {
    (1..Type::B16.bits).contains(&src.bits)
}

/// Whether an operation has no hardware counterpart before registers are allocated.
fn stays(op: IrOp) -> bool {
    use IrOp::{Collect, Copy, Export, Halt, Jump, Phi, Preload, Split};
    matches!(op, Phi | Collect | Split | Copy | Preload | Export | Jump | Halt)
}

/// A comparison that can be repeated where its result is read.
#[derive(Clone, Copy)]
struct Compare {
    float: bool,
    sources: [Src; 2],
    cond: u32,
    inverted: bool,
    block: crate::ir::Block,
}

struct Selector<'s> {
    /// Number of uses of each boolean.
    uses: ScratchSide<'s, Value, u32>,
    /// Comparisons that every reader repeats.
    repeatable: ScratchSide<'s, Value, bool>,
    /// Width of the source of a conversion, if that was a boolean or a byte; by now it may have been forwarded to another
    /// value.
    widened_from: ScratchSide<'s, Inst, u8>,
    /// Width of a value that was a boolean or a byte.
    narrow: ScratchSide<'s, Value, u8>,
    compares: ScratchSide<'s, Value, Option<Compare>>,
    /// For results of `and` and `or` of booleans: the table and the sources.
    joined: ScratchSide<'s, Value, Option<(Truth, [Src; 2])>>,
    /// For results of negation, absolute value and float widening: the source that a float operand may read
    /// instead.
    modified: ScratchSide<'s, Value, Option<Src>>,
    /// For results of integer widening: the source that an integer operand may read instead.
    widened: ScratchSide<'s, Value, Option<Src>>,
    error: Option<CompileError>,
}

/// Properties that determine whether an instruction may read a source before its widening to 32 bits.
#[derive(Clone, Copy)]
struct Reader {
    op: Opcode,
    /// It compares signed integers.
    signed_condition: bool,
    /// More than the low 32 bits of the extended sources matter, or their signs do.
    exact: bool,
}

impl Reader {
    fn new(op: Opcode, dst_bits: u8, mods: &[u32]) -> Reader {
        let modifier = |name| Op::Hw(op).mod_index(name).map_or(0, |index| mods[index]);
        Reader {
            op,
            signed_condition: modifier("cond") & SIGNED_CONDITION != 0,
            exact: dst_bits > 32 || modifier("sat") != 0,
        }
    }

    /// Whether the operand is sign-extended from the source's own size.
    fn extends_sign(&self, operand: &OperandDesc) -> bool {
        match operand.sign {
            Sign::Flagged => false,
            Sign::Own => true,
            Sign::OfCondition => self.signed_condition,
        }
    }
}

/// Whether `operand` can encode `src`, which is narrower than the operand's width. If the form depends on
/// other operands, as for the values of a select, the width must match theirs.
fn fits(r: &Rewriter<'_, '_>, operand: &OperandDesc, src: Src) -> bool {
    let forms = operand.kind.forms;
    if forms.iter().any(|form| form.context_mask != 0) {
        return false;
    }
    if src.kind == SrcKind::Uniform {
        let allows =
            forms.iter().any(|form| form.tag == Tag::Uniform && form.allowed_flags().contains(src.flags));
        return allows && is_legal_source(operand, src);
    }
    forms.iter().any(|form| {
        form.tag == Tag::Reg
            && form.size == Size::for_bits(r.f.width(src))
            && form.allowed_flags().contains(src.flags)
    })
}

/// Conditions of one selection, which is made by several selects in sequence.
type Conditions = ArrayVec<Src, 4>;

/// Maximum number of sources of a recipe.
const MAX_RECIPE_ARGS: usize = 4;

/// Source of a recipe.
#[derive(Clone, Copy)]
enum Arg {
    A,
    B,
    Zero,
}

/// The single instruction for an IR operation of 16 or 32 bits.
struct Recipe {
    ir: IrOp,
    hw: Opcode,
    args: &'static [Arg],
    cond: Option<u32>,
}

const fn recipe(ir: IrOp, hw: Opcode, args: &'static [Arg], cond: Option<u32>) -> Recipe {
    Recipe { ir, hw, args, cond }
}

/// Conditions: 1 unsigned less, 2 unsigned greater, 5 signed less, 6 signed greater; for floats, 3 and 7 are
/// less and greater that also hold if the second source is NaN, intended for min and max.
static RECIPES: &[Recipe] = &{
    use Arg::{A, B, Zero};
    [
        recipe(IrOp::Imul, Opcode::Imadd, &[A, B, Zero], None),
        recipe(IrOp::Shl, Opcode::Bfi, &[Zero, A, B], None),
        recipe(IrOp::Ushr, Opcode::Bfeil, &[Zero, A, B], None),
        recipe(IrOp::Sshr, Opcode::Asr, &[A, B], None),
        recipe(IrOp::Umin, Opcode::Icsel, &[A, B, A, B], Some(1)),
        recipe(IrOp::Umax, Opcode::Icsel, &[A, B, A, B], Some(2)),
        recipe(IrOp::Imin, Opcode::Icsel, &[A, B, A, B], Some(5)),
        recipe(IrOp::Imax, Opcode::Icsel, &[A, B, A, B], Some(6)),
        recipe(IrOp::Fmin, Opcode::Fcsel, &[A, B, A, B], Some(3)),
        recipe(IrOp::Fmax, Opcode::Fcsel, &[A, B, A, B], Some(7)),
    ]
};

impl Selector<'_> {
    /// Counts the uses of each boolean, and finds the widths of the sources of conversions that read a boolean or a byte.
    fn find_reads_of_narrow(&mut self, f: &Function<'_>) {
        for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
            let data = &f.insts[*inst];
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                let bits = f.ty(value).bits;
                if bits < Type::B16.bits {
                    self.uses[value] += u32::from(bits == 1);
                    if let Op::Ir(IrOp::Uconv | IrOp::Sconv) = data.op {
                        self.widened_from[*inst] = bits;
                    }
                }
            }
        }
    }

    fn select<'a>(&mut self, r: &mut Rewriter<'_, 'a>, inst: Inst) -> Rewrite {
        let mut data = r.f.insts[inst];
        let from = match data.op {
            Op::Ir(IrOp::Uconv | IrOp::Sconv) => self.width_converted(r, inst),
            _ => 0,
        };
        if data.srcs.iter().any(is_narrow) {
            data = widen_narrow_sources(r, inst);
        }
        match data.op {
            Op::Ir(IrOp::Uconv) => self.convert(r, &data, from, false),
            Op::Ir(IrOp::Sconv) => self.convert(r, &data, from, true),
            Op::Hw(Opcode::Bitop) if data.dst().is_some_and(|dst| self.narrow[dst] == 1) => {
                self.boolean_bitop(r, &data)
            }
            Op::Hw(op) => {
                self.fold_sources(r, inst, op);
                Rewrite::Keep
            }
            Op::Ir(op) => self.select_ir(r, inst, op, &data),
        }
    }

    fn select_ir<'a>(
        &mut self,
        r: &mut Rewriter<'_, 'a>,
        inst: Inst,
        op: IrOp,
        data: &InstData<'a>,
    ) -> Rewrite {
        match op {
            IrOp::Mov | IrOp::Exact => Rewrite::Forward(data.srcs[0]),
            IrOp::Icmp | IrOp::Fcmp => self.compare(r, op, data),
            IrOp::Select => self.select_value(r, data),
            IrOp::If => self.branch(r, data),
            IrOp::Ballot => self.ballot(r, data),
            IrOp::Fconv => self.float_move(r, data, OperandFlags::empty(), false),
            IrOp::Fneg => self.float_move(r, data, OperandFlags::NEG, false),
            IrOp::Fabs => self.float_move(r, data, OperandFlags::ABS, false),
            IrOp::Fsat => self.float_move(r, data, OperandFlags::empty(), true),
            op if stays(op) => Rewrite::Keep,
            _ => match RECIPES.iter().find(|recipe| recipe.ir == op) {
                Some(recipe) => self.follow(r, recipe, data),
                None => self.fail(r, inst, "has no hardware counterpart and was not lowered"),
            },
        }
    }

    fn fail(&mut self, r: &Rewriter<'_, '_>, inst: Inst, why: &str) -> Rewrite {
        let name = r.f.insts[inst].op.name();
        let error = CompileError::internal(format!("lower_select: `{name}` {why}"));
        self.error.get_or_insert_with(|| r.f.locate(inst, error));
        Rewrite::Keep
    }

    fn follow(&mut self, r: &mut Rewriter<'_, '_>, recipe: &Recipe, data: &InstData<'_>) -> Rewrite {
        if let Some((base, shift)) = sum_of_shifted(r, recipe.ir, data) {
            let mods = mods(Opcode::Iadd).with(key::SHIFT, shift);
            r.push(Opcode::Iadd, data.dsts, &[base, data.srcs[0]], &mods);
            return Rewrite::Remove;
        }
        if recipe.ir == IrOp::Ushr && data.srcs[1].as_imm() == Some(31) && r.f.width(data.srcs[0]) == 32 {
            // The sign: a select also runs on a cheaper unit than a shift.
            let mods = mods(Opcode::Icsel).with(key::COND, IntCondition::SIGNED_LESS.get());
            let [one, zero] = [Src::imm(1, 16), Src::imm(0, 16)];
            r.push(Opcode::Icsel, data.dsts, &[data.srcs[0], zero, one, zero], &mods);
            return Rewrite::Remove;
        }
        let source = |arg: &Arg| match arg {
            Arg::A => data.srcs[0],
            Arg::B => data.srcs[1],
            Arg::Zero => Src::imm(0, 16),
        };
        let mut srcs: ArrayVec<Src, MAX_RECIPE_ARGS> = recipe.args.iter().map(source).collect();
        let mods = match recipe.cond {
            Some(cond) => mods(recipe.hw).with(key::COND, cond),
            None => mods(recipe.hw),
        };
        let width = r.f.ty(data.dsts[0]).bits;
        self.fold_list(r, Reader::new(recipe.hw, width, &mods), &mut srcs);
        r.push(recipe.hw, data.dsts, &srcs, &mods);
        Rewrite::Remove
    }

    /// Replaces sources by the unmodified values, where the operand supports the modifiers.
    fn fold_sources<'a>(&self, r: &mut Rewriter<'_, 'a>, inst: Inst, op: Opcode) {
        let data = r.f.insts[inst];
        let is_modification = |src: &Src| {
            src.as_value()
                .is_some_and(|value| self.modified[value].is_some() || self.widened[value].is_some())
        };
        if !data.srcs.iter().any(is_modification) {
            return;
        }
        let srcs = r.f.bump.alloc_slice_copy(data.srcs);
        let width = data.dst().map_or(0, |dst| r.f.ty(dst).bits);
        if self.fold_list(r, Reader::new(op, width, data.mods), srcs) {
            r.f.insts[inst].srcs = srcs;
        }
    }

    fn fold_list(&self, r: &Rewriter<'_, '_>, reader: Reader, srcs: &mut [Src]) -> bool {
        let mut changed = false;
        for (src, (_, operand)) in srcs.iter_mut().zip(reader.op.desc().with_role(Role::Src)) {
            let Some(value) = src.as_value() else { continue };
            let folded = match operand.kind.style {
                Style::Float => self.modified[value].map(|inner| through(inner, src.flags)),
                _ => self.widened[value].filter(|inner| self.reads_alike(*src, *inner, reader, operand)),
            };
            if let Some(folded) = folded.filter(|folded| fits(r, operand, *folded)) {
                *src = folded;
                changed = true;
            }
        }
        changed
    }

    /// Whether an integer operand reads the same number from `inner` as from `src`, its 32-bit extension.
    fn reads_alike(&self, src: Src, inner: Src, reader: Reader, operand: &OperandDesc) -> bool {
        match (inner.flags.contains(OperandFlags::SX), src.flags.contains(OperandFlags::SX)) {
            (false, false) => !reader.extends_sign(operand) || self.is_boolean(inner),
            (false, true) | (true, false) => !reader.exact,
            (true, true) => true,
        }
    }

    /// Lowers `compare`: records the comparison, and computes 0 or 1 for readers that cannot fuse it.
    fn compare(&mut self, r: &mut Rewriter<'_, '_>, op: IrOp, data: &InstData<'_>) -> Rewrite {
        let float = op == IrOp::Fcmp;
        let hw = if float { Opcode::Fcsel } else { Opcode::Icsel };
        let mut sources = [data.srcs[0], data.srcs[1], Src::imm(1, 16), Src::imm(0, 16)];
        let reader = Reader::new(hw, Type::B16.bits, &mods(hw).with(key::COND, data.mods[0]));
        self.fold_list(r, reader, &mut sources);
        let inverted = data.mods[1] != 0;
        if let Some(dst) = data.dst() {
            let sources = [sources[0], sources[1]];
            self.compares[dst] =
                Some(Compare { float, sources, cond: data.mods[0], inverted, block: r.block });
        }
        if inverted {
            sources.swap(2, 3);
        }
        r.push(hw, data.dsts, &sources, &mods(hw).with(key::COND, data.mods[0]));
        Rewrite::Remove
    }

    /// The comparison that defines a boolean, if repeating it costs no more than reading the boolean: in the
    /// block of the comparison, or if this is its only use.
    fn fusable(&self, r: &Rewriter<'_, '_>, src: Src) -> Option<Compare> {
        let value = src.as_value()?;
        let compare = self.compares[value]?;
        (compare.block == r.block || self.uses[value] == 1 || self.repeatable[value]).then_some(compare)
    }

    /// `dsts` = `cond` ? `x` : `y`.
    fn choose(&self, r: &mut Rewriter<'_, '_>, dsts: &[Value], cond: Src, x: Src, y: Src) {
        let (hw, code, [a, b], x, y) = match self.fusable(r, cond) {
            Some(compare) => {
                let hw = if compare.float { Opcode::Fcsel } else { Opcode::Icsel };
                let (x, y) = if compare.inverted { (y, x) } else { (x, y) };
                (hw, compare.cond, compare.sources, x, y)
            }
            None => (Opcode::Icsel, IntCondition::EQUAL.get(), [cond, Src::imm(0, 16)], y, x),
        };
        r.push(hw, dsts, &[a, b, x, y], &mods(hw).with(key::COND, code));
    }

    fn select_value(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let [cond, x, y] = [data.srcs[0], data.srcs[1], data.srcs[2]];
        if let Some(truth) = cond.as_imm() {
            return Rewrite::Forward(if truth != 0 { x } else { y });
        }
        let joined = self.joined_conditions(r, cond);
        match joined {
            Some((table, conditions)) => self.choose_by(r, data.dsts, table, &conditions, [x, y]),
            None => self.choose(r, data.dsts, cond, x, y),
        }
        Rewrite::Remove
    }

    /// The comparisons that `cond` combines with one truth table, if each can be repeated and the combination
    /// has no other use.
    fn joined_conditions(&self, r: &Rewriter<'_, '_>, cond: Src) -> Option<(Truth, Conditions)> {
        let joined = |src: Src| {
            let value = src.as_value().filter(|value| self.uses[*value] == 1)?;
            self.joined[value]
        };
        let (table, _) = joined(cond)?;
        let (mut found, mut pending) = (Conditions::new(), Conditions::new());
        pending.push(cond);
        while let Some(src) = pending.pop() {
            match joined(src).filter(|(other, _)| *other == table) {
                Some((_, [a, b])) => {
                    pending.try_push(b).ok()?;
                    pending.try_push(a).ok()?;
                }
                None => found.try_push(src).ok()?,
            }
        }
        found.iter().all(|src| self.fusable(r, *src).is_some()).then_some((table, found))
    }

    /// Sets `dsts` to x if the conditions combined by `table` hold, else to y, with one select per condition
    /// and no combined boolean.
    fn choose_by(
        &self,
        r: &mut Rewriter<'_, '_>,
        dsts: &[Value],
        table: Truth,
        conditions: &[Src],
        [x, y]: [Src; 2],
    ) {
        // The result selected by the remaining conditions.
        let mut chosen = if table == Truth::AND { x } else { y };
        for (left, condition) in conditions.iter().enumerate().rev() {
            let next = if left > 0 { r.f.add_value_like(dsts[0]) } else { dsts[0] };
            let (x, y) = if table == Truth::AND { (chosen, y) } else { (x, chosen) };
            self.choose(r, &[next], *condition, x, y);
            chosen = next.into();
        }
    }

    fn branch(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let cond = data.srcs[0];
        let (hw, code, inverted, sources) = match self.fusable(r, cond) {
            Some(compare) => {
                let hw = if compare.float { Opcode::IfFcmp } else { Opcode::IfIcmp };
                (hw, compare.cond, compare.inverted, compare.sources)
            }
            None => (Opcode::IfIcmp, IntCondition::EQUAL.get(), true, [cond, Src::imm(0, 16)]),
        };
        let mods = mods(hw).with(key::NEST, 1).with(key::COND, code).with(key::INV, inverted);
        r.push(hw, &[], &sources, &mods);
        Rewrite::Remove
    }

    fn ballot(&self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let cond = data.srcs[0];
        // The sources accepted by a ballot of floats are disputed (applegpu, AGX2.xml): only integers are
        // fused.
        let (code, inverted, sources) = match self.fusable(r, cond).filter(|compare| !compare.float) {
            Some(compare) => (compare.cond, compare.inverted, compare.sources),
            None => (IntCondition::EQUAL.get(), true, [cond, Src::imm(0, 16)]),
        };
        let mods = mods(Opcode::IcmpBallot).with(key::COND, code).with(key::INV, inverted);
        r.push(Opcode::IcmpBallot, data.dsts, &sources, &mods);
        Rewrite::Remove
    }

    /// A bitwise operation on booleans. A truth table that maps (0, 0) to 1 would also set the high bits: it
    /// becomes its complement and an exclusive or with 1, which readers may replace by a comparison of the
    /// complement with zero. A comparison used only by this operation is fused into a select.
    fn boolean_bitop(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
        let (table, [a, b]) = (data.get(key::TABLE), [data.srcs[0], data.srcs[1]]);
        if let Some(dst) = data.dst().filter(|_| matches!(table, Truth::AND | Truth::OR)) {
            self.joined[dst] = Some((table, [a, b]));
        }
        let (one, zero) = (Src::imm(1, 16), Src::imm(0, 16));
        for (compare, other) in [(a, b), (b, a)] {
            if matches!(table, Truth::AND | Truth::OR) && self.fusable(r, compare).is_some() {
                let (x, y) = if table == Truth::AND { (other, zero) } else { (one, other) };
                self.choose(r, data.dsts, compare, x, y);
                return Rewrite::Remove;
            }
        }
        if table.code() & 1 == 0 {
            return Rewrite::Keep;
        }
        let complement = table.complement();
        let inner = match complement {
            Truth::FIRST => a,
            _ => Src::value(r.value(
                Opcode::Bitop,
                Type::B16,
                &[a, b],
                &mods(Opcode::Bitop).with(key::TABLE, complement),
            )),
        };
        if let Some(dst) = data.dst() {
            let cond = IntCondition::EQUAL.get();
            let compare =
                Compare { float: false, sources: [inner, zero], cond, inverted: false, block: r.block };
            self.compares[dst] = Some(compare);
        }
        r.push(Opcode::Bitop, data.dsts, &[inner, one], &mods(Opcode::Bitop).with(key::TABLE, Truth::XOR));
        Rewrite::Remove
    }

    fn is_boolean(&self, src: Src) -> bool {
        src.as_value().map_or(src.bits == 1, |value| self.narrow[value] == 1)
    }

    /// Bits of the first source of `inst` before booleans and bytes were widened.
    fn width_converted(&self, r: &Rewriter<'_, '_>, inst: Inst) -> u8 {
        match (self.widened_from[inst], r.f.insts[inst].srcs.first()) {
            (0, Some(src)) => r.f.width(*src),
            (bits, _) => bits,
        }
    }

    /// Integer conversion of a source of `from` bits: `signed` extends the sign.
    fn convert(&mut self, r: &mut Rewriter<'_, '_>, data: &InstData<'_>, from: u8, signed: bool) -> Rewrite {
        let (src, dst) = (data.srcs[0], data.dsts[0]);
        let boolean = from == 1;
        let to = match self.narrow[dst] {
            0 => r.f.ty(dst).bits,
            1 => return bitop(r, data, Truth::AND, src, Src::imm(1, 16)),
            bits => bits,
        };
        match (from, to) {
            (1, 8) if signed => {
                self.choose(r, data.dsts, src, Src::imm(0xff, 16), Src::imm(0, 16));
                Rewrite::Remove
            }
            _ if boolean && signed => {
                r.push(Opcode::Isub, data.dsts, &[Src::imm(0, 16), src], &mods(Opcode::Isub));
                Rewrite::Remove
            }
            _ if from == to || (boolean && to <= 16) => Rewrite::Forward(src),
            (8, 9..) if signed => sign_extend_byte(r, data),
            (8, 16) => Rewrite::Forward(src),
            (16 | 32, 8) => bitop(r, data, Truth::AND, src, Src::imm(0xff, 16)),
            (64, _) => narrow_from_64(r, data, to),
            (_, 64) | (16, 32) if signed || to == 64 => {
                let flags = if signed { OperandFlags::SX } else { OperandFlags::empty() };
                self.widened[dst] = (to == 32).then_some(src.with(flags));
                r.push(Opcode::Iadd, data.dsts, &[src.with(flags), Src::imm(0, 16)], &mods(Opcode::Iadd));
                Rewrite::Remove
            }
            _ => {
                self.widened[dst] = (from < to).then_some(src);
                if boolean && self.fusable(r, src).is_some() {
                    // Readers of all 32 bits select the number instead of extending the boolean.
                    self.choose(r, data.dsts, src, Src::imm(1, 16), Src::imm(0, 16));
                    return Rewrite::Remove;
                }
                bitop(r, data, Truth::FIRST, src, Src::imm(0, 16))
            }
        }
    }

    /// `dst` = `src` with modifiers, rounded to the destination's width: an addition of -0.0.
    fn float_move(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        data: &InstData<'_>,
        flags: OperandFlags,
        sat: bool,
    ) -> Rewrite {
        let (src, dst) = (through(data.srcs[0], flags), data.dsts[0]);
        let (from, to) = (r.f.width(src), r.f.ty(dst).bits);
        let hw = if from == 16 && to == 16 { Opcode::Hadd } else { Opcode::Fadd };
        let zero = if hw == Opcode::Hadd { Src::imm(1 << 15, 16) } else { Src::imm(NEGATIVE_ZERO, 32) };
        let mut srcs = [src, zero];
        self.fold_list(r, Reader::new(hw, to, &mods(hw)), &mut srcs);
        if !sat && from <= to && srcs[0].as_imm().is_none() {
            self.modified[dst] = Some(srcs[0]);
        }
        r.push(hw, data.dsts, &srcs, &mods(hw).with(key::SAT, sat));
        Rewrite::Remove
    }
}

/// For a left shift by a small constant, or a product with one more than a small power of two: the value to which the
/// first source is added, shifted left by the amount. An addition runs on a cheaper unit.
fn sum_of_shifted(r: &Rewriter<'_, '_>, op: IrOp, data: &InstData<'_>) -> Option<(Src, u32)> {
    let number = data.srcs.get(1)?.as_imm()?;
    if !matches!(r.f.width(data.srcs[0]), 16 | 32) {
        return None;
    }
    match (op, number) {
        (IrOp::Shl, 1..=4) => Some((Src::imm(0, 16), number as u32)),
        (IrOp::Imul, 3 | 5 | 9 | 17) => Some((data.srcs[0], (number - 1).ilog2())),
        _ => None,
    }
}

/// `src` with an absolute value, then a negation applied: an outer absolute value hides an inner sign.
fn through(src: Src, outer: OperandFlags) -> Src {
    let mut flags = src.flags;
    if outer.contains(OperandFlags::ABS) {
        flags = (flags | OperandFlags::ABS) - OperandFlags::NEG;
    }
    Src { flags: flags ^ (outer & OperandFlags::NEG), ..src }
}

/// Widens booleans and bytes among constants and uniforms to 16 bits, like the values.
fn widen_narrow_sources<'a>(r: &mut Rewriter<'_, 'a>, inst: Inst) -> InstData<'a> {
    let widen = |src: &Src| if is_narrow(src) { Src { bits: Type::B16.bits, ..*src } } else { *src };
    let srcs = r.f.insts[inst].srcs.iter().map(widen);
    r.f.insts[inst].srcs = r.f.bump.alloc_slice_fill_iter(srcs);
    r.f.insts[inst]
}

fn bitop(r: &mut Rewriter<'_, '_>, data: &InstData<'_>, table: Truth, a: Src, b: Src) -> Rewrite {
    r.push(Opcode::Bitop, data.dsts, &[a, b], &mods(Opcode::Bitop).with(key::TABLE, table));
    Rewrite::Remove
}

/// The byte in a half register, which is zero-extended, with its sign: x ^ 128 is 128 more than the signed number.
fn sign_extend_byte(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let sign = Src::imm(0x80, 16);
    let xor = mods(Opcode::Bitop).with(key::TABLE, Truth::XOR);
    let moved = r.value(Opcode::Bitop, Type::B16, &[data.srcs[0], sign], &xor);
    r.push(Opcode::Isub, data.dsts, &[moved.into(), sign], &mods(Opcode::Isub));
    Rewrite::Remove
}

/// The low `to` bits of 64.
fn narrow_from_64(r: &mut Rewriter<'_, '_>, data: &InstData<'_>, to: u8) -> Rewrite {
    let (low, high) = (r.f.add_value(Type::B32), r.f.add_value(Type::B32));
    r.push(IrOp::Split, &[low, high], &[data.srcs[0]], &[]);
    match to {
        32 => Rewrite::Forward(low.into()),
        16 => bitop(r, data, Truth::FIRST, low.into(), Src::imm(0, 16)),
        _ => bitop(r, data, Truth::AND, low.into(), Src::imm(0xff, 16)),
    }
}

//! A function: instructions, values and blocks, and the layout that gives them structure.

use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use agx_isa::desc::{Effects, OrderClass};
use agx_isa::sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::Value as Code;

use crate::error::CompileError;
use crate::ir::watch::Watch;

pub use super::access::Access;
use super::entity::{Block, Entity, Inst, Value};
use super::families::{Operations, Present};
use super::key::Key;
pub use super::layout::{Seam, Segment};
use super::memory::Memory;
use super::named::Named;
use super::op::{IrOp, Op, ZERO_MODS};
use super::source::Sources;
use super::src::Src;
use super::table::{FIRST_ROWS, Side, Table};
use super::types::{Stage, Type};

/// An instruction. A row is `Copy`, its lists are immutable arena slices: read a row, drop the borrow, write a new row.
#[derive(Clone, Copy, Debug)]
pub struct InstData<'a> {
    /// Operation.
    pub op: Op,
    /// Values defined.
    pub dsts: &'a [Value],
    /// Sources.
    pub srcs: &'a [Src],
    /// Modifiers in the order of the row; for `phi` the predecessor blocks, for `jump` the target block.
    pub mods: &'a [u32],
    /// Source line: number of a position in [`Function::sources`]; 0 when unknown.
    pub line: u32,
}

impl<'a> InstData<'a> {
    /// The only destination of an operation that has one.
    pub fn dst(&self) -> Option<Value> {
        match self.dsts {
            [dst] => Some(*dst),
            _ => None,
        }
    }

    /// The value of a modifier; the one with code 0 if the row lacks the modifier.
    #[inline]
    pub fn get<T: Code>(&self, key: Key<T>) -> T {
        T::from_code(key.place(self.op).and_then(|place| self.mods.get(place)).copied().unwrap_or(0))
    }

    /// Target of a `jump`.
    pub fn target(&self) -> Option<Block> {
        match (self.op, self.mods) {
            (Op::Ir(IrOp::Jump), [target]) => Some(Block(*target)),
            _ => None,
        }
    }

    /// The values that it reads, one for each operand that reads one.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = Value> + use<'a> {
        self.srcs.iter().filter_map(|src| src.as_value())
    }

    /// Sources of a `phi` with the predecessors they come from.
    pub fn phi_inputs(&self) -> impl Iterator<Item = (Block, Src)> + use<'a> {
        self.mods.iter().map(|block| Block(*block)).zip(self.srcs.iter().copied())
    }

    /// The source of a `phi` that comes from the predecessor `block`.
    pub fn phi_input_from(&self, block: Block) -> Option<Src> {
        self.phi_inputs().find(|(from, _)| *from == block).map(|(_, src)| src)
    }

    /// A `phi` like this one with other inputs.
    pub fn with_inputs(&self, f: &Function<'a>, inputs: &[(Block, Src)]) -> InstData<'a> {
        let srcs = f.bump.alloc_slice_fill_iter(inputs.iter().map(|(_, src)| *src));
        let mods = f.bump.alloc_slice_fill_iter(inputs.iter().map(|(from, _)| from.0));
        InstData { srcs, mods, ..*self }
    }

    /// The order chain of the instruction: that of its row, or of the special register that it reads
    /// ([`agx_isa::sr`]).
    pub fn order(&self) -> OrderClass {
        match (self.op, self.mods) {
            (Op::Hw(Opcode::Mfsr), [register]) => {
                sr::by_number(*register).map_or(self.op.order(), |register| register.order)
            }
            (op, _) => op.order(),
        }
    }

    /// The effects of the instruction: those of its row, or of the special register that it reads
    /// ([`agx_isa::sr`]).
    pub fn effects(&self) -> Effects {
        match (self.op, self.mods) {
            (Op::Hw(Opcode::Mfsr), [register]) => {
                sr::by_number(*register).map_or(self.op.effects(), |register| register.effects)
            }
            (op, _) => op.effects(),
        }
    }

    /// Whether the instruction changes nothing, though its results may depend on the place where it is executed, on
    /// other lanes, or on discards before it: it may be removed if its results are unused.
    #[inline]
    pub fn only_observes(&self) -> bool {
        let observes = Effects::CROSS_LANE | Effects::READS_COVERAGE;
        self.is_pure() || !self.effects().is_empty() && observes.contains(self.effects())
    }

    /// Whether the results depend on nothing but the sources and coverage: the instruction may be removed, and moved to
    /// where coverage is the same.
    #[inline]
    pub fn reads_only_coverage(&self) -> bool {
        self.effects() == Effects::READS_COVERAGE
    }

    /// Whether the instruction may change which samples are live and which lanes are helpers.
    #[inline]
    pub fn writes_coverage(&self) -> bool {
        self.effects().contains(Effects::WRITES_COVERAGE)
    }

    /// Whether the results depend on the sources alone and there are no other effects: the instruction may be
    /// removed, merged and moved.
    #[inline(always)]
    pub fn is_pure(&self) -> bool {
        match self.op.purity_depends() {
            true => self.is_pure_by_modifiers(),
            false => self.op.is_pure(),
        }
    }

    /// Like [`InstData::is_pure`], for an operation for which this depends on modifiers.
    fn is_pure_by_modifiers(&self) -> bool {
        match self.op {
            Op::Hw(Opcode::Mfsr) => self.effects().is_empty() && self.order() == OrderClass::None,
            Op::Ir(IrOp::LoadGlobal | IrOp::LoadTexture) => {
                Access::from_bits_truncate(self.mods[0]).contains(Access::READONLY)
            }
            op => op.is_pure(),
        }
    }

    /// Whether the instruction is pure and reads no memory: it may also be executed where the program would not execute
    /// it.
    #[inline(always)]
    pub fn is_speculatable(&self) -> bool {
        match self.op.purity_depends() {
            true => self.is_pure_by_modifiers() && !self.effects().contains(Effects::READS_MEMORY),
            false => self.op.is_pure(),
        }
    }
}

/// Data of a value.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// A 32-bit float that may be rounded to half precision, as source languages declare for individual
    /// values.
    pub relaxed: bool,
    /// The instruction that defines it; `None` for parameters and for values not yet placed.
    pub def: Option<Inst>,
}

/// The instructions of a block, in the arena.
pub type InstList<'a> = ArenaVec<'a, Inst>;

/// A basic block. Edges are derived: see [`Function::compute_cfg`].
#[derive(Clone, Debug)]
pub struct BlockData<'a> {
    /// Instructions in order, phis first, terminator last.
    pub insts: InstList<'a>,
    /// Predecessors in layout order, back edges last by construction.
    pub preds: ArenaVec<'a, Block>,
    /// Successors: the arms of an `if` (then, else), or one, or none.
    pub succs: ArrayVec<Block, 2>,
    /// Number of loops around the block.
    pub loop_depth: u32,
}

/// The number of changes that were made to a function: while it is the same, so is the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Revision {
    /// Changes of instructions.
    rows: u32,
    /// Changes of blocks and of the layout.
    lists: u32,
}

/// What the input declares about the surroundings of a program.
#[derive(Clone, Default, Debug)]
pub struct Declared {
    /// Invocations of a workgroup in each dimension, if the input states them.
    pub workgroup_size: Option<[u32; 3]>,
    /// Memory that may be read wherever its address is known.
    pub readable: Vec<Readable>,
    /// The end of the half-words of the uniform file that a function written as text reads.
    pub uniform_halves: u16,
    /// For headers of loops, whether to unroll the loop, if the input says so.
    pub unroll_hints: Side<Block, Option<UnrollHint>>,
}

/// Whether to unroll a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnrollHint {
    /// Unroll it even if the code becomes much larger.
    Unroll,
    /// Keep the loop.
    Keep,
}

impl UnrollHint {
    /// Every hint.
    pub const ALL: [UnrollHint; 2] = [UnrollHint::Unroll, UnrollHint::Keep];

    /// Its word in the textual IR.
    pub fn name(self) -> &'static str {
        match self {
            UnrollHint::Unroll => "unroll",
            UnrollHint::Keep => "keep",
        }
    }
}

/// Device memory that may be read whether or not the program would: the contents of a uniform block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Readable {
    /// The uniform register of the address: the index of its first half-word.
    pub address: u16,
    /// Size in bytes.
    pub bytes: u32,
}

/// Initial size of the arena for tables of passes in bytes, sufficient for most functions.
const SCRATCH_BYTES: usize = 16 << 10;

/// Most rows for which the tables of a new function have room.
const MOST_FIRST_ROWS: usize = 8 * FIRST_ROWS;

/// A function in an arena.
///
/// *Architecture invariant:* control flow is the [`layout`](Function::layout): blocks in program order, with the
/// brackets of if, loop and scope constructs between them, and exactly one block between two brackets. An if always
/// has both arms. Everything else about control flow (edges, loop depth) is derived from it.
pub struct Function<'a> {
    /// The arena of rows and lists.
    pub bump: &'a Bump,
    /// Name of the entry point.
    pub name: &'a str,
    /// How far the function has been lowered.
    pub stage: Stage,
    /// Operations that passes have removed for good.
    pub removed: Operations,
    /// Operations and widths that may occur.
    pub present: Present,
    /// Products may be fused with the sums that use them, and results may differ in NaNs or the sign of a
    /// zero, unless `special_values` requires NaNs. If only some operations forbid this, they are marked by
    /// `exact`.
    pub contract: bool,
    /// The sign of a zero is significant.
    pub signed_zeros: bool,
    /// Infinities and NaNs are significant: no simplification may assume their absence.
    pub special_values: bool,
    /// `exact` operations may occur.
    pub has_exact: bool,
    /// Values that may be rounded to half precision may occur (`ValueData::relaxed`).
    pub has_relaxed: bool,
    /// What the input declares about the program's surroundings.
    pub declared: Declared,
    /// Source positions of instructions.
    pub sources: Sources,
    /// Parameters of a test kernel.
    pub params: Vec<Value>,
    /// Instructions.
    pub insts: Table<Inst, InstData<'a>>,
    /// Values.
    pub values: Table<Value, ValueData>,
    /// Blocks by id.
    pub blocks: ArenaVec<'a, BlockData<'a>>,
    /// Blocks in program order, with the structure. Immutable: structural changes write a new layout.
    pub layout: &'a [Segment],
    /// Counts changes of blocks and of the layout.
    pub(super) list_changes: u32,
    /// A program that runs once before all invocations and writes uniform registers that this one reads.
    pub preamble: Option<Box<Function<'a>>>,
    /// Source variables, if they are followed to the machine code.
    pub named: Option<Box<Named>>,
    /// Counts the instructions that passes visit, and implements cancellation.
    pub watch: Watch,
    /// Memory for the tables of passes.
    pub memory: Memory,
}

impl<'a> Function<'a> {
    /// A function without blocks.
    pub fn new(bump: &'a Bump, name: &str) -> Self {
        with_room(bump, name, 0)
    }

    /// Runs `work` with an arena for its tables, which is cleared afterwards. The next call reuses the
    /// memory; a nested call uses other memory.
    pub fn with_scratch<R>(&mut self, work: impl FnOnce(&mut Self, &Bump) -> R) -> R {
        let mut scratch = std::mem::take(&mut self.memory.scratch);
        if scratch.allocated_bytes() == 0 {
            scratch = Bump::with_capacity(SCRATCH_BYTES);
        }
        let result = work(self, &scratch);
        scratch.reset();
        self.memory.scratch = scratch;
        result
    }

    /// Adds a block that is not yet in the layout.
    pub fn add_block(&mut self) -> Block {
        let block = BlockData {
            insts: self.inst_list(),
            preds: ArenaVec::new_in(self.bump),
            succs: ArrayVec::new(),
            loop_depth: 0,
        };
        self.blocks.push(block);
        Block::new(self.blocks.len() - 1)
    }

    /// Adds a value of type `ty` that is not yet defined.
    pub fn add_value(&mut self, ty: Type) -> Value {
        self.present.note_widths(ty.bits);
        self.values.push(ValueData { ty, relaxed: false, def: None })
    }

    /// Adds a value with the type of `value`, relaxed if `value` is, that is not yet defined.
    pub fn add_value_like(&mut self, value: Value) -> Value {
        self.values.push(ValueData { def: None, ..self.values[value] })
    }

    /// Marks `value` as relaxed: it may be rounded to half precision. No effect except on 32-bit scalars.
    pub fn relax(&mut self, value: Value) {
        if self.values[value].ty == Type::B32 {
            self.values[value].relaxed = true;
            self.has_relaxed = true;
        }
    }

    /// Adds an instruction that defines `data.dsts` and is not yet in a block.
    pub fn add_inst(&mut self, data: InstData<'a>) -> Inst {
        add_row(self, data)
    }

    /// Adds an instruction from its parts; it is not yet in a block.
    pub fn make_inst(
        &mut self,
        op: impl Into<Op>,
        dsts: &[Value],
        srcs: &[Src],
        mods: &[u32],
        line: u32,
    ) -> Inst {
        let data = InstData {
            op: op.into(),
            dsts: self.alloc(dsts),
            srcs: self.alloc(srcs),
            mods: kept_mods(self, mods),
            line,
        };
        add_row(self, data)
    }

    /// Replaces an instruction in place.
    pub fn set_inst(&mut self, inst: Inst, data: InstData<'a>) {
        self.present.note(&data);
        self.insts[inst] = data;
        for dst in data.dsts {
            self.values[*dst].def = Some(inst);
        }
    }

    /// Attaches the source position of `inst` to `error`, if it is known and the error has none yet.
    pub fn locate(&self, inst: Inst, error: CompileError) -> CompileError {
        self.sources.locate(self.insts[inst].line, error)
    }

    /// Copies `list` into the arena. Short lists, the common case, take the inlined path.
    #[inline(always)]
    pub fn alloc<T: Copy>(&self, list: &[T]) -> &'a [T] {
        match *list {
            [] => &[],
            [a] => self.bump.alloc([a]),
            [a, b] => self.bump.alloc([a, b]),
            [a, b, c] => self.bump.alloc([a, b, c]),
            _ => self.bump.alloc_slice_copy(list),
        }
    }

    /// Data of a block.
    #[inline]
    pub fn block(&self, block: Block) -> &BlockData<'a> {
        &self.blocks[block.index()]
    }

    /// Mutable data of a block.
    pub fn block_mut(&mut self, block: Block) -> &mut BlockData<'a> {
        self.list_changes = self.list_changes.wrapping_add(1);
        &mut self.blocks[block.index()]
    }

    /// Replaces the layout.
    pub fn set_layout(&mut self, layout: &[Segment]) {
        self.layout = self.bump.alloc_slice_copy(layout);
        self.list_changes = self.list_changes.wrapping_add(1);
    }

    /// An empty list of instructions.
    pub fn inst_list(&self) -> InstList<'a> {
        ArenaVec::new_in(self.bump)
    }

    /// Takes the instructions out of a block.
    pub fn take_insts(&mut self, block: Block) -> InstList<'a> {
        let empty = self.inst_list();
        std::mem::replace(&mut self.block_mut(block).insts, empty)
    }

    /// The first block.
    pub fn entry(&self) -> Block {
        self.layout.first().map_or(Block(0), |segment| segment.block)
    }

    /// Type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Component width of a source in bits; 0 for none.
    #[inline]
    pub fn width(&self, src: Src) -> u8 {
        src.as_value().map_or(src.bits, |value| self.ty(value).bits)
    }

    /// Type of a source.
    pub fn src_ty(&self, src: Src) -> Type {
        src.as_value().map_or(Type::scalar(src.bits), |value| self.ty(value))
    }

    /// The instruction that defines the value `src` reads.
    pub fn def(&self, src: Src) -> Option<InstData<'a>> {
        let def = self.values[src.as_value()?].def?;
        Some(self.insts[def])
    }

    /// Blocks in program order.
    pub fn blocks_in_order(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + use<'a> {
        self.layout.iter().map(|segment| segment.block)
    }

    /// The current revision.
    pub fn revision(&self) -> Revision {
        Revision { rows: self.insts.changes(), lists: self.list_changes }
    }

    /// The terminator of a block, if it has one.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let last = *self.block(block).insts.last()?;
        self.insts[last].op.is_terminator().then_some(last)
    }

    /// Number of phis at the head of a block.
    pub fn phi_count(&self, block: Block) -> usize {
        let insts = &self.block(block).insts;
        insts.iter().take_while(|inst| self.insts[**inst].op == Op::Ir(IrOp::Phi)).count()
    }
}

/// A function without blocks that will have about `count` instructions and as many values.
pub fn with_room<'a>(bump: &'a Bump, name: &str, count: usize) -> Function<'a> {
    with_rows(bump, name, count.clamp(FIRST_ROWS, MOST_FIRST_ROWS))
}

/// A function without blocks with room for exactly `count` instructions and as many values.
pub fn with_rows<'a>(bump: &'a Bump, name: &str, count: usize) -> Function<'a> {
    Function {
        bump,
        name: bump.alloc_str(name),
        stage: Stage::Source,
        removed: Operations::NONE,
        present: Present::default(),
        contract: true,
        signed_zeros: false,
        special_values: false,
        has_exact: false,
        has_relaxed: false,
        declared: Declared::default(),
        sources: Sources::default(),
        params: Vec::new(),
        insts: Table::with_room(count),
        values: Table::with_room(count),
        blocks: ArenaVec::new_in(bump),
        layout: &[],
        list_changes: 0,
        preamble: None,
        named: None,
        watch: Watch::default(),
        memory: Memory::default(),
    }
}

/// Adds an instruction with a single, new result of type `ty`; it is not yet in a block.
#[inline(always)]
pub(super) fn make_value<'a>(
    f: &mut Function<'a>,
    op: impl Into<Op>,
    ty: Type,
    srcs: &[Src],
    mods: &[u32],
    line: u32,
) -> (Inst, Value) {
    let dst = f.add_value(ty);
    let (dsts, srcs) = (f.bump.alloc([dst]), f.alloc(srcs));
    let data = InstData { op: op.into(), dsts, srcs, mods: kept_mods(f, mods), line };
    (add_row(f, data), dst)
}

/// Adds an instruction that is not yet in a block.
#[inline(always)]
fn add_row<'a>(f: &mut Function<'a>, data: InstData<'a>) -> Inst {
    f.has_exact |= data.op == Op::Ir(IrOp::Exact);
    f.present.note(&data);
    let inst = f.insts.push(data);
    // Most operations have one result.
    match data.dsts {
        [dst] => f.values[*dst].def = Some(inst),
        dsts => dsts.iter().for_each(|dst| f.values[*dst].def = Some(inst)),
    }
    inst
}

/// Copies modifiers into the arena. Lists of zeros, the common case, are shared.
#[inline(always)]
fn kept_mods<'a>(f: &Function<'a>, mods: &[u32]) -> &'a [u32] {
    if mods.is_empty() {
        return &[];
    }
    match ZERO_MODS.get(..mods.len()) {
        Some(zeros) if std::ptr::eq(zeros, mods) => zeros,
        zeros => kept_list(f, mods, zeros),
    }
}

/// Like [`kept_mods`], for a list that is not shared yet; `zeros` is a list of as many zeros.
#[inline(never)]
fn kept_list<'a>(f: &Function<'a>, mods: &[u32], zeros: Option<&'static [u32]>) -> &'a [u32] {
    match zeros {
        Some(zeros) if mods.iter().all(|code| *code == 0) => zeros,
        _ => f.alloc(mods),
    }
}

//! A program, decoded once: every instruction with its operands resolved, indexed by byte offset.

use agx_isa::decode::decode;
use agx_isa::desc::{Effects, Role};
use agx_isa::half_set::HalfSet;
use agx_isa::inst::{Halves, Inst, Operand, OperandFlags, Size, Tag};
use agx_isa::key;
use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;

use crate::exec::Action;
use crate::exec::fields::Fields;

/// Marks offsets at which no instruction starts.
const NOWHERE: u32 = u32::MAX;

/// One instruction, ready to execute.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) pc: u32,
    /// Length in bytes.
    pub(crate) bytes: u8,
    /// Whether no instruction follows.
    pub(crate) last: bool,
    /// The instruction, if the bytes are one.
    pub(crate) inst: Option<Inst>,
    pub(crate) action: Action,
    pub(crate) strict: Strict,
    /// Wait group of an asynchronous operation.
    pub(crate) wait_group: Option<u8>,
}

/// Facts about an instruction for strict mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strict {
    /// Half registers read, in order.
    pub(crate) reads: Box<[u8]>,
    /// Half registers written, in order.
    pub(crate) writes: Box<[u8]>,
    /// The same as sets.
    pub(crate) read_set: HalfSet,
    pub(crate) write_set: HalfSet,
    /// Uniform half-words read.
    pub(crate) uniforms: Box<[u16]>,
    /// Half registers whose value is discarded after the read.
    pub(crate) discards: Box<[u8]>,
    /// First half registers of the source and the destination of a move between whole registers. It may move a value
    /// of which one half is defined.
    pub(crate) moves: Option<[u8; 2]>,
    /// Whether it writes a value to `r0l` that cannot be a nesting level.
    pub(crate) puts_data_in_nesting: bool,
    /// Whether it reads or changes the nesting counters.
    pub(crate) uses_nesting: bool,
}

impl Strict {
    fn new(inst: &Inst) -> Strict {
        let mut strict = Strict::default();
        let uses_nesting = inst.op.desc().effects.contains(Effects::MASK);
        // Mask instructions read the nesting counter of all lanes; `strict` checks that separately.
        let counter = |half: &u8| *half == 0 && uses_nesting;
        strict.reads = inst.registers_read().flat_map(wrapped).filter(|half| !counter(half)).collect();
        if matches!(inst.op, Opcode::Imgw | Opcode::StTile) {
            // The number of stored components depends on the image or target, so only the first must be set.
            let data = Fields::new(inst).get(key::DATA);
            let first = data.value as u8 + data.size.halves();
            let fields = Fields::new(inst);
            let count =
                if inst.op == Opcode::StTile { fields.number(key::MASK).count_ones() as u8 } else { 4 };
            let all = first..data.value as u8 + count * data.size.halves();
            strict.reads = strict.reads.iter().copied().filter(|half| !all.contains(half)).collect();
        }
        if inst.op == Opcode::Imgwblk && !Fields::new(inst).flag(key::EXPLICIT) {
            // Only the layer among the coordinates is used, which is one half register.
            let coordinates = Fields::new(inst).get(key::COORDS);
            let second = coordinates.value as u8 + 1;
            strict.reads = strict.reads.iter().copied().filter(|half| *half != second).collect();
        }
        strict.writes = inst.registers_written().flat_map(wrapped).filter(|half| !counter(half)).collect();
        strict.reads.iter().for_each(|half| strict.read_set.insert((*half).into()));
        strict.writes.iter().for_each(|half| strict.write_set.insert((*half).into()));
        let mut uniforms = Vec::new();
        let mut discards = Vec::new();
        for (at, _) in inst.op.desc().with_role(Role::Src) {
            let operand = inst.operands[at];
            if operand.tag == Tag::Uniform && inst.op != Opcode::UniformStore {
                uniforms
                    .extend((0..u32::from(operand.size.halves())).map(|half| (operand.value + half) as u16));
            }
            if operand.tag == Tag::Reg && operand.flags.contains(OperandFlags::DISCARD) {
                discards
                    .extend((0..u32::from(operand.size.halves())).map(|half| (operand.value + half) as u8));
            }
        }
        strict.uniforms = uniforms.into();
        strict.discards = discards.into();
        strict.moves = moves(inst);
        strict.uses_nesting = uses_nesting;
        strict.puts_data_in_nesting = strict.writes.contains(&0) && !sets_nesting(inst);
        strict
    }
}

/// The first half registers of source and destination, if the instruction moves a whole register to another.
fn moves(inst: &Inst) -> Option<[u8; 2]> {
    let fields = Fields::new(inst);
    let is_move = inst.op == Opcode::Bitop && fields.number(key::TABLE) == Truth::FIRST.get();
    let whole = |operand: Operand| operand.tag == Tag::Reg && operand.size == Size::B32;
    let ends = is_move.then(|| [key::A, key::DST].map(|one| fields.get(one)))?;
    ends.iter().all(|end| whole(*end)).then(|| ends.map(|end| end.value as u8))
}

/// Half indices of a range; registers past the file wrap around.
fn wrapped(halves: Halves) -> impl Iterator<Item = u8> {
    halves.map(|half| half as u8)
}

/// Compilers set a nesting level explicitly with constants and selects (break, continue).
fn sets_nesting(inst: &Inst) -> bool {
    matches!(inst.op, Opcode::Ldimm16 | Opcode::Icsel | Opcode::Fcsel | Opcode::Bitop)
        && Fields::new(inst).get(key::DST).size == Size::B16
}

impl Op {
    /// Decodes the instruction at `pc`.
    pub(crate) fn new(code: &[u8], pc: u32) -> Op {
        let bytes = code.get(pc as usize..).unwrap_or(&[]);
        match decode(bytes) {
            Ok((inst, len)) => {
                let wait_group = inst.wait_group().map(|group| group as u8 & 1);
                let (action, strict) = (Action::new(&inst), Strict::new(&inst));
                let last = len >= bytes.len();
                Op { pc, bytes: len as u8, last, inst: Some(inst), action, strict, wait_group }
            }
            Err(error) => Op {
                pc,
                bytes: 2,
                last: false,
                inst: None,
                action: Action::Undecodable(error.to_string().into()),
                strict: Strict::default(),
                wait_group: None,
            },
        }
    }

    /// Offset of the following instruction.
    pub(crate) fn next(&self) -> u32 {
        self.pc.wrapping_add(u32::from(self.bytes))
    }

    /// Disassembly.
    pub(crate) fn text(&self) -> String {
        match &self.inst {
            Some(inst) => inst.to_string(),
            None => String::from("?"),
        }
    }
}

/// A program, decoded once. Undecodable positions are kept, and reported when reached.
#[derive(Clone, Debug)]
pub struct Program {
    code: Vec<u8>,
    ops: Vec<Op>,
    /// Index into `ops`, by offset / 2.
    starts: Vec<u32>,
}

impl Program {
    /// Decodes from the first byte on, and at the targets of jumps.
    pub fn new(code: &[u8]) -> Program {
        let mut program =
            Program { code: code.to_vec(), ops: Vec::new(), starts: vec![NOWHERE; code.len().div_ceil(2)] };
        let mut entries = vec![0];
        while let Some(entry) = entries.pop() {
            program.decode_from(entry, &mut entries);
        }
        program
    }

    /// Bytes of machine code.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// Whether it has atomics on device memory.
    pub(crate) fn has_atomics(&self) -> bool {
        self.ops.iter().any(|op| op.inst.as_ref().is_some_and(|inst| inst.op == Opcode::Atomic))
    }

    /// Whether it has a stack.
    pub fn has_stack(&self) -> bool {
        self.ops.iter().any(|op| op.inst.as_ref().is_some_and(|inst| inst.op == Opcode::StackAdjust))
    }

    /// Decodes until the end or an already decoded instruction, and collects the targets of jumps.
    fn decode_from(&mut self, mut pc: u32, entries: &mut Vec<u32>) {
        while let Some(start) = self.starts.get_mut(pc as usize / 2) {
            if *start != NOWHERE || pc & 1 != 0 {
                return;
            }
            *start = self.ops.len() as u32;
            let op = Op::new(&self.code, pc);
            if let Action::Jump(jump) = &op.action {
                entries.push(pc.wrapping_add_signed(jump.distance));
            }
            pc = op.next();
            self.ops.push(op);
        }
    }

    /// Index of the instruction at `pc`, for [`Program::op`].
    #[inline]
    pub(crate) fn index(&self, pc: u32) -> Option<usize> {
        let start = *self.starts.get(pc as usize / 2)?;
        (start != NOWHERE && pc & 1 == 0).then_some(start as usize)
    }

    /// The instructions in the order in which they were decoded.
    pub(crate) fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Decodes at an offset that only an indirect jump reaches.
    pub(crate) fn decode_at(&self, pc: u32) -> Option<Op> {
        ((pc as usize) < self.code.len() && pc & 1 == 0).then(|| Op::new(&self.code, pc))
    }
}

//! Encodes a function of stage final.

mod hints;
mod statistics;
mod tracking;
mod uniform_reads;

pub use statistics::{count, statistics};
pub use tracking::Tracking;
pub use uniform_reads::UniformReads;

use agx_abi::vertex::OutputStore;
use agx_abi::{PartRole, ShaderInfo};
use agx_isa::encode::{self, encode};
use agx_isa::inst::{Inst as MachineInst, Tag};
use agx_isa::table::Opcode;
use bumpalo::collections::Vec as ArenaVec;

use crate::LineRow;
use crate::error::CompileError;
use crate::ir::machine::fill_operands;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide};
use crate::regalloc::Allocation;

/// Number of `trap`s after the end of a program, as Apple's compiler writes them (Mesa 25.0 does the same).
const TRAPS: usize = 8;

/// How code ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum End {
    /// With `stop` and padding.
    #[default]
    Stop,
    /// With `stop` and padding, as a preamble. It runs once, so occupancy and register hints do not matter.
    Preamble,
    /// Without `stop`: a prolog, followed by the main part.
    Prolog,
    /// Without `stop`: a main part, followed by an epilog or the end of a loop over samples.
    Main,
    /// Without `stop`: an epilog, followed by the end that the linker appends.
    Epilog,
}

impl End {
    /// How the part with `role` of a shader ends.
    pub fn of(info: &ShaderInfo, role: PartRole) -> End {
        match role {
            _ if !info.goes_on(role) => End::Stop,
            PartRole::Prolog => End::Prolog,
            _ => End::Main,
        }
    }
}

/// The code of a function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Machine code including `stop` and padding.
    pub bytes: Vec<u8>,
    /// Instructions up to and including `stop`.
    pub insts: Vec<MachineInst>,
    /// Where source positions begin, in ascending order.
    pub lines: Vec<LineRow>,
    /// Stores of vertex outputs.
    pub output_stores: Vec<OutputStore>,
    /// The uniform registers that instructions read.
    pub uniforms: UniformReads,
    /// Source variables, if they are followed.
    pub tracking: Option<Box<Tracking>>,
}

/// A branch whose target was unknown when it was encoded.
struct Fixup {
    at: usize,
    inst: MachineInst,
    operand: usize,
    target: Block,
}

/// Encodes `f`, which ends with `end`.
///
/// # Errors
/// Fails with an internal error if an instruction does not exist on the hardware or its row cannot encode its
/// operands.
pub fn emit(f: &Function<'_>, allocation: &Allocation, end: End) -> Result<Code, CompileError> {
    let mut code = Code::default();
    let mut fixups = ArenaVec::new_in(f.bump);
    let mut starts: ScratchSide<'_, Block, usize> = ScratchSide::new_in(f.bump, f.blocks.len());
    let count = f.layout.iter().map(|segment| f.block(segment.block).insts.len()).sum::<usize>();
    let mut positions = ArenaVec::with_capacity_in(count, f.bump);
    code.insts.reserve(count + 1);
    for segment in f.layout {
        starts[segment.block] = code.bytes.len();
        let first = code.insts.len();
        positions.clear();
        for inst in &f.block(segment.block).insts {
            f.watch.visit(1);
            let data = &f.insts[*inst];
            data.srcs.iter().for_each(|src| code.uniforms.note(*src));
            if translate(f, allocation, data, &mut code.insts)? {
                positions.push(data.line);
            }
        }
        if end != End::Preamble {
            hints::mark(&mut code.insts[first..], f.layout.len() == 1 && end == End::Stop, &f.watch);
        }
        for (index, position) in (first..).zip(&positions) {
            f.watch.visit(1);
            let inst = &code.insts[index];
            if let Some(operand) = inst.op.desc().target {
                let target = Block(inst.operands[operand].value);
                fixups.push(Fixup { at: code.bytes.len(), inst: *inst, operand, target });
            }
            note_line(&mut code.lines, code.bytes.len(), *position);
            if inst.op == Opcode::StVar {
                code.output_stores.extend(output_store(inst, code.bytes.len()));
            }
            append(&mut code.bytes, inst)?;
        }
    }
    if matches!(end, End::Stop | End::Preamble) {
        let stop = MachineInst::new(Opcode::Stop);
        append(&mut code.bytes, &stop)?;
        code.insts.push(stop);
        let start = code.bytes.len();
        append(&mut code.bytes, &MachineInst::new(Opcode::Trap))?;
        let trap = start..code.bytes.len();
        for _ in 1..TRAPS {
            code.bytes.extend_from_within(trap.clone());
        }
    }
    for fixup in &fixups {
        resolve(&mut code.bytes, fixup, starts[fixup.target])?;
    }
    if let Some(named) = &f.named {
        let offsets = offsets(f, &code, |block| starts[block]);
        code.tracking = Some(Box::new(tracking::track(f, named, allocation, &offsets)));
    }
    Ok(code)
}

/// The offsets of the instructions of each block. Instructions without machine code have that of the next one.
fn offsets(f: &Function<'_>, code: &Code, start: impl Fn(Block) -> usize) -> tracking::Offsets {
    let mut lengths = code.insts.iter().map(|inst| encode(inst).map_or(0, |bytes| bytes.len()));
    let each = f.layout.iter().map(|segment| {
        let first = start(segment.block);
        let mut at = first;
        let place = |inst: &Inst| {
            let offset = at as u32;
            if !matches!(f.insts[*inst].op, Op::Ir(_)) {
                at += lengths.next().unwrap_or(0);
            }
            (*inst, offset)
        };
        let insts = f.block(segment.block).insts.iter().map(place).collect();
        (segment.block, first as u32, insts)
    });
    each.collect()
}

/// Records that the next instruction has the source position numbered `line`. Instructions without a position
/// belong to the preceding one.
fn note_line(lines: &mut Vec<LineRow>, offset: usize, line: u32) {
    if line != 0 && lines.last().is_none_or(|last| last.position != line) {
        lines.push(LineRow { offset: offset as u32, position: line });
    }
}

/// Returns the record of `inst`, an output store at byte `offset`; the linker renumbers its slot.
fn output_store(inst: &MachineInst, offset: usize) -> Option<OutputStore> {
    let slot = inst.operand("index").filter(|slot| slot.tag == Tag::Imm)?;
    Some(OutputStore { offset: offset as u32, slot: slot.value as u16 })
}

fn append(bytes: &mut Vec<u8>, inst: &MachineInst) -> Result<(), CompileError> {
    // The block number serves as the target until the distance is known; it always fits the field.
    encode::append(bytes, inst).map_err(|error| cannot_encode(inst, &error))
}

fn cannot_encode(inst: &MachineInst, error: &dyn std::error::Error) -> CompileError {
    CompileError::internal(format!("emit: cannot encode `{}`: {error}", inst.op.desc().name))
}

/// Distances are in bytes from the first byte of the branch.
fn resolve(bytes: &mut [u8], fixup: &Fixup, target: usize) -> Result<(), CompileError> {
    let mut inst = fixup.inst;
    inst.operands[fixup.operand].value = (target as i64 - fixup.at as i64) as u32;
    let encoded = encode(&inst).map_err(|error| cannot_encode(&inst, &error))?;
    bytes[fixup.at..fixup.at + encoded.len()].copy_from_slice(&encoded);
    Ok(())
}

/// Appends the machine instruction, if any: instructions that only name registers have none.
fn translate(
    f: &Function<'_>,
    allocation: &Allocation,
    data: &InstData<'_>,
    insts: &mut Vec<MachineInst>,
) -> Result<bool, CompileError> {
    let op = match data.op {
        Op::Hw(op) => op,
        Op::Ir(IrOp::Preload | IrOp::Export) => return Ok(false),
        Op::Ir(op) => {
            let name = op.desc().name;
            return Err(CompileError::internal(format!("emit: `{name}` is not a machine instruction")));
        }
    };
    let machine = MachineInst::append(insts, op).expect("invariant: an instruction was appended");
    fill_operands(f, machine, data, |value| allocation.half(value))
        .map_err(|error| CompileError::internal(format!("emit: `{}`: {error}", op.desc().name)))?;
    Ok(true)
}

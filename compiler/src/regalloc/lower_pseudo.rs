//! Lowers `copy`, `collect` and `split` to moves.
//!
//! Every value has a register and phis are gone. Afterwards only hardware operations, `preload`, `jump` and
//! `halt` remain. A move writes and reads *places*: values of 16 or 32 bits that denote a register regardless
//! of which value it holds.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;

use crate::error::CompileError;
use crate::ir::entity::{Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::mods;
use crate::ir::op::{IrOp, Op};
use crate::ir::rewrite::{Rewrite, Rewriter, try_map_some};
use crate::ir::src::{Src, SrcKind};
use crate::ir::types::Type;
use crate::ir::{Build, key};

use super::parallel_copy::{Origin, Sequencer, Step};
use super::{Allocation, Reg};

/// Replaces all instructions that only move registers.
///
/// # Errors
/// A source without a register is an internal error.
pub fn lower_pseudo(
    f: &mut Function<'_>,
    allocation: &mut Allocation,
    scratch: &Bump,
) -> Result<(), CompileError> {
    let is_one = |inst: &Inst| only_moves(&f.insts[*inst]);
    if !f.blocks_in_order().any(|block| f.block(block).insts.iter().any(is_one)) {
        return Ok(());
    }
    let halves = usize::from(allocation.halves_used.next_multiple_of(2));
    let values = [(); 2].map(|()| scratch.alloc_slice_fill_copy(halves, None));
    let places = Places { values, allocation };
    let mut lowering = Lowering { sequencer: Sequencer::new_in(scratch, halves), places };
    try_map_some(f, only_moves, |r, inst| lowering.lower(r, inst))
}

/// Whether an instruction only moves registers.
fn only_moves(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Ir(IrOp::Copy | IrOp::Collect | IrOp::Split))
}

struct Lowering<'l> {
    sequencer: Sequencer<'l>,
    places: Places<'l>,
}

/// Values that denote registers.
struct Places<'l> {
    /// By size in halves minus one and by half index.
    values: [&'l mut [Option<Value>]; 2],
    allocation: &'l mut Allocation,
}

impl Lowering<'_> {
    fn lower(&mut self, r: &mut Rewriter<'_, '_>, inst: Inst) -> Result<Rewrite, CompileError> {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::Copy) => self.add_copies(r.f, &data)?,
            Op::Ir(IrOp::Collect) => self.add_collect(r.f, &data)?,
            Op::Ir(IrOp::Split) => self.add_split(r.f, &data)?,
            _ => return Ok(Rewrite::Keep),
        }
        for step in self.sequencer.finish() {
            self.places.emit(r, *step);
        }
        Ok(Rewrite::Remove)
    }

    fn add_copies(&mut self, f: &Function<'_>, data: &InstData<'_>) -> Result<(), CompileError> {
        for (dst, src) in data.dsts.iter().zip(data.srcs) {
            if let Some(to) = self.places.allocation.half(*dst) {
                self.add(to, *src, 0, f.ty(*dst).halves())?;
            }
        }
        Ok(())
    }

    fn add_collect(&mut self, f: &Function<'_>, data: &InstData<'_>) -> Result<(), CompileError> {
        let Some(mut to) = data.dst().and_then(|dst| self.places.allocation.half(dst)) else { return Ok(()) };
        for src in data.srcs {
            let halves = f.src_ty(*src).halves();
            self.add(to, *src, 0, halves)?;
            to += halves;
        }
        Ok(())
    }

    fn add_split(&mut self, f: &Function<'_>, data: &InstData<'_>) -> Result<(), CompileError> {
        let mut skip = 0;
        for dst in data.dsts {
            let halves = f.ty(*dst).halves();
            if let (Some(to), Some(src)) = (self.places.allocation.half(*dst), data.srcs.first()) {
                self.add(to, *src, skip, halves)?;
            }
            skip += halves;
        }
        Ok(())
    }

    /// Adds the move of `halves` halves of `src`, starting at its half `skip`, to half register `to`.
    fn add(&mut self, to: u16, src: Src, skip: u16, halves: u16) -> Result<(), CompileError> {
        let base =
            match (src.kind, src.as_value()) {
                (_, Some(value)) => Some(self.places.allocation.half(value).ok_or_else(|| {
                    CompileError::internal(format!("{value} is copied but has no register"))
                })?),
                _ => None,
            };
        if base.is_some_and(|base| base + skip == to) {
            // It is in place.
            return Ok(());
        }
        for half in 0..halves {
            let at = skip + half;
            let origin = match (src.kind, base) {
                (SrcKind::Value, Some(base)) => Origin::Half(base + at),
                (SrcKind::Uniform, _) => Origin::Uniform(src.payload as u16 + at),
                _ => Origin::Constant(src.payload.checked_shr(u32::from(at) * 16).unwrap_or(0) as u16),
            };
            self.sequencer.add(to + half, origin);
        }
        Ok(())
    }
}

impl Places<'_> {
    /// The value that denotes a register.
    fn place(&mut self, r: &mut Rewriter<'_, '_>, half: u16, halves: u16) -> Value {
        let slot = &mut self.values[usize::from(halves - 1)][usize::from(half)];
        *slot.get_or_insert_with(|| {
            let value = r.f.add_value(Type::scalar(halves as u8 * 16));
            self.allocation.reg[value] = Some(Reg { half: half as u8 });
            value
        })
    }

    fn emit(&mut self, r: &mut Rewriter<'_, '_>, step: Step) {
        match step {
            Step::Move { to, from, halves } => {
                let (to, from) = (self.place(r, to, halves), self.place(r, from, halves));
                r.push(
                    Opcode::Bitop,
                    &[to],
                    &[from.into(), Src::imm(0, 16)],
                    &mods(Opcode::Bitop).with(key::TABLE, Truth::FIRST),
                );
            }
            Step::Xor { to, from, halves } => {
                let (to, from) = (self.place(r, to, halves), self.place(r, from, halves));
                r.push(
                    Opcode::Bitop,
                    &[to],
                    &[to.into(), from.into()],
                    &mods(Opcode::Bitop).with(key::TABLE, Truth::XOR),
                );
            }
            Step::Rotate { even } => {
                let register = self.place(r, even, 2);
                let srcs = [register.into(), register.into(), Src::imm(16, 16)];
                r.push(Opcode::Extr, &[register], &srcs, &[0]);
            }
            Step::Constant { to, bits, halves } => {
                let to = self.place(r, to, halves);
                let op = if halves == 2 { Opcode::Ldimm32 } else { Opcode::Ldimm16 };
                r.push(op, &[to], &[Src::imm(bits.into(), halves as u8 * 16)], &[]);
            }
            Step::Uniform { to, from, halves } => {
                let to = self.place(r, to, halves);
                let srcs = [Src::uniform(from, halves as u8 * 16), Src::imm(0, 16)];
                r.push(Opcode::Bitop, &[to], &srcs, &mods(Opcode::Bitop).with(key::TABLE, Truth::FIRST));
            }
        }
    }
}

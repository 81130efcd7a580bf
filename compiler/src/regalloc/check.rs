//! The allocation checker: proves that every operand reads the value it names, on all paths.
//!
//! It compares the function before allocation, saved in a [`Snapshot`], with the function after it, by
//! abstract interpretation of the register file. Each half-register holds a *token*, which identifies a half
//! of a value. `collect`, `split` and `copy` create no tokens but transfer those of their sources; it does
//! not matter whether they still exist or have become moves. Tokens are random 64-bit numbers, and a bitwise
//! exclusive or of registers is the exclusive or of their tokens, so swaps by three exclusive ors need no
//! special case. At joins, halves with different tokens become unknown; loops are iterated to a fixed point.
//!
//! Stack slots are tracked like registers. An instruction rematerialised without value sources has a token of
//! its own, derived from the instruction. For an instruction rematerialised from other values, spilling
//! records the value: the instruction must equal that value's definition, and its sources must contain the
//! values that the definition read. That suffices: where a value is live, none of the values it was computed
//! from has been redefined since.
//!
//! The checker also proves that instructions are present in their order, and that results are aligned, inside
//! the file, outside the reserved registers, and do not overlap.

use std::hash::{Hash, Hasher};

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use rustc_hash::FxHasher;

use crate::analysis::pressure::apart_sources;
use crate::error::CompileError;
use crate::ir::entity::{Block, Entity, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::key;
use crate::ir::op::{IrOp, Op};
use crate::ir::src::{Src, SrcKind};
use crate::ir::table::Side;

use super::file::FILE_HALVES;
use super::shapes::{is_aligned, least_align};
use super::spill::{is_rematerialised, is_repeatable};
use super::{AllocateOptions, Allocation};

/// Contents of a half-register: [`UNKNOWN`] or a token.
type Token = u64;
/// Unknown contents. Not 0, which is the exclusive or of two equal tokens.
const UNKNOWN: Token = Token::MAX;

/// Contents of the register file followed by the half-words of the stack.
type File = [Token];
/// Index of the stack in a [`File`].
const STACK: usize = FILE_HALVES as usize;

/// A function before allocation.
pub struct Snapshot<'a> {
    rows: Side<Inst, Option<InstData<'a>>>,
    blocks: Vec<Vec<Inst>>,
    tokens: Side<Value, Vec<Token>>,
}

fn only_moves(op: Op) -> bool {
    matches!(op, Op::Ir(IrOp::Phi | IrOp::Collect | IrOp::Split | IrOp::Copy))
}

fn mix(kind: u64, number: u64) -> Token {
    let mut hash = (kind << 48) ^ number;
    hash = (hash ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash ^ hash >> 32) | 1 << 63
}

fn constant_token(bits: u16) -> Token {
    mix(1, bits.into())
}

fn uniform_token(half: u64) -> Token {
    mix(2, half)
}

impl<'a> Snapshot<'a> {
    /// Saves the current state of `f`. Requires current edges.
    pub fn of(f: &Function<'a>) -> Self {
        let mut rows = Side::new(f.insts.len());
        let mut tokens: Side<Value, Vec<Token>> = Side::new(f.values.len());
        for block in f.blocks_in_order() {
            for inst in &f.block(block).insts {
                let data = f.insts[*inst];
                rows[*inst] = Some(data);
                define_tokens(f, &data, &mut tokens);
            }
        }
        Snapshot { rows, blocks: f.blocks.iter().map(|block| block.insts.to_vec()).collect(), tokens }
    }

    /// Contents of a value; empty for values that did not exist.
    #[cfg(test)]
    pub(super) fn tokens(&self, value: Value) -> &[Token] {
        &self.tokens[value]
    }

    pub(super) fn tokens_of(&self, f: &Function<'_>, src: Src) -> Vec<Token> {
        src_tokens(f, src, &self.tokens)
    }

    /// Instructions of a block that do more than move registers.
    fn non_moves(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        let non_moves = |inst: &Inst| self.rows[*inst].is_some_and(|data| !only_moves(data.op));
        self.blocks[block.index()].iter().copied().filter(non_moves)
    }

    pub(super) fn phis(&self, block: Block) -> impl Iterator<Item = InstData<'a>> + '_ {
        let rows = self.blocks[block.index()].iter().filter_map(|inst| self.rows[*inst]);
        rows.take_while(|data| data.op == Op::Ir(IrOp::Phi))
    }
}

/// Tokens of an instruction that can be rematerialised anywhere: they depend on the instruction, not on the
/// value.
fn repeatable_tokens(f: &Function<'_>, data: &InstData<'_>) -> Option<Vec<Token>> {
    let dst = data.dst().filter(|_| is_rematerialised(data))?;
    let moved = match (data.op, data.srcs) {
        (Op::Hw(Opcode::Ldimm16 | Opcode::Ldimm32), [src]) => Some(*src),
        (Op::Hw(Opcode::Bitop), [src, zero])
            if data.get(key::TABLE) == Truth::FIRST && zero.as_imm() == Some(0) =>
        {
            Some(*src)
        }
        _ => None,
    };
    let halves = f.ty(dst).halves();
    if let Some(src) = moved.filter(|src| f.src_ty(*src).halves() == halves) {
        return Some(src_tokens(f, src, &Side::new(0)));
    }
    let mut hasher = FxHasher::default();
    (data.op, data.srcs, data.mods).hash(&mut hasher);
    let hash = hasher.finish();
    Some((0..halves).map(|half| mix(20 + u64::from(half), hash)).collect())
}

fn define_tokens(f: &Function<'_>, data: &InstData<'_>, tokens: &mut Side<Value, Vec<Token>>) {
    if let (Some(dst), Some(repeatable)) = (data.dst(), repeatable_tokens(f, data)) {
        tokens[dst] = repeatable;
        return;
    }
    let passes_on = matches!(data.op, Op::Ir(IrOp::Collect | IrOp::Split | IrOp::Copy));
    let mut passed: Vec<Token> = Vec::new();
    if passes_on {
        passed = data.srcs.iter().flat_map(|src| src_tokens(f, *src, tokens)).collect();
    }
    let mut from = 0;
    for dst in data.dsts {
        let halves = usize::from(f.ty(*dst).halves());
        tokens[*dst] = match passed.get(from..from + halves) {
            Some(parts) if passes_on => parts.to_vec(),
            _ => (0..halves).map(|half| mix(3 + half as u64, u64::from(dst.0))).collect(),
        };
        from += halves;
    }
}

fn src_tokens(f: &Function<'_>, src: Src, tokens: &Side<Value, Vec<Token>>) -> Vec<Token> {
    let halves = u32::from(f.src_ty(src).halves());
    match (src.kind, src.as_value()) {
        (_, Some(value)) => tokens[value].clone(),
        (SrcKind::Uniform, _) => {
            (0..halves).map(|half| uniform_token(src.payload + u64::from(half))).collect()
        }
        _ => (0..halves)
            .map(|half| constant_token(src.payload.checked_shr(16 * half).unwrap_or(0) as u16))
            .collect(),
    }
}

/// Proves that the allocated `f` computes the same as `before`.
///
/// # Errors
/// An internal error that names the first incorrect instruction.
pub fn check(
    f: &Function<'_>,
    allocation: &Allocation,
    before: &Snapshot<'_>,
    options: &AllocateOptions,
) -> Result<(), CompileError> {
    let rematerialised = rematerialised(f, allocation);
    let checker = Checker { f, allocation, before, options, rematerialised };
    for block in f.blocks_in_order() {
        checker.order(block)?;
    }
    let mut heads: Vec<Option<Vec<Token>>> = vec![None; f.blocks.len()];
    heads[f.entry().index()] = Some(vec![UNKNOWN; STACK + allocation.stack_bytes.div_ceil(2) as usize]);
    let mut changed = true;
    while changed {
        changed = false;
        for block in f.blocks_in_order() {
            let Some(mut file) = heads[block.index()].clone() else { continue };
            // Errors found before the fixed point are valid: contents only become less known.
            checker.block(block, &mut file)?;
            for successor in &f.block(block).succs {
                changed |= checker.flow(block, *successor, &file, &mut heads[successor.index()])?;
            }
        }
    }
    Ok(())
}

/// The original value that each added instruction rematerialises; a later round of spilling may rematerialise
/// what an earlier one added.
fn rematerialised(f: &Function<'_>, allocation: &Allocation) -> Side<Inst, Option<Value>> {
    let mut rematerialised: Side<Inst, Option<Value>> = Side::new(f.insts.len());
    for (inst, value) in &allocation.rematerialised {
        let earlier = f.values[*value].def.and_then(|def| rematerialised[def]);
        rematerialised[*inst] = earlier.or(Some(*value));
    }
    rematerialised
}

struct Checker<'c, 'a> {
    f: &'c Function<'a>,
    allocation: &'c Allocation,
    before: &'c Snapshot<'a>,
    options: &'c AllocateOptions,
    /// The value that an added instruction rematerialises.
    rematerialised: Side<Inst, Option<Value>>,
}

impl Checker<'_, '_> {
    fn fault(&self, block: Block, inst: Inst, what: impl std::fmt::Display) -> CompileError {
        let name = self.f.insts[inst].op.name();
        CompileError::internal(format!("register allocation: {block}: {inst} ({name}): {what}"))
    }

    /// Checks that all instructions other than moves are present in order.
    fn order(&self, block: Block) -> Result<(), CompileError> {
        let known = |inst: &Inst| self.before.rows[*inst].is_some_and(|data| !only_moves(data.op));
        let now = self.f.block(block).insts.iter().copied().filter(known);
        if now.eq(self.before.non_moves(block)) {
            return Ok(());
        }
        Err(CompileError::internal(format!(
            "register allocation: {block}: instructions were lost or reordered"
        )))
    }

    fn block(&self, block: Block, file: &mut File) -> Result<(), CompileError> {
        for inst in &self.f.block(block).insts {
            let data = &self.f.insts[*inst];
            match self.before.rows[*inst] {
                Some(original) if !only_moves(original.op) => {
                    self.non_move(data, &original, file).map_err(|what| self.fault(block, *inst, what))?;
                }
                _ => self.moves(*inst, data, file).map_err(|what| self.fault(block, *inst, what))?,
            }
        }
        Ok(())
    }

    fn place(&self, value: Value) -> Result<std::ops::Range<usize>, String> {
        let half = self.allocation.half(value).ok_or_else(|| format!("{value} has no register"))?;
        let ty = self.f.ty(value);
        let end = half + ty.halves();
        if end > self.options.limit_halves.min(FILE_HALVES) || !half.is_multiple_of(least_align(ty)) {
            return Err(format!("{value} cannot be at half-register {half}"));
        }
        Ok(usize::from(half)..usize::from(end))
    }

    fn non_move(&self, data: &InstData<'_>, original: &InstData<'_>, file: &mut File) -> Result<(), String> {
        for (now, then) in data.srcs.iter().zip(original.srcs) {
            let Some(value) = now.as_value() else {
                if now != then {
                    return Err(format!("reads {now:?} instead of {then:?}"));
                }
                continue;
            };
            let expected = self.before.tokens_of(self.f, *then);
            if file[self.place(value)?] != expected[..] || now.flags != then.flags {
                let expected = then.as_value().unwrap_or(value);
                return Err(format!(
                    "{value} at half-register {} is not {expected}",
                    self.place(value)?.start
                ));
            }
        }
        if !is_aligned(self.f, data, |value| self.allocation.half(value)) {
            return Err("has an operand that is not aligned".to_owned());
        }
        if data.dsts != original.dsts {
            return Err("defines other values than before".to_owned());
        }
        let preloaded = data.op == Op::Ir(IrOp::Preload);
        if data.op != original.op || (data.mods != original.mods && !preloaded) {
            return Err("is another operation than before".to_owned());
        }
        for (index, dst) in data.dsts.iter().enumerate() {
            let place = self.place(*dst)?;
            if !preloaded && place.start < usize::from(self.options.reserved_halves) {
                return Err(format!("{dst} is in a reserved register"));
            }
            if preloaded && data.mods.first() != Some(&(place.start as u32)) {
                return Err(format!("{dst} is not in the register that it is preloaded in"));
            }
            for other in &data.dsts[..index] {
                let other = self.place(*other)?;
                if other.start < place.end && place.start < other.end {
                    return Err(format!("{dst} overlaps another result"));
                }
            }
            for value in apart_sources(data).iter().filter_map(|src| src.as_value()) {
                let source = self.place(value)?;
                if source.start < place.end && place.start < source.end {
                    return Err(format!("{dst} overlaps {value}, which the operation reads later"));
                }
            }
        }
        for dst in data.dsts {
            file[self.place(*dst)?].copy_from_slice(&self.before.tokens[*dst]);
        }
        Ok(())
    }

    /// Proves that an added instruction computes the value that `value` had before.
    fn repeats(&self, data: &InstData<'_>, value: Value, file: &File) -> Result<(), String> {
        let original = self.f.values[value].def.and_then(|def| self.before.rows[def]);
        let original = original.filter(|original| {
            let alike =
                (data.op, data.mods, data.srcs.len()) == (original.op, original.mods, original.srcs.len());
            alike && original.dst() == Some(value) && is_repeatable(original)
        });
        let original = original.ok_or_else(|| format!("does not compute {value}"))?;
        for (now, then) in data.srcs.iter().zip(original.srcs) {
            let same = (now.kind, now.bits, now.flags) == (then.kind, then.bits, then.flags);
            let of_value = now.as_value().is_some() || now.payload == then.payload;
            if !same || !of_value || self.contents(*now, file)? != self.before.tokens_of(self.f, *then) {
                return Err(format!("computes {value} from something else"));
            }
        }
        Ok(())
    }

    /// Executes an instruction that only moves registers.
    fn moves(&self, inst: Inst, data: &InstData<'_>, file: &mut File) -> Result<(), String> {
        if let (Some(value), Some(dst)) = (self.rematerialised[inst], data.dst()) {
            self.repeats(data, value, file)?;
            file[self.place(dst)?].copy_from_slice(&self.before.tokens[value]);
            return Ok(());
        }
        if let (Op::Hw(Opcode::StackStore), [src, offset]) = (data.op, data.srcs) {
            let place = self.stack_place(*offset, self.f.src_ty(*src).halves(), file)?;
            let contents = self.contents(*src, file)?;
            file[place].copy_from_slice(&contents);
            return Ok(());
        }
        let tokens = match (data.op, data.srcs) {
            _ if is_rematerialised(data) => repeatable_tokens(self.f, data).unwrap_or_default(),
            (Op::Hw(Opcode::StackLoad), [offset]) => {
                let halves = data.dst().map_or(0, |dst| self.f.ty(dst).halves());
                file[self.stack_place(*offset, halves, file)?].to_vec()
            }
            (Op::Ir(IrOp::Copy | IrOp::Collect | IrOp::Split), srcs) => {
                let parts: Result<Vec<_>, String> =
                    srcs.iter().map(|src| self.contents(*src, file)).collect();
                parts?.concat()
            }
            (Op::Hw(Opcode::Bitop), [a, zero])
                if data.get(key::TABLE) == Truth::FIRST && zero.as_imm() == Some(0) =>
            {
                self.contents(*a, file)?
            }
            (Op::Hw(Opcode::Bitop), [a, b]) if data.get(key::TABLE) == Truth::XOR => {
                let (a, b) = (self.contents(*a, file)?, self.contents(*b, file)?);
                a.iter()
                    .zip(&b)
                    .map(|(a, b)| if *a == UNKNOWN || *b == UNKNOWN { UNKNOWN } else { a ^ b })
                    .collect()
            }
            (Op::Hw(Opcode::Extr), [a, b, amount])
                if a == b && amount.as_imm() == Some(16) && data.mods == [0] =>
            {
                let mut halves = self.contents(*a, file)?;
                halves.reverse();
                halves
            }
            _ => return Err("is not a move".to_owned()),
        };
        let mut from = 0;
        for dst in data.dsts {
            let halves = usize::from(self.f.ty(*dst).halves());
            let part = tokens.get(from..from + halves).ok_or("moves fewer bits than it writes")?;
            if self.allocation.half(*dst).is_some() {
                file[self.place(*dst)?].copy_from_slice(part);
            }
            from += halves;
        }
        Ok(())
    }

    fn contents(&self, src: Src, file: &File) -> Result<Vec<Token>, String> {
        match src.as_value() {
            Some(value) => Ok(file[self.place(value)?].to_vec()),
            None => Ok(self.before.tokens_of(self.f, src)),
        }
    }

    /// The location of a phi at the start of its block: its register, or the stack; `None` for phis that are
    /// never read.
    fn phi_place(&self, phi: Value) -> Result<Option<std::ops::Range<usize>>, String> {
        if self.allocation.half(phi).is_some() {
            return self.place(phi).map(Some);
        }
        let slot = self.allocation.memory_phis.iter().find(|(known, _)| *known == phi);
        let start = slot.map(|(_, slot)| STACK + *slot as usize / 2);
        Ok(start.map(|start| start..start + usize::from(self.f.ty(phi).halves())))
    }

    /// The half-words of the stack that an inserted access of `halves` halves touches.
    fn stack_place(&self, offset: Src, halves: u16, file: &File) -> Result<std::ops::Range<usize>, String> {
        let bytes = offset.as_imm().ok_or("does not have an immediate offset")?;
        let start = STACK + bytes as usize / 2;
        let end = start + usize::from(halves);
        if bytes < u64::from(self.options.stack_bytes) || end > file.len() {
            return Err(format!("accesses byte {bytes}, outside the stack"));
        }
        Ok(start..end)
    }

    /// Merges `file` at the end of `from` into the head of `to`; returns whether the head changed.
    fn flow(
        &self,
        from: Block,
        to: Block,
        file: &File,
        head: &mut Option<Vec<Token>>,
    ) -> Result<bool, CompileError> {
        let mut file = file.to_vec();
        let mut defined = Vec::new();
        for phi in self.before.phis(to) {
            let Some(dst) = phi.dst() else { continue };
            let Some(place) = self.phi_place(dst).map_err(CompileError::internal)? else { continue };
            let src = phi.phi_inputs().find(|(pred, _)| *pred == from).map(|(_, src)| src);
            if src.is_none_or(|src| file[place.clone()] != self.before.tokens_of(self.f, src)[..]) {
                return Err(CompileError::internal(format!(
                    "register allocation: {from} does not bring {dst} to the phi in {to}"
                )));
            }
            defined.push((place, dst));
        }
        for (place, dst) in defined {
            file[place].copy_from_slice(&self.before.tokens[dst]);
        }
        let Some(head) = head else {
            *head = Some(file);
            return Ok(true);
        };
        let mut changed = false;
        for (known, new) in head.iter_mut().zip(file) {
            if *known != new && *known != UNKNOWN {
                *known = UNKNOWN;
                changed = true;
            }
        }
        Ok(changed)
    }
}

//! Inputs and outputs in device memory: those of tessellation shaders, whose invocations share patches.

use super::arith::halves;
use super::pointer::{Pointer, StageMemory, StoredScalar};
use super::values::Values;
use crate::error::CompileError;
use crate::frontend::kit::tessellation::Place;
use crate::ir::build::alu::IntCond;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Maximum number of words of a memory access.
const MAX_WORDS: u32 = 4;

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// Adjacent scalars that one access covers.
struct Run {
    /// The first scalar of the pointee, and the number of scalars.
    first: usize,
    count: usize,
    /// Byte of the first one; `None` for a scalar that is not stored.
    byte: Option<u32>,
    words: u32,
}

/// Divides scalars into accesses.
fn runs(scalars: &[StoredScalar]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::with_capacity(scalars.len());
    for (at, scalar) in scalars.iter().enumerate() {
        let end = |run: &Run| run.byte.map(|byte| byte.saturating_add(run.words.saturating_mul(WORD_BYTES)));
        let words = scalar.words();
        match runs.last_mut() {
            Some(run)
                if scalar.byte.is_some()
                    && end(run) == scalar.byte
                    && run.words.saturating_add(words) <= MAX_WORDS =>
            {
                run.count = run.count.saturating_add(1);
                run.words = run.words.saturating_add(words);
            }
            _ => runs.push(Run { first: at, count: 1, byte: scalar.byte, words }),
        }
    }
    runs
}

/// The variable and the scalars a pointer points to.
fn pointee<'a>(
    v: &Values<'_, 'a>,
    pointer: &Pointer<'a>,
    number: u32,
) -> Result<(StageMemory<'a>, &'a [StoredScalar]), CompileError> {
    let missing = || CompileError::internal("an input or output without memory");
    let memory = *v.stage_memory.get(number as usize).ok_or_else(missing)?;
    let count = v.types.leaf_count(pointer.ty)?;
    let first = pointer.fixed as usize;
    let scalars = memory.scalars.get(first..first.saturating_add(count)).ok_or_else(missing)?;
    Ok((memory, scalars))
}

/// Address and offset of a byte of the pointee.
fn address<'a>(v: &mut Values<'_, 'a>, start: Place, pointer: &Pointer<'a>, byte: u32) -> [Src; 2] {
    let computed = pointer.offset.map_or(start.offset, |offset| v.kit.b.iadd(start.offset, offset));
    [start.base, v.kit.b.iadd(computed, Src::imm32(byte))]
}

/// The scalars a pointer points to. Those that are not stored are 0.
pub(super) fn load<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    number: u32,
) -> Result<&'a [Src], CompileError> {
    let (memory, scalars) = pointee(v, pointer, number)?;
    let mut result = Vec::with_capacity(scalars.len());
    for run in runs(scalars) {
        let scalars = scalars.iter().skip(run.first).take(run.count);
        let Some(byte) = run.byte else {
            result.extend(scalars.map(|scalar| Src::imm(0, scalar.bits)));
            continue;
        };
        let [base, offset] = address(v, memory.start, pointer, byte);
        let mods = [memory.access.bits(), WORD_BYTES];
        let loaded =
            v.kit.b.value(IrOp::LoadGlobal, Type::vector(32, run.words as u8), &[base, offset], &mods);
        let words = v.kit.b.split(Src::value(loaded), Type::B32, run.words as usize).to_vec();
        let mut rest = words.as_slice();
        for scalar in scalars {
            let (now, later) = rest.split_at((scalar.words() as usize).min(rest.len()));
            rest = later;
            result.push(match (now, scalar) {
                ([word], StoredScalar { bits, is_float: true, .. }) => v.kit.b.fconv(*word, *bits),
                ([word], StoredScalar { bits: 1, .. }) => v.kit.b.icmp(IntCond::NE, *word, Src::imm32(0)),
                ([word], StoredScalar { bits, .. }) => v.kit.b.uconv(*word, *bits),
                (words, _) => v.kit.b.collect(Type::B64, words),
            });
        }
    }
    Ok(v.bump.alloc_slice_copy(&result))
}

/// Stores scalars to the pointee.
pub(super) fn store<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    number: u32,
    data: &[Src],
) -> Result<(), CompileError> {
    let (memory, scalars) = pointee(v, pointer, number)?;
    v.kit.memory.writes_memory = true;
    for run in runs(scalars) {
        let Some(byte) = run.byte else { continue };
        let mut words = Vec::with_capacity(run.words as usize);
        for (scalar, value) in scalars.iter().zip(data).skip(run.first).take(run.count) {
            match scalar {
                StoredScalar { bits: 64, .. } => {
                    let (low, high) = halves(&mut v.kit.b, *value);
                    words.extend([low, high]);
                }
                StoredScalar { is_float: true, .. } => words.push(v.kit.b.fconv(*value, 32)),
                StoredScalar { .. } => words.push(v.kit.b.uconv(*value, 32)),
            }
        }
        let [base, offset] = address(v, memory.start, pointer, byte);
        let vector = v.kit.b.collect(Type::vector(32, run.words as u8), &words);
        v.kit.b.effect(IrOp::StoreGlobal, &[vector, base, offset], &[memory.access.bits(), WORD_BYTES]);
    }
    Ok(())
}

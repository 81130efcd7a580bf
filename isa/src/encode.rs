//! Encoding: an [`Inst`] to bytes, generic over rows.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use std::ops::Deref;

use thiserror::Error;

use crate::desc::{InstDesc, Length, OperandDesc, Role};
use crate::inst::{Inst, Operand};
use crate::operand::OperandError;

/// Maximum length of an instruction in bytes.
pub const MAX_BYTES: usize = 12;

/// The bytes of one instruction; derefs to the slice of those in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoded {
    /// Bytes in memory order; those past `len` are 0.
    pub bytes: [u8; MAX_BYTES],
    /// Number of bytes in use: 2 to 12, even.
    pub len: u8,
}

impl Deref for Encoded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&self.bytes)
    }
}

/// Why an instruction has no encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// An operand does not fit.
    #[error("operand `{operand}` of `{inst}`: {reason}")]
    Operand {
        /// Mnemonic.
        inst: &'static str,
        /// Operand name.
        operand: &'static str,
        /// The reason.
        reason: OperandError,
    },
    /// An operand past the row's last one.
    #[error("`{inst}` has {allowed} operands, found one more")]
    Surplus {
        /// Mnemonic.
        inst: &'static str,
        /// Number of operands of the row.
        allowed: usize,
    },
}

/// Encodes an instruction, in the long form if it is requested or needed.
///
/// # Errors
/// Names the operand that does not fit its row, and the reason.
pub fn encode(inst: &Inst) -> Result<Encoded, EncodeError> {
    let (word, len) = word_and_length(inst)?;
    let mut bytes = [0; MAX_BYTES];
    bytes.copy_from_slice(&word.to_le_bytes()[..MAX_BYTES]);
    Ok(Encoded { bytes, len })
}

/// Appends an encoded instruction to `code`; otherwise like [`encode`].
///
/// # Errors
/// Same as [`encode`].
pub fn append(code: &mut Vec<u8>, inst: &Inst) -> Result<(), EncodeError> {
    let (word, len) = word_and_length(inst)?;
    // The fixed size makes the copy cheaper.
    let end = code.len().saturating_add(usize::from(len));
    code.extend_from_slice(&word.to_le_bytes());
    code.truncate(end);
    Ok(())
}

/// The bits of an instruction, and its length in bytes.
#[inline(always)]
fn word_and_length(inst: &Inst) -> Result<(u128, u8), EncodeError> {
    let desc = inst.op.desc();
    let word = operand_bits(desc, inst)?;
    Ok(match desc.length {
        Length::Fixed(bytes) => (word, bytes),
        Length::Extensible { short, long, l_bit, .. } => {
            if inst.long || word >> (u32::from(short) * 8) != 0 {
                (word | 1 << l_bit, long)
            } else {
                (word, short)
            }
        }
    })
}

/// Whether an instruction needs the long form of its row, regardless of [`Inst::long`].
pub fn needs_long(inst: &Inst) -> bool {
    encode(&Inst { long: false, ..*inst }).is_ok_and(|bytes| bytes.len == inst.op.desc().length.longest())
}

#[inline(always)]
fn operand_bits(desc: &'static InstDesc, inst: &Inst) -> Result<u128, EncodeError> {
    let surplus = inst.operands.get(desc.operands.len());
    if surplus.is_some_and(|operand| operand.bits() != Operand::NONE.bits()) {
        return Err(EncodeError::Surplus { inst: desc.name, allowed: desc.operands.len() });
    }
    // Operands whose form depends on others come last, when the bits they depend on are set.
    let mut halves = [desc.value as u64, (desc.value >> 64) as u64];
    let word = |[low, high]: [u64; 2]| u128::from(high) << 64 | u128::from(low);
    let (_, registers) = desc.role_bounds(Role::Src);
    let mut operands = inst.operands.iter().zip(desc.operands);
    for _ in 0..registers {
        let Some((operand, spec)) = operands.next() else { break };
        if spec.kind.contextual {
            continue;
        }
        match spec.kind.encode_alone(operand, spec.width()) {
            Ok(raw) => spec.moves.deposit(raw, &mut halves),
            Err(reason) => return Err(refused(desc, spec, reason)),
        }
    }
    for (operand, spec) in operands {
        // Most modifiers are 0 and set no bit.
        if operand.bits() == Operand::imm(0).bits() && spec.kind.plain || spec.kind.contextual {
            continue;
        }
        match spec.kind.encode_modifier(operand, spec.width()) {
            Ok(raw) => spec.moves.deposit(raw, &mut halves),
            Err(reason) => return Err(refused(desc, spec, reason)),
        }
    }
    let context = word(halves);
    let mut left = desc.derived.contextual;
    while left != 0 {
        let index = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        let (Some(spec), Some(operand)) = (desc.operands.get(index), inst.operands.get(index)) else { break };
        match spec.kind.encode(operand, spec.width(), context) {
            Ok(raw) => spec.moves.deposit(raw, &mut halves),
            Err(reason) => return Err(refused(desc, spec, reason)),
        }
    }
    Ok(word(halves))
}

#[cold]
fn refused(desc: &'static InstDesc, spec: &'static OperandDesc, reason: OperandError) -> EncodeError {
    EncodeError::Operand { inst: desc.name, operand: spec.name, reason }
}

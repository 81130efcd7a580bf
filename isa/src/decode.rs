//! Decoding: bytes to an [`Inst`], total and generic over rows.
//!
//! Rows are found through the low seven bits of the word, which every row fixes at least in part.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use thiserror::Error;

use crate::desc::{InstDesc, Length};
use crate::encode::MAX_BYTES;
use crate::field::extract;
use crate::inst::{Inst, MAX_OPERANDS, Operand};
use crate::table::{INSTS, Opcode};

/// Why bytes are not an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// Fewer bytes than the length of the instruction.
    #[error("expected {need} bytes, found {have}")]
    Truncated {
        /// Number of bytes available.
        have: usize,
        /// Bytes needed.
        need: usize,
    },
    /// No row has this opcode.
    #[error("no instruction has the opcode {:#06x}", .word & 0xffff)]
    Opcode {
        /// The low bits of the word.
        word: u64,
    },
    /// Reserved bits are set.
    #[error("`{inst}` with bits set that must be zero: {}", BitList(*.bits))]
    Reserved {
        /// Mnemonic.
        inst: &'static str,
        /// The offending bits, bit 0 = lowest bit of the first byte.
        bits: u128,
    },
    /// An operand field has an undefined value.
    #[error("operand `{operand}` of `{inst}` holds {raw:#x} at bits {}, which has no meaning", BitList(*.bits))]
    Operand {
        /// Mnemonic.
        inst: &'static str,
        /// Operand name.
        operand: &'static str,
        /// Value of the field.
        raw: u64,
        /// Its bits.
        bits: u128,
    },
}

/// Bit positions, written as `3, 7:9`.
pub(crate) struct BitList(pub(crate) u128);

impl std::fmt::Display for BitList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.0;
        let mut separator = "";
        while rest != 0 {
            let low = rest.trailing_zeros();
            let run = (!(rest >> low)).trailing_zeros();
            let end = low.saturating_add(run);
            write!(f, "{separator}{low}")?;
            if run > 1 {
                write!(f, ":{}", end.saturating_sub(1))?;
            }
            rest &= u128::MAX.unbounded_shl(end);
            separator = ", ";
        }
        Ok(())
    }
}

const BUCKETS: usize = 128;
/// Maximum number of rows that share their low seven bits: conversions, bit counts and the interleave.
const BUCKET_ROWS: usize = 16;
/// Marks the end of a bucket; not the index of a row.
const EMPTY: u8 = u8::MAX;
const _: () = assert!(INSTS.len() <= EMPTY as usize);

/// For each value of the low seven bits, the candidate rows.
static DISPATCH: [[u8; BUCKET_ROWS]; BUCKETS] = dispatch();

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated at compile time, where both are errors of the compiler"
)]
const fn dispatch() -> [[u8; BUCKET_ROWS]; BUCKETS] {
    let mut table = [[EMPTY; BUCKET_ROWS]; BUCKETS];
    let mut bucket = 0;
    while bucket < BUCKETS {
        let mut used = 0;
        let mut row = 0;
        while row < INSTS.len() {
            if bucket as u128 & INSTS[row].mask & 0x7f == INSTS[row].value & 0x7f {
                table[bucket][used] = row as u8;
                used += 1;
            }
            row += 1;
        }
        bucket += 1;
    }
    table
}

/// Decodes the instruction at the start of `bytes`; also returns its length in bytes.
///
/// # Errors
/// Names the unknown opcode, bits or operand, or the number of missing bytes.
pub fn decode(bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
    let mut padded = [0; 16];
    let have = bytes.len().min(MAX_BYTES);
    if let Some((padded, bytes)) = padded.get_mut(..have).zip(bytes.get(..have)) {
        padded.copy_from_slice(bytes);
    }
    let word = u128::from_le_bytes(padded);
    if have < 2 {
        return Err(DecodeError::Truncated { have, need: 2 });
    }
    let mut missing = None;
    for row in DISPATCH.get((word & 0x7f) as usize).map_or(&[] as &[u8], |rows| rows) {
        let Some(op) = Opcode::ALL.get(usize::from(*row)).copied() else { break };
        let desc = op.desc();
        let len = length(desc, word);
        let own = word & low_mask(len);
        if own & desc.mask != desc.value {
            continue;
        }
        if len > have {
            missing = Some(len);
            continue;
        }
        return fields(op, desc, own, len);
    }
    match missing {
        Some(need) => Err(DecodeError::Truncated { have, need }),
        None => Err(DecodeError::Opcode { word: word as u64 }),
    }
}

fn length(desc: &InstDesc, word: u128) -> usize {
    usize::from(match desc.length {
        Length::Fixed(bytes) => bytes,
        Length::Extensible { short, long, l_bit, .. } => {
            if word >> l_bit & 1 == 1 {
                long
            } else {
                short
            }
        }
    })
}

const fn low_mask(len: usize) -> u128 {
    // A power of two is at least 1, so the subtraction does not wrap.
    (1u128 << (len << 3)).wrapping_sub(1)
}

#[inline]
fn fields(op: Opcode, desc: &'static InstDesc, word: u128, len: usize) -> Result<(Inst, usize), DecodeError> {
    let reserved = word & !desc.known;
    if reserved != 0 {
        return Err(DecodeError::Reserved { inst: desc.name, bits: reserved });
    }
    let long = matches!(desc.length, Length::Extensible { long, .. } if usize::from(long) == len);
    let mut operands = [Operand::NONE; MAX_OPERANDS];
    for (operand, spec) in operands.iter_mut().zip(desc.operands) {
        let raw = extract(word, spec.pieces);
        match spec.kind.decode(raw, spec.width(), word) {
            Some(value) => *operand = value,
            None => {
                let bits = crate::field::covered(spec.pieces);
                return Err(DecodeError::Operand { inst: desc.name, operand: spec.name, raw, bits });
            }
        }
    }
    Ok((Inst { op, long, operands }, len))
}

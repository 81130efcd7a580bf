//! Programs in memory: determines their length, and decodes each once.

use std::collections::BTreeMap;
use std::sync::Arc;

use agx_emulator::{Memory, MemoryFault, Program};
use agx_isa::decode::decode;
use agx_isa::inst::Inst;
use agx_isa::table::Opcode;

use crate::bytes;

/// Maximum size of a program in bytes.
const MOST_BYTES: usize = 1 << 20;
/// Number of bytes that contain any single instruction.
const LONGEST: usize = 16;
/// Bytes read at a time.
const PIECE: usize = 1 << 10;
/// Number of cached programs.
const KEPT: usize = 4096;

/// Decoded programs by address. A driver may replace a program at an address, so the bytes are compared.
#[derive(Default)]
pub(crate) struct Programs {
    known: BTreeMap<u64, Arc<Program>>,
}

impl Programs {
    /// The program at `address`.
    pub(crate) fn get(&mut self, memory: &Memory, address: u64) -> Result<Arc<Program>, MemoryFault> {
        if let Some(known) = self.known.get(&address) {
            let mut bytes = vec![0; known.code().len()];
            if memory.fetch(address, &mut bytes).is_ok() && bytes == known.code() {
                return Ok(known.clone());
            }
        }
        let program = Arc::new(Program::new(&code(memory, address)?));
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(address, program.clone());
        Ok(program)
    }
}

/// The bytes of the program at `address`: up to the first `stop`, after the target of every jump, that does not end a
/// masked region. Without active lanes `stop` has no effect, so after a region that stops its lanes the others
/// continue.
pub(crate) fn code(memory: &Memory, address: u64) -> Result<Vec<u8>, MemoryFault> {
    let mut bytes = Vec::new();
    let (mut pc, mut farthest) = (0_usize, 0);
    while pc < MOST_BYTES {
        let left = extend(memory, address, &mut bytes, pc.saturating_add(2 * LONGEST))?;
        let Ok((inst, len)) = decode(after(&bytes, pc)) else { break };
        if let Some(target) = jump_target(&inst, pc) {
            farthest = farthest.max(target);
        }
        pc = pc.saturating_add(len);
        let last = inst.op == Opcode::Stop && pc > farthest && !resumes_lanes(after(&bytes, pc));
        if last || !left {
            break;
        }
    }
    bytes.truncate(pc.max(2));
    Ok(bytes)
}

/// The code from `pc` on.
fn after(code: &[u8], pc: usize) -> &[u8] {
    code.get(pc..).unwrap_or(&[])
}

/// Whether code begins with an instruction that reactivates masked-off lanes.
fn resumes_lanes(code: &[u8]) -> bool {
    let resuming = [Opcode::ElseIcmp, Opcode::ElseFcmp, Opcode::PopExec];
    matches!(decode(code), Ok((inst, _)) if resuming.contains(&inst.op))
}

/// Extends `code` to `len` bytes; false if memory ends before.
fn extend(memory: &Memory, address: u64, code: &mut Vec<u8>, len: usize) -> Result<bool, MemoryFault> {
    while code.len() < len {
        let from = bytes::address(address, code.len() as u64);
        let mut piece = vec![0; PIECE];
        while memory.fetch(from, &mut piece).is_err() {
            piece.truncate(piece.len() / 2);
            if piece.len() < 2 {
                return match code.is_empty() {
                    true => memory.fetch(address, &mut [0; 2]).map(|()| false),
                    false => Ok(false),
                };
            }
        }
        code.append(&mut piece);
    }
    Ok(true)
}

/// The target of a jump.
fn jump_target(inst: &Inst, pc: usize) -> Option<usize> {
    matches!(inst.op, Opcode::JmpAny | Opcode::JmpNone | Opcode::Call).then_some(())?;
    let operand = inst.operands.iter().find(|operand| operand.tag == agx_isa::inst::Tag::Imm)?;
    pc.checked_add_signed(operand.value as i32 as isize)
}

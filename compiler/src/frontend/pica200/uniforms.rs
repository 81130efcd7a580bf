//! Uniforms, which are all in one buffer.

use agx_abi::pica200::{BOOL_OFFSET, INT_OFFSET, SET, UNIFORMS};
use agx_pica200::register::FLOAT_UNIFORMS;

use super::alu::Vector;
use crate::frontend::kit::Kit;
use crate::frontend::kit::buffers::{Buffer, load_vec4, load_word};
use crate::ir::build::alu::{IntCond, float};
use crate::ir::{Arithmetic, Src};

/// The buffer.
fn block(kit: &mut Kit<'_, '_>) -> Buffer {
    Buffer::uniform(kit, SET, UNIFORMS)
}

/// A float uniform.
pub(super) fn vector(kit: &mut Kit<'_, '_>, index: u8) -> Vector {
    let block = block(kit);
    load_vec4(kit, block, Src::imm32(index.into()))
}

/// Number of the uniform that `base` and an address register select, and whether it exists. An offset outside
/// −128…127 counts as 0, the sum wraps at 128, and sums of 96 and more select none.
pub(super) fn relative(kit: &mut Kit<'_, '_>, base: u8, offset: Src) -> (Src, Src) {
    let b = &mut kit.b;
    let moved = b.iadd(offset, Src::imm32(128));
    let is_near = b.icmp(IntCond::ULT, moved, Src::imm32(256));
    let near = b.select(is_near, offset, Src::imm32(0));
    let sum = b.iadd(near, Src::imm32(base.into()));
    let index = b.and(sum, Src::imm32(0x7f));
    let exists = b.icmp(IntCond::ULT, index, Src::imm32(FLOAT_UNIFORMS as u32));
    (index, exists)
}

/// The float uniform with a computed number; ones if it does not exist.
pub(super) fn vector_at(kit: &mut Kit<'_, '_>, (index, exists): (Src, Src)) -> Vector {
    let block = block(kit);
    let inside = kit.b.umin(index, Src::imm32((FLOAT_UNIFORMS as u32).saturating_sub(1)));
    let loaded = load_vec4(kit, block, inside);
    loaded.map(|value| kit.b.select(exists, value, float(1.0, 32)))
}

/// A component of an integer uniform: 0 number of iterations minus one, 1 initial counter, 2 step.
pub(super) fn int(kit: &mut Kit<'_, '_>, uniform: usize, component: u32) -> Src {
    let block = block(kit);
    let offset = INT_OFFSET.wrapping_add((uniform as u32).wrapping_mul(16)).wrapping_add(component << 2);
    let word = load_word(kit, block, Src::imm32(offset));
    kit.b.and(word, Src::imm32(0xff))
}

/// Whether a boolean uniform has the expected value.
pub(super) fn is_bool(kit: &mut Kit<'_, '_>, uniform: usize, expected: bool) -> Src {
    let block = block(kit);
    let mask = load_word(kit, block, Src::imm32(BOOL_OFFSET));
    let bit = kit.b.and(mask, Src::imm32(1 << uniform));
    let cond = if expected { IntCond::NE } else { IntCond::EQ };
    kit.b.icmp(cond, bit, Src::imm32(0))
}

//! The private stack of each lane.
//!
//! `stack_adjust n` opens a frame of n words; loads and stores address bytes from the base of the current frame, and the
//! frames of the callers lie above it. How hardware lays this out in scratch memory is not known and not visible.

use agx_isa::inst::{Inst, OperandFlags, Size};
use agx_isa::key::{self, Key};

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::exec::memory::Layout;
use crate::findings::{FindingKind, Observation};
use crate::formats::Format;
use crate::group::{Group, LANES, PerLane};
use crate::registers::{Place, Src, lanes_of};

/// Words beyond the bytes a program asks for that its frame may open (Mesa 25.0 AGX compiler: ten, rounded up to four).
const FRAME_OVERHEAD_WORDS: i64 = 10;

/// Words of stack a lane of a program with `scratch_bytes` may use.
pub(crate) fn limit_words(scratch_bytes: u32) -> i64 {
    match scratch_bytes {
        0 => 0,
        _ => (i64::from(scratch_bytes.div_ceil(4)) + FRAME_OVERHEAD_WORDS + 3) & !3,
    }
}

/// `stack_adjust` by a fixed number of words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjust {
    words: i64,
}

impl Adjust {
    /// Resolves the number of words.
    pub(crate) fn new(inst: &Inst) -> Adjust {
        Adjust { words: i64::from(Fields::new(inst).number(key::INDEX) as i32) }
    }

    /// Moves the stack pointer of the SIMD-group.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) {
        group.stack_words += self.words;
        let limit = core.launch.stack_words;
        if group.stack_words < 0 || group.stack_words > limit {
            core.notes.push(FindingKind::StackPointer { words: group.stack_words, limit }.into());
        }
    }
}

/// A stack load or store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    offset: Src,
    layout: Layout,
    shift: u32,
}

impl Stack {
    /// Resolves a load (`data` is then `dst`) or a store.
    pub(crate) fn new(inst: &Inst, data: Key) -> Option<Stack> {
        let fields = Fields::new(inst);
        let offset = fields.source(key::INDEX).sized(Size::B32);
        Some(Stack { offset, layout: Layout::new(inst, data)?, shift: fields.number(key::SHIFT).min(2) })
    }

    /// Loads in the active lanes. Outside the stack: zero.
    pub(crate) fn load(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        reserve(group, core);
        let frame = Frame::new(group, core);
        if let Some(first) = self.whole_halves(frame) {
            self.each_half(|at, half| {
                let (values, exec) = (group.stack[first + at], group.exec);
                group.set_halves(half, &values, exec);
            });
            return Ok(());
        }
        let offsets = self.offsets(group, core);
        let element = self.layout.format.bytes();
        let stack = std::mem::take(&mut group.stack);
        for lane in lanes_of(group.exec) {
            self.layout.load(group, lane, |component, bytes| {
                let offset = (offsets[lane] as i64).wrapping_add(i64::from(component * element));
                match frame.place(offset, bytes) {
                    Some(place) => Ok(place.rev().fold(0, |value, at| {
                        value << 8 | u32::from(stack[at / 2][lane].to_le_bytes()[at % 2])
                    })),
                    None => {
                        core.note(frame.outside(offset), lane);
                        Ok::<_, Observation>(0)
                    }
                }
            })?;
        }
        group.stack = stack;
        Ok(())
    }

    /// Stores from the active lanes. Outside the stack: nothing.
    pub(crate) fn store(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        reserve(group, core);
        let frame = Frame::new(group, core);
        if let Some(first) = self.whole_halves(frame) {
            self.each_half(|at, half| {
                let values = group.halves(half);
                copy_half(&values, &mut group.stack[first + at], group.exec)
            });
            return Ok(());
        }
        let offsets = self.offsets(group, core);
        let element = self.layout.format.bytes();
        let mut stack = std::mem::take(&mut group.stack);
        for lane in lanes_of(group.exec) {
            self.layout.store(group, lane, |component, bytes, value| {
                let offset = (offsets[lane] as i64).wrapping_add(i64::from(component * element));
                match frame.place(offset, bytes) {
                    Some(place) => {
                        for (at, byte) in place.zip(value.to_le_bytes()) {
                            let mut half = stack[at / 2][lane].to_le_bytes();
                            half[at % 2] = byte;
                            stack[at / 2][lane] = u16::from_le_bytes(half);
                        }
                    }
                    None => core.note(frame.outside(offset), lane),
                }
                Ok::<_, Observation>(())
            })?;
        }
        group.stack = stack;
        Ok(())
    }

    /// The first half-word of the stack, when the access moves whole registers between it and the same aligned place of
    /// the frame in all lanes: what spills and fills do.
    fn whole_halves(&self, frame: Frame) -> Option<usize> {
        let plain = matches!(
            (self.layout.format, self.layout.first.size),
            (Format::I16, Size::B16) | (Format::I32, Size::B32)
        );
        let Place::Immediate(offset) = self.offset.place else { return None };
        let offset = i64::from(offset as u32 as i32) << self.shift;
        let bytes = (32 - self.layout.mask.leading_zeros()) * self.layout.format.bytes();
        let place = frame.place(offset, bytes)?;
        (plain && offset % 2 == 0).then_some(place.start / 2)
    }

    /// Calls `copy` with each half-word from the first on, and the half register that belongs to it.
    fn each_half(&self, mut copy: impl FnMut(usize, u8)) {
        let halves = usize::from(self.layout.first.size.halves());
        for (component, register) in self.layout.components() {
            for at in 0..halves {
                let half = register.half.wrapping_add(at as u8);
                copy(component as usize * halves + at, half);
            }
        }
    }

    /// Byte offsets from the frame's base.
    fn offsets(&self, group: &Group, core: &Core<'_>) -> PerLane<u64> {
        let mut offsets = group.gather(core.uniforms, &self.offset);
        let immediate = matches!(self.offset.place, Place::Immediate(_));
        let signed = immediate || self.offset.flags.contains(OperandFlags::SX);
        for offset in &mut offsets {
            let bytes = if signed { i64::from(*offset as u32 as i32) } else { *offset as i64 };
            *offset = (bytes << self.shift) as u64;
        }
        offsets
    }
}

/// The current frame: its base lies `words` words below the end of the lane's stack.
#[derive(Clone, Copy)]
struct Frame {
    words: i64,
    limit: i64,
}

impl Frame {
    fn new(group: &Group, core: &Core<'_>) -> Frame {
        Frame { words: group.stack_words, limit: core.launch.stack_words }
    }

    /// The range of bytes of the lane's stack at an offset from the frame's base.
    fn place(self, offset: i64, bytes: u32) -> Option<std::ops::Range<usize>> {
        let start = offset.checked_add((self.limit - self.words) * 4)?;
        let inside = offset >= 0 && start >= 0 && start.checked_add(i64::from(bytes))? <= self.limit * 4;
        inside.then_some(start as usize..start as usize + bytes as usize)
    }

    fn outside(self, offset: i64) -> FindingKind {
        FindingKind::StackOutOfBounds { offset, frame: self.words * 4 }
    }
}

/// Makes the stacks on first use.
fn reserve(group: &mut Group, core: &Core<'_>) {
    group.stack.resize(core.launch.stack_words.max(0) as usize * 2, [0; LANES]);
}

/// Copies the lanes of `exec`.
fn copy_half(from: &PerLane<u16>, into: &mut PerLane<u16>, exec: u32) {
    if exec == u32::MAX {
        *into = *from;
        return;
    }
    lanes_of(exec).for_each(|lane| into[lane] = from[lane]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_nest_downwards() {
        let outer = Frame { words: 12, limit: 20 };
        let inner = Frame { words: 16, limit: 20 };
        assert_eq!(outer.place(0, 4), Some(32..36));
        assert_eq!(inner.place(16, 4), outer.place(0, 4), "the caller's frame lies above the callee's");
        assert_eq!(outer.place(44, 4), Some(76..80));
        assert_eq!(outer.place(45, 4), None);
        assert_eq!(outer.place(-1, 1), None);
        assert_eq!(Frame { words: 0, limit: 20 }.place(0, 1), None, "no frame was opened");
        assert_eq!(limit_words(0), 0);
        assert_eq!(limit_words(1024), 268);
    }
}

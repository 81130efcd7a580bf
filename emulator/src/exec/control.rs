//! Execution mask, jumps, calls, stop, trap, waits and barriers.
//!
//! `r0l` of each lane counts how many enclosing constructs the lane has left; a lane is active if it is 0. The mask
//! instructions affect all lanes (rules: applegpu's documentation, which was compared with M1 hardware).

use agx_isa::inst::Inst;

use crate::core::Core;
use crate::exec::Flow;
use crate::exec::alu::Compare;
use crate::exec::fields::Fields;
use crate::findings::{FindingKind, Observation};
use crate::group::Group;
use crate::registers::{Dst, Place, Src, lanes_of};
use agx_isa::inst::{Operand, Size};
use agx_isa::key;

/// Effect of a mask instruction on the nesting counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nesting {
    If,
    Else,
    While,
    Pop,
}

/// A mask instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask {
    nesting: Nesting,
    levels: u16,
    compare: Option<Compare>,
}

impl Mask {
    /// Resolves a mask instruction.
    pub(crate) fn new(inst: &Inst, nesting: Nesting, compare: Option<Compare>) -> Mask {
        Mask { nesting, levels: Fields::new(inst).number(key::NEST) as u16, compare }
    }

    /// Lanes whose comparison affects the result.
    pub(crate) fn deciding_lanes(&self, group: &Group) -> u32 {
        let decides = |level: u16| match self.nesting {
            Nesting::If => level == 0,
            Nesting::Else => level == 1,
            Nesting::While => level < self.levels,
            Nesting::Pop => false,
        };
        lanes_of(group.lanes)
            .filter(|&lane| decides(group.half(0, lane)))
            .fold(0, |all, lane| all | 1 << lane)
    }

    /// Updates the counters of all lanes, then the mask.
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        let deciding = self.deciding_lanes(group);
        let held = match &self.compare {
            Some(compare) => compare.holds(group, core, deciding),
            None => deciding,
        };
        let mut exec = 0;
        for (lane, word) in group.words[0].iter_mut().enumerate() {
            let level = self.next_level(*word as u16, held >> lane & 1 != 0);
            *word = *word & 0xffff_0000 | u32::from(level);
            exec |= u32::from(level == 0) << lane;
        }
        group.mask_used = true;
        group.set_exec(exec & group.lanes);
    }

    fn next_level(&self, level: u16, held: bool) -> u16 {
        let levels = self.levels;
        match self.nesting {
            Nesting::If if level != 0 => level.wrapping_add(levels),
            Nesting::If => u16::from(!held),
            Nesting::Else if level == 0 => levels,
            Nesting::Else if level == 1 => u16::from(!held),
            Nesting::While if level < levels => {
                if held {
                    0
                } else {
                    levels
                }
            }
            Nesting::Else | Nesting::While => level,
            Nesting::Pop => level.saturating_sub(levels),
        }
    }
}

/// Condition of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// Some lane is active.
    Any,
    /// No lane is active.
    None,
    /// Never taken.
    Never,
    /// Always taken; stores the return address in `r1`.
    Call,
}

/// A jump by a fixed distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub(crate) taken: Taken,
    /// Signed bytes from the first byte of the jump.
    pub(crate) distance: i32,
}

/// `r1`, the link register.
const LINK: Dst = Dst { half: 2, size: Size::B32 };

impl Jump {
    /// Resolves a jump.
    pub(crate) fn new(inst: &Inst, taken: Taken) -> Jump {
        Jump { taken, distance: Fields::new(inst).number(key::TARGET) as i32 }
    }

    /// The jump's destination; a call's return address is an offset from the program's first byte.
    pub(crate) fn run(&self, group: &mut Group, next: u32) -> Flow {
        let taken = match self.taken {
            Taken::Any => group.exec != 0,
            Taken::None => group.exec == 0,
            Taken::Never => false,
            Taken::Call => {
                link(group, next);
                true
            }
        };
        if taken { Flow::Jump(group.pc.wrapping_add_signed(self.distance)) } else { Flow::Next }
    }
}

fn link(group: &mut Group, next: u32) {
    for lane in lanes_of(group.exec) {
        group.write(LINK, u64::from(next), lane);
    }
    let stack_words = group.stack_words;
    group.calls.push(stack_words);
}

/// A call or return through a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indirect {
    target: Src,
    call: bool,
}

impl Indirect {
    /// Resolves `call reg` or `ret reg`.
    pub(crate) fn new(inst: &Inst, call: bool) -> Indirect {
        let target = Fields::new(inst).first_register().unwrap_or(Operand::reg(LINK.half, Size::B32));
        Indirect { target: Src::new(target).sized(Size::B32), call }
    }

    /// Jumps to the destination on which all active lanes agree.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>, next: u32) -> Result<Flow, Observation> {
        let Place::Register(half) = self.target.place else {
            return Err(FindingKind::Unsupported("an indirect jump that names no register").into());
        };
        let mut targets = lanes_of(group.exec).map(|lane| (lane, group.read(half, Size::B32, lane)));
        let (_, target) = targets.next().unwrap_or((0, u64::from(next)));
        if let Some((lane, _)) = targets.find(|(_, other)| *other != target) {
            return Err(FindingKind::Unsupported("an indirect jump with different targets in its lanes")
                .in_lane(lane));
        }
        if self.call {
            link(group, next);
        } else if let Some(before) = group.calls.pop()
            && before != group.stack_words
        {
            core.notes.push(FindingKind::StackImbalance { before, after: group.stack_words }.into());
        }
        Ok(Flow::Jump(target as u32))
    }
}

/// Strict mode's checks of a stop.
pub(crate) fn observe_stop(group: &Group, core: &mut Core<'_>) {
    let masked_off = group.lanes & !group.exec;
    if group.mask_used && masked_off != 0 {
        core.note(FindingKind::StaleNesting, masked_off.trailing_zeros() as usize);
    }
}

/// Strict mode's checks of a threadgroup barrier. Without active lanes the barrier is accepted, because Mesa's compiler
/// lets SIMD-groups run through loops that their lanes have left. If only some lanes are active, the others miss the
/// barrier.
pub(crate) fn observe_barrier(group: &Group, core: &mut Core<'_>) {
    let missing = group.lanes & !group.exec;
    if missing != 0 && group.exec != 0 {
        core.note(FindingKind::DivergentBarrier, missing.trailing_zeros() as usize);
    }
    if core.launch.preamble {
        core.notes.push(FindingKind::NotInPreamble("wait at a barrier").into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_levels_follow_the_table() {
        use Nesting::*;
        // (instruction, levels, level before, comparison held, level after)
        let cases = [
            (If, 1, 0, true, 0),
            (If, 1, 0, false, 1),
            (If, 1, 3, true, 4),
            (If, 0, 3, false, 3),
            (If, 2, 1, false, 3),
            (Else, 1, 0, true, 1),
            (Else, 2, 0, false, 2),
            (Else, 1, 1, true, 0),
            (Else, 1, 1, false, 1),
            (Else, 1, 2, true, 2),
            (While, 2, 0, true, 0),
            (While, 2, 0, false, 2),
            (While, 2, 1, true, 0),
            (While, 2, 1, false, 2),
            (While, 2, 2, true, 2),
            (While, 1, 1, true, 1),
            (Pop, 1, 1, false, 0),
            (Pop, 2, 1, true, 0),
            (Pop, 1, 3, false, 2),
            (Pop, 0, 3, true, 3),
        ];
        for (nesting, levels, before, held, after) in cases {
            let mask = Mask { nesting, levels, compare: None };
            assert_eq!(mask.next_level(before, held), after, "{nesting:?} {levels} from {before}, {held}");
        }
    }
}

//! Strict mode: reports errors that hardware ignores silently. It never changes a result.
//!
//! A mask per half register has the lanes in which its value is defined, so the common case needs one test per half
//! register and instruction instead of one per lane.

use std::ops::BitOr;

use agx_isa::half_set::HalfSet;

use crate::core::Core;
use crate::exec::{Action, control, simd_ops};
use crate::findings::FindingKind;
use crate::group::Group;
use crate::hidden;
use crate::program::Op;

/// Maximum number of operations in a wait group (Mesa 25.0 AGX compiler).
const OUTSTANDING: u32 = 8;

/// Checks before an instruction executes: registers that it reads, and pending operations.
pub(crate) fn before(op: &Op, group: &mut Group, core: &mut Core<'_>) {
    let strict = &op.strict;
    let reading = op.action.reading_lanes(group);
    // A half that a move takes along is defined if its other half is: it moves what the other half needs.
    let along = strict.moves.map_or(0, |[from, _]| halves_of(group, from).into_iter().fold(0, BitOr::bitor));
    for half in &strict.reads {
        let undefined = reading & !(group.defined[usize::from(*half)] | along);
        if undefined != 0 {
            undefined_read(*half, undefined, group, core);
        }
    }
    if reading != 0 {
        for half in &strict.uniforms {
            if !core.uniforms.is_set(*half) {
                core.notes.push(FindingKind::UnsetUniform(*half).into());
            }
        }
    }
    pending(op, group, core);
    if strict.uses_nesting {
        nesting(group, core);
    }
    match &op.action {
        Action::Shuffle(shuffle) => simd_ops::observe_shuffle(shuffle, group, core),
        Action::Stop if group.exec != 0 || op.last => {
            control::observe_stop(group, core);
            hidden::observe_end(group, core);
        }
        Action::Barrier => control::observe_barrier(group, core),
        _ => {}
    }
}

/// After it executed in the lanes of `exec`: what is defined, discarded and pending now.
pub(crate) fn after(op: &Op, exec: u32, group: &mut Group, core: &mut Core<'_>) {
    let strict = &op.strict;
    let moved = strict.moves.map(|[from, to]| (to, halves_of(group, from)));
    // A dropped value is lost in every lane: inactive ones may hold a value not yet written back.
    for half in &strict.discards {
        group.defined[usize::from(*half)] = 0;
        group.discarded[usize::from(*half)] = group.lanes;
    }
    for half in &strict.writes {
        group.defined[usize::from(*half)] |= exec;
        group.discarded[usize::from(*half)] &= !exec;
    }
    if let Some((to, defined)) = moved {
        for (half, defined) in [to, to.wrapping_add(1)].into_iter().zip(defined) {
            group.defined[usize::from(half)] &= !exec | defined;
        }
    }
    if strict.writes.first() == Some(&0) {
        let kept = group.nesting_is_data & !exec;
        group.nesting_is_data = if strict.puts_data_in_nesting { kept | exec } else { kept };
    }
    if let Some(index) = op.wait_group {
        let pending = &mut group.pending[usize::from(index & 1)];
        pending.halves.join(&strict.write_set);
        pending.count += 1;
        if pending.count > OUTSTANDING {
            core.notes.push(FindingKind::TooManyOutstanding(index).into());
        }
    }
}

/// The lanes in which both halves of a register are defined, by half.
fn halves_of(group: &Group, first: u8) -> [u32; 2] {
    [first, first.wrapping_add(1)].map(|half| group.defined[usize::from(half)])
}

#[cold]
fn undefined_read(half: u8, undefined: u32, group: &Group, core: &mut Core<'_>) {
    let discarded = undefined & group.discarded[usize::from(half)];
    let (kind, lanes) = match discarded {
        0 => (FindingKind::UnwrittenRegister(half), undefined),
        _ => (FindingKind::Discarded(half), discarded),
    };
    core.note(kind, lanes.trailing_zeros() as usize);
}

/// The lowest half register in both sets.
fn first_common(a: HalfSet, b: HalfSet) -> Option<u8> {
    a.and(b).first().map(|half| half as u8)
}

fn pending(op: &Op, group: &Group, core: &mut Core<'_>) {
    for (index, pending) in group.pending.iter().enumerate() {
        if pending.count == 0 || pending.halves.is_empty() {
            continue;
        }
        let index = index as u8;
        if let Some(half) = first_common(pending.halves, op.strict.read_set) {
            core.notes.push(FindingKind::PendingRead { half, group: index }.into());
        }
        if let Some(half) = first_common(pending.halves, op.strict.write_set) {
            core.notes.push(FindingKind::PendingWrite { half, group: index }.into());
        }
    }
}

/// Checks a mask instruction, which reads `r0l` of every lane.
fn nesting(group: &mut Group, core: &mut Core<'_>) {
    let undefined = group.lanes & !group.defined[0];
    if undefined != 0 {
        undefined_read(0, undefined, group, core);
    }
    if group.nesting_is_data & group.lanes != 0 {
        core.note(FindingKind::NestingHoldsData, group.nesting_is_data.trailing_zeros() as usize);
    }
    // Report only once: from here on treat the counters as valid.
    group.defined[0] |= group.lanes;
    group.nesting_is_data = 0;
}

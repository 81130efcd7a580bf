//! Records which clean-up passes found nothing to do, so that they return at once while the function is
//! unchanged.

use super::function::{Function, NUMBERED};

/// Runs `work`, which leaves each value as used or unused as it was.
pub fn keep_uses(f: &mut Function<'_>, work: impl FnOnce(&mut Function<'_>)) {
    let had_no_unused = f.settled.unused == Some(f.mark());
    work(f);
    if had_no_unused {
        f.settled.unused = Some(f.mark());
    }
}

/// A mask of the local rewrites that would find nothing to do.
pub fn settled_rewrites(f: &Function<'_>) -> u8 {
    let settled = f.settled.local.filter(|(_, mark)| f.mark().only_removed_since(*mark));
    settled.map_or(0, |(which, _)| which)
}

/// Whether value numbering would find nothing to merge.
pub fn is_numbered(f: &Function<'_>) -> bool {
    settled_rewrites(f) & NUMBERED != 0
}

/// Records that value numbering would find nothing to merge, although the function has changed.
pub fn keep_numbered(f: &mut Function<'_>) {
    f.settled.local = Some((NUMBERED, f.mark()));
    f.settled.unchanged = NUMBERED;
    f.insts.watch();
}

/// Records that the local rewrites `which` found nothing more to do.
pub fn note_settled(f: &mut Function<'_>, which: u8) {
    f.settled.local = Some((which, f.mark()));
    if which & f.settled.unchanged == f.settled.unchanged {
        f.settled.unchanged = which;
        f.insts.watch();
    } else {
        // What is recorded of other rewrites stays correct: more instructions than necessary count as changed.
        f.settled.unchanged |= which & NUMBERED;
    }
}

/// Records that a pass with local rewrites `which` may have left something to do.
pub fn note_unsettled(f: &mut Function<'_>, which: u8) {
    f.settled.unchanged &= !which;
}

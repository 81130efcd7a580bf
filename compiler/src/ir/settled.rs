//! Records which clean-up passes found nothing to do, so that they return at once while the function is
//! unchanged.

use super::function::Function;

/// The bit for value numbering among local rewrites.
pub const NUMBERED: u8 = 1 << 3;

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
}

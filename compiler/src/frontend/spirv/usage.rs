//! Usage of variables: which are read, which need memory because they are indexed dynamically, and which of
//! those never change.

use crate::ir::src::Src;

/// The result of a scan over all bodies.
#[derive(Default)]
pub(super) struct Usage<'a> {
    pub(super) read: &'a [bool],
    pub(super) needs_memory: &'a [bool],
    pub(super) constants: &'a [Contents<'a>],
    pub(super) copied: Vec<u32>,
}

/// The contents of a variable throughout the program.
#[derive(Clone, Copy, Default)]
pub(super) enum Contents<'a> {
    /// No store is known.
    #[default]
    Nothing,
    /// Every store writes these scalars to the whole variable.
    Always(&'a [Src]),
    /// It changes, or has uses that are not tracked.
    Changes,
}

impl<'a> Usage<'a> {
    /// The scalars of a variable that belongs in the constant section: it is indexed dynamically, has too
    /// many elements for selections, and never changes.
    pub fn constant(&self, id: u32) -> Option<&'a [Src]> {
        match self.constants.get(id as usize) {
            Some(Contents::Always(leaves)) => Some(leaves),
            _ => None,
        }
    }

    /// Whether the variable may be read.
    pub fn is_read(&self, id: u32) -> bool {
        self.read.get(id as usize).copied().unwrap_or(false)
    }

    /// Whether what a large value was loaded from stays the same until it is read for the last time.
    pub fn stays(&self, id: u32) -> bool {
        self.copied.binary_search(&id).is_err()
    }

    /// Whether the variable cannot be kept in scalar variables.
    pub fn needs_memory(&self, id: u32) -> bool {
        self.needs_memory.get(id as usize).copied().unwrap_or(false)
    }
}

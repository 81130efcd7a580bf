//! Which variables are read, which need memory because they are indexed dynamically, and which of those never change.

use crate::ir::src::Src;

/// What a scan over all bodies found.
#[derive(Default)]
pub(super) struct Usage<'a> {
    pub(super) read: Vec<bool>,
    pub(super) needs_memory: Vec<bool>,
    pub(super) constants: Vec<Contents<'a>>,
}

/// What a variable holds throughout.
#[derive(Clone, Copy, Default)]
pub(super) enum Contents<'a> {
    /// Nothing is known to be stored.
    #[default]
    Nothing,
    /// Every store is one of these scalars to the whole variable.
    Always(&'a [Src]),
    /// It changes, or something is done with it that is not followed.
    Changes,
}

impl<'a> Usage<'a> {
    /// The scalars of a variable that belongs into the constant section: it is indexed dynamically, holds too many for
    /// selections, and never holds anything else.
    pub fn constant(&self, id: u32) -> Option<&'a [Src]> {
        match self.constants.get(id as usize) {
            Some(Contents::Always(leaves)) => Some(leaves),
            _ => None,
        }
    }

    /// Whether something is done with a variable that may read it.
    pub fn is_read(&self, id: u32) -> bool {
        self.read.get(id as usize).copied().unwrap_or(false)
    }

    /// Whether the variable cannot be scalar variables.
    pub fn needs_memory(&self, id: u32) -> bool {
        self.needs_memory.get(id as usize).copied().unwrap_or(false)
    }
}

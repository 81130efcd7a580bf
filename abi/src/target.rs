//! The supported chips.

use std::fmt;

/// A chip. All four share one instruction set; rows of the instruction table name the details in which they
/// differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Target {
    /// M1.
    #[default]
    G13G,
    /// M1 Pro, Max, Ultra: several clusters or dies.
    G13X,
    /// M2.
    G14G,
    /// M2 Pro, Max, Ultra.
    G14X,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Target {
    /// Every target with its lower-case name.
    pub const ALL: [(&'static str, Target); 4] =
        [("g13g", Target::G13G), ("g13x", Target::G13X), ("g14g", Target::G14G), ("g14x", Target::G14X)];

    /// The target with this lower-case name.
    pub fn from_name(name: &str) -> Option<Target> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
    }

    /// The lower-case name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Whether global atomics need the multi-cluster coherency bit (Mesa 25.0 sets it on these chips only).
    pub fn has_several_clusters(self) -> bool {
        self == Target::G13X
    }
}

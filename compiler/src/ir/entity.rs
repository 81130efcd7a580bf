//! Entities: the parts of a function that are identified by number.
//!
//! *Architecture invariant:* ids are identity. A printed `%12` is `Value(12)`, side tables are dense vectors indexed by
//! id, and nothing is keyed by address.

use std::fmt;

/// A typed index into a table.
pub trait Entity: Copy + Eq + fmt::Debug {
    /// The entity with this index.
    fn new(index: usize) -> Self;
    /// Index in its table.
    fn index(self) -> usize;
}

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Entity for $name {
            #[inline]
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("invariant: limits keep tables below 2^32 rows"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

entity!(
    /// An SSA value, printed `%12`.
    Value, "%"
);
entity!(
    /// An instruction. Instructions have no name in the text; messages call them `i12`.
    Inst, "i"
);
entity!(
    /// A basic block, printed `b3`.
    Block, "b"
);

//! Memory that a pass leaves to the next one.

use bumpalo::Bump;

use super::entity::Value;
use super::src::Src;
use super::table::Side;

/// Memory for the tables of passes on a function, which its preamble takes over.
#[derive(Default)]
pub struct Memory {
    /// Tables of the current pass: see [`Function::with_scratch`](super::Function::with_scratch).
    pub(super) scratch: Bump,
    /// The table of the current rewrite: see [`Function::map_insts`](super::Function::map_insts).
    pub(super) forwards: Forwards,
}

/// The replacements of values during a rewrite.
#[derive(Default)]
pub struct Forwards {
    /// Index in `list` of the replacement of each value, plus one; 0 for none.
    places: Side<Value, u32>,
    list: Vec<(Value, Src)>,
}

impl Forwards {
    /// Prepares for the values of a function with `count` values. Allocates when the first one is replaced.
    pub fn expect(&mut self, count: usize) {
        if self.list.capacity() == 0 {
            // Rewrites add values.
            self.places = Side::later(2 * count);
        }
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The direct replacement of `value`.
    pub fn get(&self, value: Value) -> Option<Src> {
        (self.places[value] as usize).checked_sub(1).map(|place| self.list[place].1)
    }

    /// Whether `value` is replaced.
    #[inline]
    pub fn has(&self, value: Value) -> bool {
        self.places[value] != 0
    }

    /// Replaces `value` by `src`.
    pub fn set(&mut self, value: Value, src: Src) {
        self.list.push((value, src));
        self.places[value] = self.list.len() as u32;
    }

    /// All replacements.
    pub fn iter(&self) -> impl Iterator<Item = (Value, Src)> {
        self.list.iter().copied()
    }

    /// Forgets all replacements.
    pub fn clear(&mut self) {
        for (value, _) in self.list.drain(..) {
            self.places[value] = 0;
        }
    }
}

//! Operands by name: each key knows at compile time where every row has its operand, so that a misspelt name does not
//! compile.

use crate::inst::{Inst, Operand};
use crate::table::{INSTS, Opcode};

/// The place of an operand that a row lacks.
const NOWHERE: u8 = u8::MAX;

/// The name of an operand.
#[derive(Clone, Copy)]
pub struct Key {
    /// The name in rows.
    pub name: &'static str,
    /// Its index in the row of each operation, or [`NOWHERE`].
    places: &'static [u8; Opcode::ALL.len()],
}

impl Key {
    /// The index of the operand in the row of `op`, if the row has it.
    #[inline]
    pub fn place(self, op: Opcode) -> Option<usize> {
        self.places.get(op as usize).filter(|place| **place != NOWHERE).map(|place| usize::from(*place))
    }
}

impl Inst {
    /// The operand `key`.
    ///
    /// # Panics
    /// If the row lacks the operand, which is an error of the caller and never depends on the input.
    #[inline]
    pub fn get(&self, key: Key) -> Operand {
        let operand = key.place(self.op).and_then(|place| self.operands.get(place));
        *operand.expect("invariant: the row has the operand")
    }
}

/// The index of the operand `name` in every row.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated at compile time")]
const fn places(name: &str) -> [u8; Opcode::ALL.len()] {
    let (mut places, mut row) = ([NOWHERE; Opcode::ALL.len()], 0);
    while row < places.len() {
        let mut at = INSTS[row].operands.len();
        while at > 0 {
            at -= 1;
            if is_same(INSTS[row].operands[at].name.as_bytes(), name.as_bytes()) {
                places[row] = at as u8;
            }
        }
        row += 1;
    }
    places
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated at compile time")]
const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

macro_rules! keys {
    ($($id:ident = $name:literal $doc:literal;)*) => {
        $(#[doc = $doc] pub const $id: Key = {
            static PLACES: [u8; Opcode::ALL.len()] = places($name);
            Key { name: $name, places: &PLACES }
        };)*

        /// Every key.
        pub const KEYS: &[Key] = &[$($id),*];
    };
}

keys! {
    A = "a" "The first source.";
    B = "b" "The second source.";
    BASE = "base" "The base of an address.";
    C = "c" "The third source.";
    COMPARE = "compare" "Whether a texture is compared with a reference.";
    COND = "cond" "A condition.";
    COORDS = "coords" "Coordinates.";
    COUNT = "count" "A number of components; 0 means four.";
    DATA = "data" "What is stored.";
    DIM = "dim" "The dimensions of a texture.";
    DST = "dst" "The destination.";
    EXPLICIT = "explicit" "Whether coordinates are operands.";
    EXTRA = "extra" "The reference and offset of a texture access.";
    FORMAT = "format" "The format of elements.";
    GATHER = "gather" "The gathered component.";
    GROUP = "group" "A group of waits.";
    HEAP = "heap" "The address of a texture heap.";
    INDEX = "index" "The index of an address.";
    INTERP = "interp" "Where in the pixel to interpolate.";
    INV = "inv" "Whether a condition is inverted.";
    LAST = "last" "Whether a store of an output is the last.";
    LIVE = "live" "The samples that stay live.";
    LOD = "lod" "The level of detail.";
    LOD_MODE = "lod_mode" "The source of the level of detail.";
    MASK = "mask" "The transferred components.";
    NEST = "nest" "Levels of nesting.";
    OFFSET = "offset" "An offset.";
    OP = "op" "The kind of an atomic operation, shuffle or reduction.";
    PREFIX = "prefix" "Whether a reduction is a scan.";
    QUERY = "query" "Whether the level of detail is queried.";
    ROTATE = "rotate" "Whether a shuffle rotates.";
    RTZ = "rtz" "Whether a store rounds towards zero.";
    S = "s" "Whether a stencil reference is written.";
    SAMPLE = "sample" "The number of a sample.";
    SAMPLER = "sampler" "A sampler.";
    SAMPLES = "samples" "A set of samples.";
    SAT = "sat" "Whether the result is saturated.";
    SCALE = "scale" "The left shift of an index of threadgroup memory.";
    SHIFT = "shift" "A left shift.";
    SIMD = "simd" "Whether a whole SIMD-group takes part.";
    SLOT = "slot" "A slot of the helper's map.";
    SPARSE = "sparse" "Whether residency is reported.";
    SR = "sr" "A special register.";
    TABLE = "table" "A truth table.";
    TARGET = "target" "The target of a jump, or the samples to decide on.";
    TEXTURE = "texture" "A texture.";
    W = "w" "The coefficient of the reciprocal depth.";
    Z = "z" "Whether a depth is written.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_where_the_rows_have_the_name() {
        for key in KEYS {
            let has = |op: &&Opcode| key.place(**op).is_some();
            assert!(Opcode::ALL.iter().any(|op| has(&op)), "{}", key.name);
            for op in Opcode::ALL {
                assert_eq!(
                    key.place(*op),
                    op.desc().operand_index(key.name),
                    "{} of {}",
                    key.name,
                    op.name()
                );
            }
        }
    }

    #[test]
    #[should_panic(expected = "invariant: the row has the operand")]
    fn a_row_without_the_operand_is_an_error() {
        let inst = Inst::new(Opcode::Fadd);
        inst.get(C);
    }
}

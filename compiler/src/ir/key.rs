//! Modifiers by name, each with the type of its values.
//!
//! A misspelt key does not compile, nor does a value of the wrong type. For rows without the modifier,
//! reading it yields its first value.

use std::marker::PhantomData;

use agx_isa::sr::Sr;
use agx_isa::table::names::{
    Atomic, Coherency, Dimension, FloatCondition, Format, Gather, IntCondition, InterpolationPlace, LodMode,
    Reduction, Rounding, Shuffle, Span, Truth, Value,
};

use super::access::Access;
use super::op::{Mods, NOWHERE, Op, mod_places};

/// A modifier and the type of its values.
pub struct Key<T> {
    /// Its name in rows.
    pub name: &'static str,
    /// Its position among the modifiers of each operation, by [`Op::index`]; [`NOWHERE`] if the operation lacks it.
    places: &'static [u8; Op::COUNT],
    value: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    /// Its position among the modifiers of `op`, if `op` has it.
    #[inline]
    pub(super) fn place(self, op: Op) -> Option<usize> {
        let place = self.places[op.index()];
        (place != NOWHERE).then_some(usize::from(place))
    }
}

impl Mods {
    /// Sets one modifier.
    ///
    /// # Panics
    /// If the row lacks the modifier, which is an error of the caller and never depends on the input.
    pub fn with<T: Value>(mut self, key: Key<T>, value: T) -> Mods {
        let place = key.place(self.op).expect("invariant: the row has the modifier");
        self.values[place] = value.code();
        self
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl Value for Access {
    fn code(self) -> u32 {
        self.bits()
    }

    fn from_code(code: u32) -> Access {
        Access::from_bits_truncate(code)
    }
}

macro_rules! keys {
    ($($(#[$doc:meta])* $id:ident: $type:ty = $name:literal;)*) => {
        $($(#[$doc])* pub const $id: Key<$type> = {
            static PLACES: [u8; Op::COUNT] = mod_places($name);
            Key { name: $name, places: &PLACES, value: PhantomData }
        };)*

        #[cfg(test)]
        const NAMES: &[&str] = &[$($name),*];
    };
}

keys! {
    /// Facts about a memory access.
    ACCESS: Access = "access";
    /// Alignment in bytes, a power of two.
    ALIGN: u32 = "align";
    /// An atomic operation.
    ATOMIC: Atomic = "op";
    /// Lanes of a cluster.
    CLUSTER: u32 = "cluster";
    /// The scope in which an access is coherent.
    COHERENCY: Coherency = "coherency";
    /// A shadow comparison.
    COMPARE: bool = "compare";
    /// A condition of either kind, as a raw code.
    COND: u32 = "cond";
    /// Number of components; 0 means four.
    COUNT: u32 = "count";
    /// Dimensions of a texture.
    DIM: Dimension = "dim";
    /// A condition of floats.
    FLOAT_COND: FloatCondition = "cond";
    /// Format of elements.
    FORMAT: Format = "format";
    /// The gathered component.
    GATHER: Gather = "gather";
    /// The group of a wait.
    GROUP: u32 = "group";
    /// The texture is an image that shaders store to.
    IMAGE: bool = "image";
    /// A scan includes the lane itself.
    INCLUSIVE: bool = "inclusive";
    /// Where in the pixel to interpolate.
    INTERP: InterpolationPlace = "interp";
    /// A condition of integers.
    INT_COND: IntCondition = "cond";
    /// Take the complement of the condition.
    INV: bool = "inv";
    /// The last store of an output.
    LAST: bool = "last";
    /// Source of the level of detail.
    LOD_MODE: LodMode = "lod_mode";
    /// Components that are transferred, one bit each.
    MASK: u32 = "mask";
    /// Levels of nesting.
    NEST: u32 = "nest";
    /// Byte offset within a sample of the tile.
    OFFSET: u32 = "offset";
    /// A scan, not a reduction.
    PREFIX: bool = "prefix";
    /// A query of the level of detail.
    QUERY: bool = "query";
    /// The operator of a reduction.
    REDUCTION: Reduction = "op";
    /// Half index of a register.
    REG: u32 = "reg";
    /// Rounding of a conversion.
    ROUND: Rounding = "round";
    /// Saturation to 0…1, or to the range of the integer.
    SAT: bool = "sat";
    /// Left shift of the last source or of an index.
    SHIFT: u32 = "shift";
    /// How a shuffle determines its source lane.
    SHUFFLE: Shuffle = "op";
    /// The integer is signed.
    SIGNED: bool = "signed";
    /// Which lanes take part.
    SPAN: Span = "simd";
    /// A texture operation also tells whether all texels have memory.
    SPARSE: bool = "sparse";
    /// A special register.
    SR: Sr = "sr";
    /// A truth table.
    TABLE: Truth = "table";
    /// Bits of a field; 0 means 32.
    WIDTH: u32 = "width";
    /// A depth is written.
    DEPTH: bool = "z";
    /// A stencil reference is written.
    STENCIL: bool = "s";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{IrOp, Op};
    use agx_isa::table::Opcode;

    #[test]
    fn every_key_names_a_modifier() {
        let ops = || Opcode::ALL.iter().map(|op| Op::Hw(*op)).chain(IrOp::ALL.iter().map(|op| Op::Ir(*op)));
        for name in NAMES {
            assert!(ops().any(|op| op.mod_index(name).is_some()), "{name}");
        }
    }
}

//! The state of a ray query: the scalars of a variable of its type.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::super::decorations::Decorated;
use super::super::memory;
use super::super::owners::Memory;
use super::super::pointer::{Pointer, Root};
use super::super::pointers;
use super::super::types::{Kind, MatrixLayout, Member, Types};
use super::super::values::Values;
use crate::error::{CompileError, TypeError, ValueError};
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ssa::Variable;

/// What the scalars of a field are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scalar {
    Address,
    Word,
    Float,
}

/// Adjacent scalars of the state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<const N: usize> {
    first: u32,
}

/// The fields in their order, and the scalars of each.
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $scalar:ident * $count:literal;)*) => {
        /// Number of each field, before its place is known.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of the constants")]
        enum Number { $($name,)* }
        /// The scalars of the fields.
        const FIELDS: &[(Scalar, u32)] = &[$((Scalar::$scalar, $count),)*];
        $($(#[$doc])* pub(super) const $name: Field<$count> = Field { first: place(Number::$name as usize) };)*
    };
}

/// The number of scalars before a field.
const fn place(field: usize) -> u32 {
    let (mut rest, mut left, mut sum) = (FIELDS, field, 0_u32);
    while let ([(_, count), after @ ..], 1..) = (rest, left) {
        sum = sum.saturating_add(*count);
        (rest, left) = (after, left.saturating_sub(1));
    }
    sum
}

fields! {
    /// Address of the structure of the top level.
    TOP: Address * 1;
    /// Its number of nodes.
    TOP_END: Word * 1;
    /// Flags of the ray.
    FLAGS: Word * 1;
    /// Mask of the instances that the ray sees, in the upper 8 bits.
    MASK: Word * 1;
    /// Origin and direction in world space.
    WORLD_RAY: Float * 6;
    /// Smallest distance of a hit.
    NEAREST: Float * 1;
    /// Largest distance of a hit, which is that of the committed hit if there is one.
    FARTHEST: Float * 1;
    /// Address of the structure that is traversed: that of the top level, or that of an instance.
    BASE: Address * 1;
    /// Number of its next node, and number of nodes.
    NODE: Word * 1;
    /// Its number of nodes.
    END: Word * 1;
    /// Kind of its leaves.
    KIND: Word * 1;
    /// The ray in its space.
    RAY: Float * 6;
    /// The next node of the top level, after the instance.
    RESUME: Word * 1;
    /// Address of the instance whose structure is traversed.
    INSTANCE: Address * 1;
    /// The candidate: address of its leaf, and [properties](super::properties).
    LEAF: Address * 1;
    /// The candidate's properties.
    CANDIDATE: Word * 1;
    /// Distance and barycentric coordinates of the candidate.
    PLACE: Float * 3;
    /// The committed hit: addresses of its instance and its leaf.
    HIT_INSTANCE: Address * 1;
    /// Address of its leaf.
    HIT_LEAF: Address * 1;
    /// Its properties; 0 without a hit.
    HIT: Word * 1;
    /// Its barycentric coordinates.
    HIT_PLACE: Float * 2;
}

/// The kind of ray queries: a structure of the scalars.
///
/// # Errors
/// Too many types.
pub(in super::super) fn kind<'a>(types: &mut Types<'a>, bump: &'a Bump) -> Result<Kind<'a>, CompileError> {
    let address = types.add(Kind::Int { bits: 64 })?;
    let word = types.add(Kind::Int { bits: 32 })?;
    let float = types.add(Kind::Float { bits: 32 })?;
    let mut members: ArenaVec<'_, Member> = ArenaVec::new_in(bump);
    for (scalar, count) in FIELDS {
        let ty = match scalar {
            Scalar::Address => address,
            Scalar::Word => word,
            Scalar::Float => float,
        };
        for _ in 0..*count {
            let natural_offset =
                types.natural_offset_after(members.last(), ty, false).ok_or(TypeError::TooLarge)?;
            members.push(Member {
                ty,
                leaf: members.len() as u32,
                offset: natural_offset,
                natural_offset,
                packed: false,
                matrix: MatrixLayout::default(),
                readonly: false,
                volatile: false,
                decorated: Decorated::default(),
            });
        }
    }
    Ok(Kind::Struct { members: members.into_bump_slice() })
}

/// A ray query during an instruction: its scalars as variables.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    first: Variable,
    /// Where they are stored afterwards, unless the variables are the module's.
    memory: Option<&'a Pointer<'a>>,
}

impl<'a> Query<'a> {
    /// The query to which an operand points.
    ///
    /// # Errors
    /// It points to something else.
    pub fn open(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, id: u32) -> Result<Query<'a>, CompileError> {
        let pointer = pointers::pointer(m, v, id)?;
        let widths = v.types.leaves(pointer.ty)?;
        let bits = |scalar| if scalar == Scalar::Address { 64 } else { 32 };
        let own = FIELDS.iter().flat_map(|(scalar, count)| (0..*count).map(move |_| bits(*scalar)));
        if !own.eq(widths.iter().copied()) {
            return Err(ValueError::NotARayQuery { id }.into());
        }
        if let Root::Variables(base) = pointer.root
            && pointer.steps.is_empty()
        {
            return Ok(Query { first: base.at(pointer.fixed), memory: None });
        }
        let leaves = memory::load(v, pointer, Access::empty())?;
        let first = v.kit.vars.add(widths);
        v.write_all(first, leaves);
        Ok(Query { first, memory: Some(pointer) })
    }

    /// Ends an instruction that changes the query.
    pub fn close(self, v: &mut Values<'_, 'a>) -> Result<(), CompileError> {
        let Some(pointer) = self.memory else { return Ok(()) };
        let leaves = v.read_all(self.first, pointer.ty)?;
        memory::store(v, pointer, leaves, Access::empty())
    }

    /// The scalars of a field.
    pub fn read<const N: usize>(self, v: &mut Values<'_, '_>, field: Field<N>) -> [Src; N] {
        std::array::from_fn(|index| {
            v.kit.vars.read(&mut v.kit.b, self.first.at(field.first).at(index as u32))
        })
    }

    /// Sets a field.
    pub fn write<const N: usize>(self, v: &mut Values<'_, '_>, field: Field<N>, scalars: [Src; N]) {
        v.write_all(self.first.at(field.first), &scalars);
    }

    /// Sets a field to the contents of another.
    pub fn copy<const N: usize>(self, v: &mut Values<'_, '_>, to: Field<N>, from: Field<N>) {
        let scalars = self.read(v, from);
        self.write(v, to, scalars);
    }
}

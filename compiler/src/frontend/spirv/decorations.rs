//! Decorations by target.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use spirv::{BuiltIn, Decoration, Op};

use super::words::Inst;
use crate::error::CompileError;

/// A decoration of an id or of a member of a structure type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Row {
    target: u32,
    /// Member, or [`WHOLE`].
    member: u32,
    decoration: u32,
    /// First operand; 0 if there is none.
    value: u32,
}

/// The member number of decorations that apply to the whole id.
const WHOLE: u32 = u32::MAX;

/// All decorations of a module. Rows are sorted before the first lookup.
pub(super) struct Decorations<'a> {
    rows: ArenaVec<'a, Row>,
    /// Start of each id's rows; those of the last id end at the last entry.
    starts: ArenaVec<'a, u32>,
    sorted: bool,
}

impl<'a> Decorations<'a> {
    /// No decorations.
    pub fn new_in(bump: &'a Bump) -> Self {
        let rows = ArenaVec::new_in(bump);
        Decorations { rows, starts: ArenaVec::new_in(bump), sorted: false }
    }

    /// Records a decoration instruction. Decorations for other purposes are ignored.
    pub fn record(&mut self, inst: &Inst<'_>) -> Result<(), CompileError> {
        self.sorted = false;
        match inst.op {
            Op::Decorate | Op::DecorateId => self.push(inst.word(0)?, WHOLE, inst.word(1)?, inst.rest(2)),
            Op::MemberDecorate => self.push(inst.word(0)?, inst.word(1)?, inst.word(2)?, inst.rest(3)),
            Op::GroupDecorate => {
                let group = inst.word(0)?;
                for target in inst.rest(1) {
                    self.copy(group, *target, WHOLE);
                }
            }
            Op::GroupMemberDecorate => {
                let group = inst.word(0)?;
                for [target, member] in inst.rest(1).as_chunks::<2>().0 {
                    self.copy(group, *target, *member);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, target: u32, member: u32, decoration: u32, operands: &[u32]) {
        let value = operands.first().copied().unwrap_or(0);
        self.rows.push(Row { target, member, decoration, value });
    }

    fn copy(&mut self, group: u32, target: u32, member: u32) {
        let rows: Vec<Row> = self.rows.iter().filter(|row| row.target == group).copied().collect();
        self.rows.extend(rows.into_iter().map(|row| Row { target, member, ..row }));
    }

    /// Sorts the rows, for ids below `bound`.
    pub fn sort(&mut self, bound: u32) {
        if self.sorted {
            return;
        }
        self.rows.retain(|row| row.target < bound);
        self.rows.sort_unstable();
        self.starts.clear();
        let last = self.rows.last().map_or(0, |row| row.target);
        self.starts.reserve((last as usize).saturating_add(2));
        for (at, row) in (0..).zip(&self.rows) {
            self.starts.resize(self.starts.len().max((row.target as usize).saturating_add(1)), at);
        }
        self.starts.push(self.rows.len() as u32);
        self.sorted = true;
    }

    /// The decorations of an id and of its members.
    fn rows_of(&self, target: u32) -> &[Row] {
        let target = target as usize;
        match (self.starts.get(target), self.starts.get(target.saturating_add(1))) {
            (Some(start), Some(end)) => self.rows.get(*start as usize..*end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    fn find(&self, target: u32, member: u32, decoration: Decoration) -> Option<u32> {
        let rows = self.rows_of(target);
        let key = (member, decoration as u32);
        let row = rows.get(rows.partition_point(|row| (row.member, row.decoration) < key))?;
        ((row.member, row.decoration) == key).then_some(row.value)
    }

    /// Whether any id or member in the module has the decoration.
    pub fn anywhere(&self, decoration: Decoration) -> bool {
        self.values(decoration).next().is_some()
    }

    /// The first operands of a decoration, anywhere in the module.
    pub fn values(&self, decoration: Decoration) -> impl Iterator<Item = u32> {
        self.rows.iter().filter(move |row| row.decoration == decoration as u32).map(|row| row.value)
    }

    /// Whether any variable or member in the module is one of `built_ins`.
    pub fn any_built_in(&self, built_ins: &[BuiltIn]) -> bool {
        let is_one = |row: &Row| built_ins.iter().any(|built_in| *built_in as u32 == row.value);
        self.rows.iter().any(|row| row.decoration == Decoration::BuiltIn as u32 && is_one(row))
    }

    /// First operand of a decoration of `id` (0 for one without operands), if `id` has it.
    pub fn of(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.find(id, WHOLE, decoration)
    }

    /// Whether `id` has the decoration.
    pub fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.of(id, decoration).is_some()
    }

    /// Whether `id` has the decoration with this operand.
    pub fn has_value(&self, id: u32, decoration: Decoration, value: u32) -> bool {
        let is_same =
            |row: &Row| (row.member, row.decoration, row.value) == (WHOLE, decoration as u32, value);
        self.rows_of(id).iter().any(is_same)
    }

    /// The decorations of `id` as a whole, for several lookups.
    pub fn whole(&self, id: u32) -> Part<'_> {
        self.part(id, WHOLE)
    }

    /// The decorations of member `member` of the structure type `id`.
    pub fn member(&self, id: u32, member: u32) -> Part<'_> {
        self.part(id, member)
    }

    fn part(&self, target: u32, member: u32) -> Part<'_> {
        let rows = self.rows_of(target);
        let start = rows.partition_point(|row| row.member < member);
        let rows = rows.get(start..).unwrap_or(&[]);
        let count = rows.partition_point(|row| row.member == member);
        Part { rows: rows.get(..count).unwrap_or(&[]) }
    }
}

/// The decorations of an id or of a member.
#[derive(Clone, Copy)]
pub(super) struct Part<'d> {
    rows: &'d [Row],
}

impl Part<'_> {
    /// First operand of a decoration (0 for one without operands), if present.
    pub fn of(self, decoration: Decoration) -> Option<u32> {
        // Linear search: the rows are few.
        self.rows.iter().find(|row| row.decoration == decoration as u32).map(|row| row.value)
    }

    /// One of several decorations, in order of number, if any is present.
    fn any_of(self, all: &[Decoration]) -> Option<Decoration> {
        // Rows ascend too, and most decorations have low numbers.
        let first = *all.first()? as u32;
        let high = self.rows.iter().rev().take_while(|row| row.decoration >= first);
        high.filter_map(|row| all.iter().copied().find(|known| row.decoration == *known as u32)).next()
    }
}

/// The decorations of an input or output, or of a member of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Decorated {
    /// First location.
    pub location: Option<u32>,
    /// First component.
    pub component: u32,
    /// Index of the colour for dual-source blending.
    pub index: u32,
    /// Whether there is one for a patch instead of one for each vertex.
    pub patch: bool,
    /// Whether there is one for a primitive instead of one for each vertex.
    pub per_primitive: bool,
    /// Whether it is an array of the values at the vertices of the primitive.
    pub per_vertex: bool,
    /// The built-in, if it is one.
    pub built_in: Option<BuiltIn>,
    /// How and where it is interpolated.
    pub style: Style,
    /// Transform feedback capture.
    pub capture: Capture,
    /// A decoration that is not supported.
    pub refused: Option<Decoration>,
}

/// Decorations that give an input or output another meaning, which is not supported, in order of number.
const REFUSED: &[Decoration] = &[
    Decoration::ExplicitInterpAMD,
    Decoration::OverrideCoverageNV,
    Decoration::PassthroughNV,
    Decoration::ViewportRelativeNV,
    Decoration::SecondaryViewportRelativeNV,
    Decoration::PerViewNV,
    Decoration::PerTaskNV,
];

/// The transform feedback capture of an output: only an output with all three is captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Capture {
    pub buffer: Option<u32>,
    /// Size of a vertex in the buffer, in bytes.
    pub stride: Option<u32>,
    /// Byte offset. Members of blocks in memory have one too.
    pub offset: Option<u32>,
    /// The stream of a geometry shader, 0 by default.
    pub stream: Option<u32>,
}

/// How and where an input is interpolated, and how an output is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Style {
    pub flat: bool,
    pub linear: bool,
    pub centroid: bool,
    pub sample: bool,
    /// Whether its floats are relaxed.
    pub relaxed: bool,
    /// Whether the results do not depend on optimisation.
    pub invariant: bool,
}

impl Decorated {
    /// Reads the decorations of an id or a member.
    pub fn read(part: Part<'_>) -> Self {
        let of = |decoration| part.of(decoration);
        Decorated {
            location: of(Decoration::Location),
            component: of(Decoration::Component).unwrap_or(0),
            index: of(Decoration::Index).unwrap_or(0),
            patch: of(Decoration::Patch).is_some(),
            per_primitive: of(Decoration::PerPrimitiveEXT).is_some(),
            per_vertex: of(Decoration::PerVertexKHR).is_some(),
            built_in: of(Decoration::BuiltIn).and_then(BuiltIn::from_u32),
            style: Style {
                // What belongs to a primitive is the same at all of its vertices.
                flat: [Decoration::Flat, Decoration::PerPrimitiveEXT].iter().any(|flat| of(*flat).is_some()),
                linear: of(Decoration::NoPerspective).is_some(),
                centroid: of(Decoration::Centroid).is_some(),
                sample: of(Decoration::Sample).is_some(),
                relaxed: of(Decoration::RelaxedPrecision).is_some(),
                invariant: of(Decoration::Invariant).is_some(),
            },
            capture: Capture {
                buffer: of(Decoration::XfbBuffer),
                stride: of(Decoration::XfbStride),
                offset: of(Decoration::Offset),
                stream: of(Decoration::Stream),
            },
            refused: part.any_of(REFUSED),
        }
    }

    /// The decorations of a part decorated with `self` in something decorated with `outer`.
    pub fn within(self, outer: Decorated) -> Self {
        let (a, b) = (self.style, outer.style);
        let (inner, around) = (self.capture, outer.capture);
        Decorated {
            location: self.location,
            component: self.component,
            index: outer.index,
            patch: self.patch || outer.patch,
            per_primitive: self.per_primitive || outer.per_primitive,
            per_vertex: self.per_vertex || outer.per_vertex,
            built_in: self.built_in.or(outer.built_in),
            style: Style {
                flat: a.flat || b.flat,
                linear: a.linear || b.linear,
                centroid: a.centroid || b.centroid,
                sample: a.sample || b.sample,
                relaxed: a.relaxed || b.relaxed,
                invariant: a.invariant || b.invariant,
            },
            capture: Capture {
                buffer: inner.buffer.or(around.buffer),
                stride: inner.stride.or(around.stride),
                offset: inner.offset,
                stream: inner.stream.or(around.stream),
            },
            refused: self.refused.or(outer.refused),
        }
    }
}

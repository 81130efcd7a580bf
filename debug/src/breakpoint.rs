//! Breakpoints: instructions, with restrictions to lanes, workgroups and pixels, and conditions.

use agx_emulator::GroupView;
use thiserror::Error;

use crate::code::{Part, Spot};
use crate::expression::{Expression, ExpressionError, Scope};

/// Errors of setting a breakpoint.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BreakpointError {
    /// No file of the program has this name.
    #[error("no source file is called `{name}`; the files are {known}")]
    UnknownFile {
        /// The name.
        name: String,
        /// The files.
        known: String,
    },
    /// No code comes from this line or a later one of the file.
    #[error("no code comes from line {line} of {file} or a later line")]
    NoCode {
        /// The file.
        file: String,
        /// The line.
        line: u32,
    },
    /// No instruction starts at this offset.
    #[error("no instruction of the {part} part starts at {offset:#x}")]
    NoInstruction {
        /// The part's name.
        part: &'static str,
        /// The offset.
        offset: u32,
    },
    /// The condition cannot be read.
    #[error(transparent)]
    Condition(#[from] ExpressionError),
}

/// The lanes that a breakpoint concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Only this lane of a SIMD-group.
    pub lane: Option<usize>,
    /// Only this workgroup.
    pub workgroup: Option<[u32; 3]>,
    /// Only this pixel.
    pub pixel: Option<[u32; 2]>,
}

impl Filter {
    fn admits(&self, group: &GroupView<'_>, lane: usize) -> bool {
        let position = || group.pixel(lane).map(|pixel| pixel.position);
        self.lane.is_none_or(|wanted| wanted == lane)
            && self.workgroup.is_none_or(|wanted| wanted == group.workgroup())
            && self.pixel.is_none_or(|wanted| position() == Some(wanted))
    }
}

/// A breakpoint.
#[derive(Clone, PartialEq, Debug)]
pub struct Breakpoint {
    /// Its number.
    pub id: u32,
    /// Its instructions.
    pub spots: Vec<Spot>,
    /// Its file and line, if it has one.
    pub line: Option<(u32, u32)>,
    /// The lanes that it concerns.
    pub filter: Filter,
    /// What must hold in one of these lanes.
    pub condition: Option<Expression>,
}

impl Breakpoint {
    /// The first active lane at a breakpoint's instruction in which its restrictions hold. A condition that has no value
    /// does not hold.
    pub(crate) fn hit<'s>(
        &self,
        part: Part,
        group: &GroupView<'_>,
        scope: impl Fn(usize) -> Scope<'s>,
    ) -> Option<usize> {
        if !self.spots.contains(&Spot { part, offset: group.pc() }) {
            return None;
        }
        let is_active = |lane: &usize| group.lane(*lane) == agx_emulator::LaneState::Active;
        let holds = |lane: &usize| match &self.condition {
            None => true,
            Some(condition) => condition.value(&scope(*lane)).is_ok_and(|value| value.holds()),
        };
        let mut lanes = (0..agx_emulator::LANES).filter(is_active);
        lanes.find(|lane| self.filter.admits(group, *lane) && holds(lane))
    }
}

//! Which lanes are active, and why the others are not.

use agx_emulator::{GroupView, LaneState};

use crate::code::{Code, Part};
use crate::symbols::Symbols;

/// A lane of a SIMD-group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Its number.
    pub number: usize,
    /// Whether it executes the next instruction.
    pub state: LaneState,
    /// Position in the workgroup, or the pixel of a fragment program.
    pub place: [u32; 3],
    /// Why it does not execute the next instruction; empty if it does.
    pub reason: String,
}

impl Lane {
    /// Whether it is active, and if not, why.
    pub fn describe(&self) -> String {
        match self.state {
            LaneState::Active => "active".to_owned(),
            LaneState::Left(_) | LaneState::Absent => format!("inactive: {}", self.reason),
        }
    }
}

/// The lanes of a SIMD-group.
pub fn lanes(group: &GroupView<'_>, part: Part, code: &Code, symbols: &Symbols) -> Vec<Lane> {
    let changes = group.mask_changes();
    let left_at = |lane: usize| {
        let has = |mask: u32| mask.checked_shr(lane as u32).unwrap_or(0) & 1 != 0;
        // The oldest of the latest changes since which the lane has been inactive.
        changes.iter().rev().take_while(|change| !has(change.exec)).last().map(|change| change.pc)
    };
    let of = |number: usize| {
        let state = group.lane(number);
        let reason = match state {
            LaneState::Active => String::new(),
            LaneState::Absent => "does not exist".to_owned(),
            LaneState::Left(levels) => {
                let at = left_at(number).map_or_else(String::new, |offset| {
                    format!(" at {}", describe(offset, part, code, symbols))
                });
                format!("left {levels} level{}{at}", if levels == 1 { "" } else { "s" })
            }
        };
        let [x, y] = group.pixel(number).map_or([0; 2], |pixel| pixel.position);
        let place = if group.pixel(number).is_some() { [x, y, 0] } else { group.thread(number) };
        Lane { number, state, place, reason }
    };
    (0..agx_emulator::LANES).map(of).collect()
}

/// An instruction with its source line.
fn describe(offset: u32, part: Part, code: &Code, symbols: &Symbols) -> String {
    let text = code.at(offset).map_or("?", |one| one.text.as_str());
    match symbols.part(part).line(offset) {
        Some(row) => format!("{offset:#x} ({text}, line {})", row.line),
        None => format!("{offset:#x} ({text})"),
    }
}

//! SIMD-groups of draws, kept at their start for a debugger.

use crate::dispatch::Options;
use crate::frame::Frame;
use crate::group::{Group, LANES};
use crate::machine::{Job, Team};
use crate::machine_state::State;
use crate::memory::Memory;
use crate::program::Program;

/// The SIMD-group to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capture {
    /// The one with a vertex of an instance, by number.
    Vertex {
        /// The vertex.
        vertex: u32,
        /// The instance.
        instance: u32,
    },
    /// The one with a fragment of a pixel.
    Fragment {
        /// The pixel.
        pixel: [u32; 2],
        /// Number of the fragment among those of the pixel that are shaded, from 0; the last if absent.
        number: Option<u32>,
    },
}

/// A SIMD-group of a draw before its first instruction, with all that its program can read.
#[derive(Clone, Debug)]
pub struct Captured {
    pub(crate) program: Program,
    pub(crate) team: Team,
    pub(crate) job: Job,
    pub(crate) state: State,
    pub(crate) memory: Memory,
    pub(crate) frame: Option<Frame>,
    pub(crate) options: Options,
    /// The lane that was asked for.
    pub lane: usize,
}

/// What a machine has kept so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Fragments of the pixel so far.
    seen: u32,
    pub(crate) captured: Option<Box<Captured>>,
}

impl Kept {
    /// The lane of `group` that is asked for, if the group is to be kept.
    pub(crate) fn wants(&mut self, capture: Capture, group: &Group) -> Option<usize> {
        let mut lanes = (0..LANES).filter(|lane| group.lanes >> lane & 1 != 0);
        match capture {
            Capture::Vertex { vertex, instance } => {
                // r5 and r6.
                group.outputs.as_ref().filter(|_| self.captured.is_none())?;
                lanes.find(|lane| [group.words[5][*lane], group.words[6][*lane]] == [vertex, instance])
            }
            Capture::Fragment { pixel, number } => {
                let pixels = group.pixels.as_deref()?;
                let found =
                    lanes.find(|lane| pixels.covered[*lane] != 0 && pixels.position[*lane] == pixel)?;
                let own = self.seen;
                self.seen += 1;
                number.is_none_or(|number| number == own).then_some(found)
            }
        }
    }
}

//! The pixels and vertices of the lanes of fragment and vertex programs.

use crate::group::{LANES, PerLane};

/// The pixels of a fragment SIMD-group: eight quads of four lanes, (0,0) (1,0) (0,1) (1,1) in each.
#[derive(Clone, Debug)]
pub(crate) struct Pixels {
    pub(crate) position: PerLane<[u32; 2]>,
    /// Samples the primitive covers; none in helper lanes.
    pub(crate) covered: PerLane<u16>,
    /// Samples that were neither killed nor failed a test.
    pub(crate) live: PerLane<u16>,
    /// Samples that the program tested.
    pub(crate) tested: PerLane<u16>,
}

impl Pixels {
    /// Whether both cover a pixel.
    pub(crate) fn shares_pixel(&self, other: &Pixels) -> bool {
        let covered = |pixels: &Pixels| {
            (0..LANES)
                .filter(|lane| pixels.covered[*lane] != 0)
                .map(|lane| pixels.position[lane])
                .collect::<Vec<_>>()
        };
        let theirs = covered(other);
        covered(self).iter().any(|position| theirs.contains(position))
    }
}

impl Default for Pixels {
    fn default() -> Self {
        Pixels { position: [[0; 2]; LANES], covered: [0; LANES], live: [0; LANES], tested: [0; LANES] }
    }
}

/// Output slots that a vertex program can address.
pub(crate) const SLOTS: usize = 256;

/// The outputs of a vertex SIMD-group.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    /// Values by slot, then lane.
    pub(crate) slots: Vec<PerLane<u32>>,
    /// Whether the last store was executed.
    pub(crate) finished: bool,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { slots: vec![[0; LANES]; SLOTS], finished: false }
    }
}

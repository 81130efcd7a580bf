//! Hidden surfaces: of consecutive opaque fragments of a sample, the hardware shades only the last.
//!
//! A visible fragment waits to be shaded until the tile is complete, or until a fragment follows in its sample that reads the
//! tile or decides itself whether the sample is live. An opaque fragment that follows takes the place of the one that waits,
//! whose program never runs. So it must store everything that the other one would have stored. The machine runs every
//! program; strict mode reports what an opaque fragment leaves of the one whose place it takes.

use crate::core::Core;
use crate::draw::Shading;
use crate::findings::FindingKind;
use crate::group::Group;
use crate::registers::lanes_of;

/// A bit for each byte of a sample.
type Bytes = u128;

/// What fragments of a tile store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden {
    /// What the fragment that waits in each sample has stored.
    waiting: Vec<Bytes>,
    /// What the fragment that is being shaded must still store in each sample.
    owed: Vec<Bytes>,
    /// How the fragments of the draw are shaded.
    pub(crate) shading: Shading,
}

impl Hidden {
    /// The same for a tile with this number of samples, in which no fragment waits.
    pub(crate) fn started(mut self, samples: usize) -> Hidden {
        for list in [&mut self.waiting, &mut self.owed] {
            list.clear();
            list.resize(samples, 0);
        }
        self
    }

    /// The lists' entries of a sample.
    fn sample(&mut self, index: usize) -> Option<(&mut Bytes, &mut Bytes)> {
        self.waiting.get_mut(index).zip(self.owed.get_mut(index))
    }

    /// Begins a fragment in a sample.
    pub(crate) fn begin(&mut self, index: usize) {
        let is_opaque = self.shading == Shading::Opaque;
        if let Some((waiting, owed)) = self.sample(index) {
            let before = std::mem::take(waiting);
            *owed = if is_opaque { before } else { 0 };
        }
    }

    /// Stores some bytes of a sample.
    pub(crate) fn store(&mut self, index: usize, bytes: std::ops::Range<usize>) {
        if let Some((waiting, owed)) = self.sample(index) {
            let bits = bytes.fold(0, |bits, byte| bits | 1_u128.unbounded_shl(byte as u32));
            *waiting |= bits;
            *owed &= !bits;
        }
    }

    /// Ends the fragment of a sample: whether something is missing that it should have stored.
    fn end(&mut self, index: usize) -> bool {
        self.sample(index).is_some_and(|(_, owed)| std::mem::take(owed) != 0)
    }
}

/// Strict mode's check of the end of fragments.
pub(crate) fn observe_end(group: &Group, core: &mut Core<'_>) {
    let Some((pixels, frame)) = group.pixels.as_deref().zip(core.frame.as_deref_mut()) else { return };
    let Some(hidden) = &mut frame.hidden else { return };
    let mut missing = 0;
    for lane in lanes_of(group.exec) {
        let [x, y] = pixels.position[lane];
        let samples = lanes_of(u32::from(pixels.covered[lane]));
        for place in samples.filter_map(|sample| frame.buffer.place(x, y, sample as u32)) {
            missing |= u32::from(hidden.end(place)) << lane;
        }
    }
    if let Some(lane) = lanes_of(missing).next() {
        core.note(FindingKind::HiddenStore, lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws of one sample: how each is shaded, and the bytes that it stores. The result has the draws that leave something.
    fn incomplete(draws: &[(Shading, std::ops::Range<usize>)]) -> Vec<usize> {
        let mut hidden = Hidden::default().started(1);
        let ends = draws.iter().map(|(shading, bytes)| {
            hidden.shading = *shading;
            hidden.begin(0);
            hidden.store(0, bytes.clone());
            hidden.end(0)
        });
        (0..).zip(ends).filter_map(|(draw, missing)| missing.then_some(draw)).collect()
    }

    #[test]
    fn an_opaque_fragment_stores_what_the_one_before_it_would_have() {
        use Shading::{Each, Opaque};
        assert_eq!(incomplete(&[(Opaque, 0..4), (Opaque, 0..4)]), [0; 0]);
        assert_eq!(incomplete(&[(Opaque, 0..4), (Opaque, 0..3)]), [1]);
        assert_eq!(incomplete(&[(Opaque, 0..2), (Opaque, 2..4)]), [1]);
        // A fragment that reads the tile has those before it shaded first, but is hidden like others.
        assert_eq!(incomplete(&[(Opaque, 0..4), (Each, 0..1), (Each, 1..2)]), [0; 0]);
        assert_eq!(incomplete(&[(Opaque, 0..4), (Each, 0..1), (Opaque, 1..4)]), [2]);
        assert_eq!(incomplete(&[(Opaque, 8..12), (Opaque, 0..4), (Opaque, 0..4)]), [1]);
    }
}

//! What is known of the sets of bits in barriers of compute streams.
//!
//! Others measured, on an M1 and an M1 Max, which sets after every launch let a chain of launches read each other's buffers; a
//! set without effect shows as wrong results, in some runs only. Texels and images were not measured. The bits are no
//! independent switches: a set is right or wrong as a whole.

use crate::record::{Packed, compute_barrier};
use crate::streams::AFTER_LAUNCH;

/// How a set did on a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Later launches read what earlier ones stored.
    Right,
    /// They read old bytes, in some runs at least.
    Wrong,
    /// Nobody measured it.
    Unmeasured,
}

/// The bits of a barrier that order launches and drop caches.
const BITS: u32 = (1 << 27) - 1;
/// The bit without which every subset of the lower bits is wrong.
const NEEDED: u32 = 1 << 8;

/// Measured sets but that of the production driver, with the verdicts on an M1 (one cluster) and on an M1 Max (several).
const MEASURED: [(u32, [Verdict; 2]); 7] = {
    use Verdict::{Right, Unmeasured, Wrong};
    [
        (0xf_fffb, [Right, Right]),
        (0x170, [Right, Right]),
        (0x1f0, [Right, Right]),
        (0x110, [Right, Unmeasured]),
        (0x1b0, [Unmeasured, Wrong]),
        (0xf_ffbf, [Wrong, Unmeasured]),
        (0, [Wrong, Wrong]),
    ]
};

/// The verdicts on a set of bits: on a chip with one cluster, and with several.
fn verdicts(bits: u32) -> [Verdict; 2] {
    match MEASURED.iter().find(|(set, _)| *set == bits) {
        Some((_, verdicts)) => *verdicts,
        None if bits < NEEDED => [Verdict::Wrong, Verdict::Unmeasured],
        None => [Verdict::Unmeasured; 2],
    }
}

/// A sentence about the set of a barrier; `None` for the set of the production driver, and for a barrier that only returns.
pub fn doubt(barrier: &[u8]) -> Option<String> {
    let word = barrier.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
    let bits = word & BITS;
    let returns = compute_barrier::RETURNS.is_set(barrier);
    if bits == Packed::<4>::bits(AFTER_LAUNCH) & BITS || (returns && bits == 0) {
        return None;
    }
    let says = |verdict: Verdict| match verdict {
        Verdict::Right => "keeps buffers right",
        Verdict::Wrong => "leaves old bytes",
        Verdict::Unmeasured => "was not measured",
    };
    let [one, several] = verdicts(bits).map(says);
    Some(format!("a barrier with the bits {bits:#x}: on an M1 the set {one}, on an M1 Max it {several}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_verdicts_of_their_measurements() {
        assert_eq!(doubt(&AFTER_LAUNCH.bytes()), None);
        let of = |bits: u32| doubt(&(0x6000_0000 | bits).to_le_bytes()).expect("a doubt");
        assert!(
            of(0x170).contains("on an M1 the set keeps buffers right, on an M1 Max it keeps buffers right")
        );
        assert!(of(0x1b0).contains("on an M1 the set was not measured, on an M1 Max it leaves old bytes"));
        assert!(of(0xf0).contains("on an M1 the set leaves old bytes"), "no subset without bit 8 is right");
        assert!(of(0x510_0968).contains("on an M1 the set was not measured"));
        assert_eq!(doubt(&compute_barrier::new().flag(&compute_barrier::RETURNS, true).bytes()), None);
    }
}

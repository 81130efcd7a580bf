//! What the kernel tells of the chip.

use agx_abi::Target;

/// The parameters of a chip (`drm_asahi_params_global`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Loads from unmapped addresses give 0.
    pub soft_faults: bool,
    /// 13 for G13.
    pub generation: u32,
    /// Letter of the variant.
    pub variant: char,
    /// Revision in binary-coded decimal: 0x11 for B1.
    pub revision: u32,
    /// Number of the system on a chip in binary-coded decimal.
    pub chip: u32,
    /// Dies.
    pub dies: u32,
    /// Cores of a cluster, including those that are absent.
    pub cores_per_cluster: u32,
    /// The cores that are present, by cluster.
    pub core_masks: Vec<u64>,
    /// First address that can be bound, and the end of addresses.
    pub addresses: [u64; 2],
    /// Bytes of the range of addresses that the kernel needs at least.
    pub kernel_bytes: u64,
    /// Maximum number of commands in a submission.
    pub max_commands: u32,
    /// Frequency in Hz of the clock of timestamps.
    pub timestamp_frequency: u64,
}

/// Bytes of the structure.
pub(super) const BYTES: usize = 592;
/// Offset of the core masks, and their number.
const CORE_MASKS: usize = 40;
const MAX_CLUSTERS: usize = 64;

impl Parameters {
    /// Reads the structure; missing bytes are 0.
    pub(super) fn read(bytes: &[u8]) -> Parameters {
        let long = |at: usize| agx_abi::record::bits(bytes, 8 * at as u32, 64);
        let word = |at: usize| agx_abi::record::bits(bytes, 8 * at as u32, 32) as u32;
        let clusters = (word(28) as usize).min(MAX_CLUSTERS);
        Parameters {
            soft_faults: long(0) & 1 != 0,
            generation: word(8),
            variant: char::from_u32(word(12)).unwrap_or('?'),
            revision: word(16),
            chip: word(20),
            dies: word(24),
            cores_per_cluster: word(32),
            core_masks: (0..clusters).map(|cluster| long(CORE_MASKS + 8 * cluster)).collect(),
            addresses: [long(552), long(560)],
            kernel_bytes: long(568),
            max_commands: word(576),
            timestamp_frequency: long(584),
        }
    }

    /// One more than the largest core number: each cluster has as many numbers as the next power of two of its cores.
    pub fn core_numbers(&self) -> u32 {
        let clusters = u32::try_from(self.core_masks.len()).unwrap_or(u32::MAX);
        clusters.max(1).saturating_mul(self.cores_per_cluster.next_power_of_two())
    }

    /// The chip to compile for.
    pub fn target(&self) -> Target {
        match (self.generation, self.core_masks.len()) {
            (..=13, ..=1) => Target::G13G,
            (..=13, _) => Target::G13X,
            (_, ..=1) => Target::G14G,
            _ => Target::G14X,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_have_targets_and_numbers_of_cores() {
        let of = |generation: u32, clusters: u32, cores: u32| {
            let mut bytes = vec![0; BYTES];
            for (at, value) in [(8, generation), (28, clusters), (32, cores)] {
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            let parameters = Parameters::read(&bytes);
            (parameters.target(), parameters.core_numbers())
        };
        assert_eq!(of(13, 1, 8), (Target::G13G, 8));
        assert_eq!(of(13, 8, 8), (Target::G13X, 64));
        assert_eq!(of(14, 1, 10), (Target::G14G, 16));
        assert_eq!(of(14, 2, 10), (Target::G14X, 32));
    }
}

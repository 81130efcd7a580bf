//! Local (threadgroup) memory of one workgroup.

use crate::findings::FindingKind;
use crate::rng::Rng;

/// Local memory. Accesses outside it read 0 and write nothing, and are reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Local {
    bytes: Vec<u8>,
}

impl Local {
    /// `size` bytes with undefined contents: a pattern from `seed`, so that no program can rely on zeros.
    pub(crate) fn new(size: u32, seed: u64) -> Local {
        let mut rng = Rng::new(seed);
        Local { bytes: (0..size).map(|_| rng.next() as u8).collect() }
    }

    /// All bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, mutable.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Up to four bytes, zero-extended.
    pub(crate) fn read(&self, address: u32, bytes: u32) -> Result<u32, FindingKind> {
        let found = self.bytes.get(self.range(address, bytes)).ok_or_else(|| self.outside(address, bytes))?;
        Ok(found.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    /// Stores the low `bytes` bytes of `value`.
    pub(crate) fn write(&mut self, address: u32, bytes: u32, value: u32) -> Result<(), FindingKind> {
        let range = self.range(address, bytes);
        let outside = self.outside(address, bytes);
        let place = self.bytes.get_mut(range).ok_or(outside)?;
        place.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Ok(())
    }

    fn range(&self, address: u32, bytes: u32) -> std::ops::Range<usize> {
        address as usize..address as usize + bytes as usize
    }

    fn outside(&self, address: u32, bytes: u32) -> FindingKind {
        FindingKind::LocalOutOfBounds { address, bytes, size: self.bytes.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_allocation() {
        let mut local = Local::new(8, 1);
        local.write(4, 4, 0x0403_0201).expect("inside");
        assert_eq!(local.read(5, 2), Ok(0x302));
        let outside = FindingKind::LocalOutOfBounds { address: 6, bytes: 4, size: 8 };
        assert_eq!(local.read(6, 4), Err(outside.clone()));
        assert_eq!(local.write(6, 4, 0), Err(outside));
        assert_eq!(local.read(4, 4), Ok(0x0403_0201), "a refused store changes nothing");
    }
}

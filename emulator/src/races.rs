//! Optional detection of data races: two lanes access the same byte between the same two barriers, one of them storing.
//!
//! Barriers order the lanes of one workgroup; different workgroups of a dispatch are never ordered. Atomics are
//! ignored. Within one SIMD-group, too, only barriers order lanes, because the graphics APIs do not promise that they
//! run in step.

use rustc_hash::FxHashMap;

/// The last access to a byte, and the interval between barriers in which it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Touch {
    workgroup: [u32; 3],
    thread: u32,
    epoch: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Byte {
    store: Option<Touch>,
    load: Option<Touch>,
}

/// Accesses seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Races {
    device: FxHashMap<u64, Byte>,
    local: FxHashMap<u64, Byte>,
    epoch: u32,
}

/// One access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessBy {
    pub(crate) workgroup: [u32; 3],
    pub(crate) thread: u32,
    pub(crate) store: bool,
}

impl Races {
    /// Applies a barrier of the running workgroup.
    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Begins the next workgroup, which has new local memory.
    pub(crate) fn next_workgroup(&mut self) {
        self.epoch += 1;
        self.local.clear();
    }

    /// Records a device access; returns the first racing byte.
    pub(crate) fn device(&mut self, address: u64, bytes: u32, by: AccessBy) -> Option<u64> {
        record(&mut self.device, self.epoch, address, bytes, by)
    }

    /// Records a local access; returns the first racing byte.
    pub(crate) fn local(&mut self, address: u64, bytes: u32, by: AccessBy) -> Option<u64> {
        record(&mut self.local, self.epoch, address, bytes, by)
    }
}

fn record(
    table: &mut FxHashMap<u64, Byte>,
    epoch: u32,
    address: u64,
    bytes: u32,
    by: AccessBy,
) -> Option<u64> {
    let touch = Touch { workgroup: by.workgroup, thread: by.thread, epoch };
    let unordered = |other: Option<Touch>| {
        other.is_some_and(|other| {
            let elsewhere = other.workgroup != touch.workgroup;
            elsewhere || (other.epoch == epoch && other.thread != touch.thread)
        })
    };
    let mut racing = None;
    for at in 0..u64::from(bytes) {
        let address = address.wrapping_add(at);
        let byte = table.entry(address).or_default();
        if unordered(byte.store) || (by.store && unordered(byte.load)) {
            racing = racing.or(Some(address));
        }
        let place = if by.store { &mut byte.store } else { &mut byte.load };
        // A second reader must not replace the first, which may race with a store of the second.
        if by.store || !unordered(*place) {
            *place = Some(touch);
        }
    }
    racing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(workgroup: u32, thread: u32, store: bool) -> AccessBy {
        AccessBy { workgroup: [workgroup, 0, 0], thread, store }
    }

    #[test]
    fn unordered_store_and_load_race() {
        let mut races = Races::default();
        assert_eq!(races.device(0x100, 4, by(0, 0, true)), None);
        assert_eq!(races.device(0x100, 4, by(0, 0, false)), None, "own accesses are ordered");
        assert_eq!(races.device(0x103, 1, by(0, 1, false)), Some(0x103));
        races.barrier();
        assert_eq!(races.device(0x100, 4, by(0, 2, false)), None, "a barrier orders the workgroup");
        races.next_workgroup();
        assert_eq!(races.device(0x102, 1, by(1, 0, false)), Some(0x102), "workgroups are never ordered");
    }

    #[test]
    fn readers_do_not_race_but_hide_nothing() {
        let mut races = Races::default();
        assert_eq!(races.local(8, 4, by(0, 0, false)), None);
        assert_eq!(races.local(8, 4, by(0, 1, false)), None);
        assert_eq!(races.local(8, 4, by(0, 1, true)), Some(8), "thread 0 read it in the same stretch");
    }
}

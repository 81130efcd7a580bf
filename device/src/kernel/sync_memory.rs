//! Sync objects in memory that the kernels of several processes share.
//!
//! The memory holds fences, each with a number, and the links of the object: points of its timeline, each with the number of
//! a fence. The kernel whose work signals a fence writes its state; the others have copies, which they signal when they read it.
//! Fences outlive their links, because a submission that waits has taken them. Their places are used in turn, so a
//! copy whose fence has lost its place missed at least [`FENCES`] signals: it is signalled.
//!
//! *Architecture invariant*: while a kernel has the memory alone, it signals no fence, because listeners of a fence may write to
//! the same memory or to another.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agx_emulator::Words;

use super::Errno;
use super::fence::Fence;
use super::order::Clock;
use super::sync::Link;

/// A process, and the name space of its number.
pub type Owner = [u32; 2];

/// Memory of a sync object, of [`SYNC_WORDS`] words that are 0 at first.
pub trait SyncMemory: Words {
    /// Runs while no other kernel does so.
    fn alone(&self, run: &mut dyn FnMut());

    /// Wakes those that wait for a change of the first word.
    fn wake(&self);

    /// The process of this kernel.
    fn owner(&self) -> Owner;

    /// Whether a process has ended.
    fn is_gone(&self, owner: Owner) -> bool;
}

/// Places of fences and of links.
const FENCES: u64 = 4096;
const LINKS: u64 = 4096;
/// Words of a fence: its number, its state, its owner. Words of a link: its point, the number of its fence.
const FENCE_WORDS: u64 = 5;
const LINK_WORDS: u64 = 4;
/// The first words: number of changes, number of links, number of the last fence.
const CHANGES: u64 = 0;
const COUNT: u64 = 1;
const LAST: u64 = 2;
const FIRST_FENCE: u64 = 4;
const FIRST_LINK: u64 = FIRST_FENCE + FENCES * FENCE_WORDS;
/// Words of the memory.
pub const SYNC_WORDS: usize = (FIRST_LINK + LINKS * LINK_WORDS) as usize;
/// States of fences.
const PENDING: u32 = 0;
const SIGNALLED: u32 = 1;
const FAILED: u32 = 2;

/// A place for what is outside the memory.
static NOWHERE: AtomicU32 = AtomicU32::new(0);

/// Access to the memory, for whoever has it alone.
#[derive(Clone, Copy)]
struct Table<'m>(&'m [AtomicU32]);

impl<'m> Table<'m> {
    fn word(self, at: u64) -> &'m AtomicU32 {
        self.0.get(at as usize).unwrap_or(&NOWHERE)
    }

    fn get(self, at: u64) -> u32 {
        self.word(at).load(Ordering::Acquire)
    }

    fn set(self, at: u64, value: u32) {
        self.word(at).store(value, Ordering::Release);
    }

    fn long(self, at: u64) -> u64 {
        u64::from(self.get(at)) | u64::from(self.get(at.saturating_add(1))) << 32
    }

    fn set_long(self, at: u64, value: u64) {
        self.set(at, value as u32);
        self.set(at.saturating_add(1), (value >> 32) as u32);
    }

    /// The first word of the place that a fence of this number has or had.
    fn place(number: u64) -> u64 {
        (number % FENCES).saturating_mul(FENCE_WORDS).saturating_add(FIRST_FENCE)
    }

    /// The state of a fence.
    fn state(self, number: u64) -> u32 {
        let place = Self::place(number);
        match self.long(place) == number {
            true => self.get(place.saturating_add(2)),
            false => SIGNALLED,
        }
    }

    fn set_state(self, number: u64, state: u32) {
        let place = Self::place(number);
        if self.long(place) == number {
            self.set(place.saturating_add(2), state);
        }
    }

    fn owner(self, number: u64) -> Owner {
        let place = Self::place(number);
        [3, 4].map(|at| self.get(place.saturating_add(at)))
    }

    /// Points with the numbers of their fences.
    fn links(self) -> Vec<(u64, u64)> {
        let places: Range<u64> = 0..u64::from(self.get(COUNT)).min(LINKS);
        let words = places.map(|at| at.saturating_mul(LINK_WORDS).saturating_add(FIRST_LINK));
        words.map(|at| (self.long(at), self.long(at.saturating_add(2)))).collect()
    }

    fn set_links(self, links: &[(u64, u64)]) {
        for (at, (point, fence)) in (0..LINKS).zip(links) {
            let place = at.saturating_mul(LINK_WORDS).saturating_add(FIRST_LINK);
            self.set_long(place, *point);
            self.set_long(place.saturating_add(2), *fence);
        }
        self.set(COUNT, links.len() as u32);
    }

    /// A place for a new fence: one that is free, or whose fence is signalled and not linked.
    fn add(self, state: u32, owner: Owner) -> Result<u64, Errno> {
        let linked = self.links();
        let last = self.long(LAST);
        let is_free = |number: &u64| {
            let held = self.long(Self::place(*number));
            held == 0 || (self.state(held) != PENDING && !linked.iter().any(|(_, fence)| *fence == held))
        };
        let candidates = last.saturating_add(1)..=last.saturating_add(FENCES);
        let number = candidates.into_iter().find(is_free).ok_or(Errno::NO_MEMORY)?;
        let place = Self::place(number);
        self.set_long(place, number);
        for (at, word) in (2..).zip([state, owner[0], owner[1]]) {
            self.set(place.saturating_add(at), word);
        }
        self.set_long(LAST, number);
        Ok(number)
    }

    fn change(self) {
        self.word(CHANGES).fetch_add(1, Ordering::AcqRel);
    }
}

/// A kernel's part of a shared sync object.
pub(crate) struct SharedSync {
    memory: Arc<dyn SyncMemory>,
    /// Its number among the shared objects of the kernel's process.
    token: u64,
    /// Number of changes that were read.
    seen: Option<u32>,
    /// Fences that are linked or not signalled, by number.
    known: BTreeMap<u64, Fence>,
}

impl fmt::Debug for SharedSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSync").field("token", &self.token).finish_non_exhaustive()
    }
}

impl SharedSync {
    pub(crate) fn new(memory: Arc<dyn SyncMemory>, token: u64) -> SharedSync {
        SharedSync { memory, token, seen: None, known: BTreeMap::new() }
    }

    pub(crate) fn token(&self) -> u64 {
        self.token
    }

    pub(crate) fn memory(&self) -> &Arc<dyn SyncMemory> {
        &self.memory
    }

    /// Reads the links if they may have changed, and signals the copies of fences that are signalled.
    pub(crate) fn read(&mut self, links: &mut Vec<Link>) {
        if self.seen == Some(Table(self.memory.words()).get(CHANGES)) {
            return;
        }
        let memory = self.memory.clone();
        let mut signals = Vec::new();
        memory.alone(&mut || self.read_alone(links, &mut signals));
        fire(signals);
    }

    /// Reads for whoever has the memory alone; `signals` receives fences to signal, and whether they failed.
    fn read_alone(&mut self, links: &mut Vec<Link>, signals: &mut Vec<(Fence, bool)>) {
        let memory = self.memory.clone();
        let table = Table(memory.words());
        self.seen = Some(table.get(CHANGES));
        let linked = table.links();
        let fence = |(point, number): &(u64, u64)| {
            let fence = self.known.entry(*number).or_default().clone();
            Link { point: *point, fence }
        };
        *links = linked.iter().map(fence).collect();
        self.known.retain(|number, fence| {
            let state = table.state(*number);
            if state != PENDING && !fence.is_signalled() {
                signals.push((fence.clone(), state == FAILED));
            }
            state == PENDING || linked.iter().any(|(_, linked)| linked == number)
        });
    }

    /// Changes the links, which `apply` receives as they are now.
    ///
    /// # Errors
    /// There are too many fences that are not signalled.
    pub(crate) fn change(
        &mut self,
        links: &mut Vec<Link>,
        apply: &mut dyn FnMut(&mut Vec<Link>),
    ) -> Result<(), Errno> {
        let memory = self.memory.clone();
        let (mut signals, mut added, mut result) = (Vec::new(), Vec::new(), Ok(()));
        memory.alone(&mut || {
            self.read_alone(links, &mut signals);
            apply(links);
            result = self.write_alone(links, &mut added);
        });
        memory.wake();
        for (number, fence) in added {
            let memory = memory.clone();
            fence.listen(Box::new(move |failed| {
                let state = if failed { FAILED } else { SIGNALLED };
                set_state(&*memory, number, state);
            }));
        }
        fire(signals);
        result
    }

    /// Writes all links; `added` receives the fences that this kernel will signal.
    fn write_alone(&mut self, links: &[Link], added: &mut Vec<(u64, Fence)>) -> Result<(), Errno> {
        if links.len() as u64 > LINKS {
            return Err(Errno::NO_MEMORY);
        }
        let table = Table(self.memory.words());
        let mut numbered = Vec::with_capacity(links.len());
        for Link { point, fence } in links {
            let known = self.known.iter().find(|(_, known)| known.is(fence)).map(|(number, _)| *number);
            let number = match known {
                Some(number) => number,
                None => {
                    let state = match (fence.is_signalled(), fence.has_failed()) {
                        (false, _) => PENDING,
                        (true, false) => SIGNALLED,
                        (true, true) => FAILED,
                    };
                    let number = table.add(state, self.memory.owner())?;
                    if state == PENDING {
                        added.push((number, fence.clone()));
                    }
                    self.known.insert(number, fence.clone());
                    number
                }
            };
            numbered.push((*point, number));
        }
        table.set_links(&numbered);
        table.change();
        self.seen = Some(table.get(CHANGES));
        Ok(())
    }

    /// Signals the fences of processes that have ended, as failed.
    pub(crate) fn bury(&self) {
        let memory = &self.memory;
        let mut found = false;
        memory.alone(&mut || {
            let table = Table(memory.words());
            for number in self.known.keys().filter(|number| table.state(**number) == PENDING) {
                if memory.is_gone(table.owner(*number)) {
                    table.set_state(*number, FAILED);
                    table.change();
                    found = true;
                }
            }
        });
        if found {
            memory.wake();
        }
    }
}

fn fire(signals: Vec<(Fence, bool)>) {
    signals.into_iter().for_each(|(fence, failed)| fence.signal(&Clock::default(), failed));
}

/// Sets the state of a fence that this kernel signals.
fn set_state(memory: &dyn SyncMemory, number: u64, state: u32) {
    memory.alone(&mut || {
        let table = Table(memory.words());
        table.set_state(number, state);
        table.change();
    });
    memory.wake();
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use crate::kernel::sync::SyncObject;

    /// Memory of two kernels in one process; processes above 1000 have ended.
    struct InTest(Box<[AtomicU32]>, Mutex<()>, Owner);

    impl Words for InTest {
        fn words(&self) -> &[AtomicU32] {
            &self.0
        }
    }

    impl SyncMemory for InTest {
        fn alone(&self, run: &mut dyn FnMut()) {
            let _alone = self.1.lock().unwrap_or_else(PoisonError::into_inner);
            run();
        }

        fn wake(&self) {}

        fn owner(&self) -> Owner {
            self.2
        }

        fn is_gone(&self, owner: Owner) -> bool {
            owner[0] > 1000
        }
    }

    fn pair(owner: u32) -> [SyncObject; 2] {
        let words = (0..SYNC_WORDS).map(|_| AtomicU32::new(0)).collect();
        let memory: Arc<dyn SyncMemory> = Arc::new(InTest(words, Mutex::new(()), [owner, 0]));
        [(); 2].map(|()| {
            let mut object = SyncObject::default();
            object.share(SharedSync::new(memory.clone(), 0)).expect("it has no fences");
            object
        })
    }

    #[test]
    fn the_other_kernel_sees_signals_and_resets() {
        let [mut first, mut second] = pair(1);
        let fence = Fence::default();
        first.replace([fence.clone()]).expect("room");
        second.read();
        assert!(second.fences(0).is_some() && !second.reached(0));
        let taken: Vec<Fence> = second.fences(0).expect("submitted").cloned().collect();
        // A wait that consumes the signal before it comes.
        second.reset().expect("room");
        first.read();
        assert!(first.fences(0).is_none());
        fence.signal(&Clock::default(), true);
        assert!(!taken.iter().any(Fence::is_signalled));
        second.read();
        assert!(taken.iter().all(|fence| fence.is_signalled() && fence.has_failed()));
    }

    #[test]
    fn both_kernels_add_points_of_a_timeline() {
        let [mut first, mut second] = pair(1);
        let fences = [(); 2].map(|()| Fence::default());
        first.add(1, [fences[0].clone()]).expect("room");
        second.add(2, [fences[1].clone()]).expect("room");
        first.read();
        assert_eq!((first.point(true), first.point(false)), (2, 0));
        fences[1].signal(&Clock::default(), false);
        first.read();
        assert!(!first.reached(2), "the point before it is not signalled");
        fences[0].signal(&Clock::default(), false);
        second.read();
        assert!(second.reached(2));
    }

    #[test]
    fn places_of_fences_are_used_again_but_not_those_in_use() {
        let [mut first, mut second] = pair(1);
        let late = Fence::default();
        first.add(1, [late.clone()]).expect("room");
        second.read();
        let taken: Vec<Fence> = second.fences(1).expect("submitted").cloned().collect();
        for _ in 0..3 * FENCES / 2 {
            first.replace([Fence::signalled(&Clock::default())]).expect("room");
        }
        second.read();
        assert!(second.reached(0) && !taken.iter().any(Fence::is_signalled));
        late.signal(&Clock::default(), false);
        second.read();
        assert!(taken.iter().all(Fence::is_signalled));
        let pending = (0..FENCES + 1).try_for_each(|_| first.replace([Fence::default()]));
        assert_eq!(pending, Err(Errno::NO_MEMORY));
    }

    #[test]
    fn fences_of_a_process_that_has_ended_fail() {
        let [mut first, mut second] = pair(2000);
        first.replace([Fence::default()]).expect("room");
        second.read();
        second.shared().expect("it is shared").bury();
        second.read();
        assert!(second.reached(0) && second.fences(0).expect("submitted").all(Fence::has_failed));
    }
}

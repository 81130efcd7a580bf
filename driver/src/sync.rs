//! Fences, semaphores and events.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use crate::Error;
use crate::gpu::{SyncPoint, WaitFor};
use crate::memory::{Arena, Piece, Space};

/// A sync object of the kernel: a fence or a semaphore.
pub struct Sync {
    space: Arc<Space>,
    /// The kernel's number of it.
    pub handle: u32,
    /// Whether it is a timeline.
    pub timeline: bool,
}

impl Sync {
    /// A fence or a binary semaphore.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn binary(space: &Arc<Space>, signalled: bool) -> Result<Sync, Error> {
        let handle = space.gpu().create_sync(signalled)?;
        Ok(Sync { space: space.clone(), handle, timeline: false })
    }

    /// A timeline with an initial value.
    ///
    /// # Errors
    /// The kernel call fails.
    pub fn timeline(space: &Arc<Space>, value: u64) -> Result<Sync, Error> {
        let mut sync = Sync::binary(space, false)?;
        sync.timeline = true;
        if value > 0 {
            sync.signal(value);
        }
        Ok(sync)
    }

    /// The sync object, or a point of its timeline.
    pub fn point(&self, value: u64) -> SyncPoint {
        SyncPoint { handle: self.handle, value: self.timeline.then_some(value) }
    }

    /// Signals it, or a point of its timeline.
    pub fn signal(&self, value: u64) {
        self.space.gpu().signal(self.point(value));
    }

    /// Makes it unsignalled.
    pub fn reset(&self) {
        self.space.gpu().reset(self.handle);
    }

    /// Whether it, or a point of its timeline, is signalled.
    pub fn is_reached(&self, value: u64) -> bool {
        self.space.gpu().wait(&[self.point(value)], WaitFor::All, 0).is_ok()
    }

    /// The current value of its timeline.
    pub fn value(&self) -> u64 {
        self.space.gpu().timeline_value(self.handle)
    }
}

impl Drop for Sync {
    fn drop(&mut self) {
        self.space.gpu().destroy_sync(self.handle);
    }
}

/// An event: a word of memory that is 1 while it is set.
pub struct Event {
    memory: Piece,
}

impl Event {
    /// An event in the unset state.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(arena: &Arc<Arena>) -> Result<Event, Error> {
        let event = Event { memory: arena.take(16, 16)? };
        event.set(false);
        Ok(event)
    }

    /// Sets or resets it.
    pub fn set(&self, value: bool) {
        self.memory.write(0, &u32::from(value).to_le_bytes());
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        let mut word = [0; 4];
        self.memory.read(0, &mut word);
        // What was stored before the event was set is read after it.
        fence(Ordering::Acquire);
        word != [0; 4]
    }

    /// Address of the word.
    pub fn address(&self) -> u64 {
        self.memory.address
    }
}

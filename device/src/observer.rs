//! Observes a driver's submissions to any device, also to hardware: changes fields before they run, and records them.

use agx_emulator::{Access, Memory, Window};

use crate::changes::{Change, change};
use crate::recording::Recorder;

/// An address space as a driver binds it, with the changes and the recording of what it submits.
#[derive(Default)]
pub struct Observer {
    memory: Memory,
    changes: Vec<Change>,
    recorder: Option<Recorder>,
}

impl Observer {
    /// An address space without memory.
    pub fn new(changes: Vec<Change>, records: bool) -> Observer {
        Observer { memory: Memory::new(), changes, recorder: records.then(Recorder::default) }
    }

    /// Binds memory in place of what is bound there.
    pub fn bind(&mut self, address: u64, window: Window) {
        self.unbind(address, window.len());
        // Nothing is left to overlap, and a window beyond the last address cannot be bound.
        let _ = self.memory.map_window(address, window, Access::READ | Access::WRITE);
    }

    /// Unbinds addresses.
    pub fn unbind(&mut self, address: u64, bytes: u64) {
        self.memory.clear(address, address.saturating_add(bytes));
    }

    /// Changes and records a submission before it runs; returns the number of changed records. `base` is the shader base address,
    /// `commands` what the kernel gets.
    pub fn before(&mut self, base: u64, commands: &mut [u8]) -> usize {
        let changed = match self.changes.is_empty() {
            true => 0,
            false => change(&self.changes, &mut self.memory, base, commands),
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.submission(&self.memory, base, commands);
        }
        changed
    }

    /// Records memory after the last submission, which is complete.
    pub fn after(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.result(&self.memory);
        }
    }

    /// The recording so far, for [`crate::Recording`]. A submission without [`Observer::after`] has no results.
    pub fn recording(&self) -> Option<Vec<u8>> {
        self.recorder.as_ref().map(Recorder::bytes)
    }
}

//! A kernel whose submissions are observed: fields are changed before they run, and they are recorded for `agxc replay`.

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use agx_device::words::{Window, Words};
use agx_device::{Change, Observer};

use super::{Gpu, GpuBuffer, PAGE, Parameters, SHADER_BASE, SyncPoint, WaitFor};
use crate::Error;
use crate::memory::lock;

/// Nanoseconds that a recorded submission may take.
const LONG: u64 = 60_000_000_000;
/// Most bytes of addresses at which one page is bound that recordings have.
const MOST_REPEATED: u64 = 1 << 28;

/// Gets the recording after each submission, and before it, for a submission that does not end.
pub type Keep = Box<dyn FnMut(&[u8]) + Send>;

struct Seen {
    observer: Observer,
    buffers: BTreeMap<u32, Arc<dyn Words>>,
    keep: Option<Keep>,
}

/// A kernel, and an observer of its submissions.
pub struct Observed {
    gpu: Box<dyn Gpu>,
    seen: Mutex<Seen>,
}

impl Observed {
    /// Changes what is submitted, and gives the recording to `keep`. Each recorded submission is awaited.
    pub fn new(gpu: Box<dyn Gpu>, changes: Vec<Change>, keep: Option<Keep>) -> Observed {
        let observer = Observer::new(changes, keep.is_some());
        Observed { gpu, seen: Mutex::new(Seen { observer, buffers: BTreeMap::new(), keep }) }
    }

    fn bound(&self, address: u64, window: Option<Window>) {
        if let Some(window) = window {
            lock(&self.seen).observer.bind(address, window);
        }
    }

    fn words(&self, handle: u32) -> Option<Arc<dyn Words>> {
        lock(&self.seen).buffers.get(&handle).cloned()
    }

    /// Submits, waits until the work is complete, and records memory before and after it.
    fn record(
        &self,
        seen: &mut Seen,
        commands: &[u8],
        waits: &[SyncPoint],
        [binary, timelines]: [&[SyncPoint]; 2],
    ) -> Result<(), Error> {
        let done = SyncPoint { handle: self.gpu.create_sync(false)?, value: None };
        let all: Vec<SyncPoint> = binary.iter().copied().chain([done]).collect();
        let ran = self.gpu.submit(commands, waits, [&all, timelines]);
        // A submission that does not end has no results.
        if ran.is_ok() && self.gpu.wait(&[done], WaitFor::All, LONG).is_ok() {
            seen.observer.after();
        }
        self.gpu.destroy_sync(done.handle);
        seen.keep();
        ran
    }
}

impl Seen {
    fn keep(&mut self) {
        if let (Some(keep), Some(recording)) = (&mut self.keep, self.observer.recording()) {
            keep(&recording);
        }
    }
}

impl Gpu for Observed {
    fn parameters(&self) -> &Parameters {
        self.gpu.parameters()
    }

    fn create_buffer(&self, bytes: u64) -> Result<GpuBuffer, Error> {
        let buffer = self.gpu.create_buffer(bytes)?;
        lock(&self.seen).buffers.insert(buffer.handle, buffer.words.clone());
        Ok(buffer)
    }

    fn close_buffer(&self, handle: u32) {
        lock(&self.seen).buffers.remove(&handle);
        self.gpu.close_buffer(handle);
    }

    fn file(&self, handle: u32) -> Result<Option<(BorrowedFd<'_>, u64)>, Error> {
        self.gpu.file(handle)
    }

    fn export_buffer(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.gpu.export_buffer(handle)
    }

    fn import_buffer(&self, file: BorrowedFd<'_>) -> Result<(GpuBuffer, u64), Error> {
        let (buffer, bytes) = self.gpu.import_buffer(file)?;
        lock(&self.seen).buffers.insert(buffer.handle, buffer.words.clone());
        Ok((buffer, bytes))
    }

    fn buffer_fence(&self, buffer: BorrowedFd<'_>) -> Result<OwnedFd, Error> {
        self.gpu.buffer_fence(buffer)
    }

    fn add_buffer_fence(&self, buffer: BorrowedFd<'_>, fence: BorrowedFd<'_>) -> Result<(), Error> {
        self.gpu.add_buffer_fence(buffer, fence)
    }

    fn bind(&self, handle: u32, offset: u64, address: u64, bytes: u64) -> Result<(), Error> {
        self.gpu.bind(handle, offset, address, bytes)?;
        self.bound(address, self.words(handle).and_then(|words| Window::new(words, offset, bytes)));
        Ok(())
    }

    fn bind_page(&self, handle: u32, address: u64, bytes: u64) -> Result<(), Error> {
        self.gpu.bind_page(handle, address, bytes)?;
        let words = self.words(handle).filter(|_| bytes <= MOST_REPEATED);
        self.bound(address, words.and_then(|words| Window::repeated(words, 0, bytes, PAGE)));
        Ok(())
    }

    fn unbind(&self, address: u64, bytes: u64) {
        lock(&self.seen).observer.unbind(address, bytes);
        self.gpu.unbind(address, bytes);
    }

    fn bind_times(&self, handle: u32, bytes: u64) -> Result<u32, Error> {
        self.gpu.bind_times(handle, bytes)
    }

    fn unbind_times(&self, object: u32) {
        self.gpu.unbind_times(object);
    }

    fn time(&self) -> u64 {
        self.gpu.time()
    }

    fn create_sync(&self, signalled: bool) -> Result<u32, Error> {
        self.gpu.create_sync(signalled)
    }

    fn destroy_sync(&self, handle: u32) {
        self.gpu.destroy_sync(handle);
    }

    fn export_sync(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.gpu.export_sync(handle)
    }

    fn import_sync(&self, file: BorrowedFd<'_>) -> Result<u32, Error> {
        self.gpu.import_sync(file)
    }

    fn export_fence(&self, handle: u32) -> Result<OwnedFd, Error> {
        self.gpu.export_fence(handle)
    }

    fn import_fence(&self, handle: u32, file: BorrowedFd<'_>) -> Result<(), Error> {
        self.gpu.import_fence(handle, file)
    }

    fn signal(&self, point: SyncPoint) {
        self.gpu.signal(point);
    }

    fn reset(&self, handle: u32) {
        self.gpu.reset(handle);
    }

    fn wait(&self, points: &[SyncPoint], wait: WaitFor, nanoseconds: u64) -> Result<(), Error> {
        self.gpu.wait(points, wait, nanoseconds)
    }

    fn timeline_value(&self, handle: u32) -> u64 {
        self.gpu.timeline_value(handle)
    }

    fn transfer(&self, from: SyncPoint, to: SyncPoint) -> Result<(), Error> {
        self.gpu.transfer(from, to)
    }

    fn submit(&self, commands: &[u8], waits: &[SyncPoint], signals: [&[SyncPoint]; 2]) -> Result<(), Error> {
        let mut commands = commands.to_vec();
        let mut seen = lock(&self.seen);
        seen.observer.before(SHADER_BASE, &mut commands);
        match seen.keep.is_some() {
            true => {
                seen.keep();
                self.record(&mut seen, &commands, waits, signals)
            }
            false => self.gpu.submit(&commands, waits, signals),
        }
    }

    fn fault(&self, sync: u32) -> Option<String> {
        self.gpu.fault(sync)
    }
}

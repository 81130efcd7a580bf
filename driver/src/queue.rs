//! The queue: runs submissions in order, each when its waits are complete.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use agx_abi::record::command_header as header;

use crate::Error;
use crate::command::KernelCommand;
use crate::gpu::{MAX_COMMANDS, SyncPoint};
use crate::memory::{Space, lock};

/// Commands with the sync objects that they wait for and signal.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// Waits.
    pub waits: Vec<SyncPoint>,
    /// Binary semaphores among them, which the wait resets.
    pub resets: Vec<u32>,
    /// Command buffers in order.
    pub commands: Vec<Arc<Vec<KernelCommand>>>,
    /// Signals.
    pub signals: Vec<SyncPoint>,
}

#[derive(Default)]
struct Pending {
    submissions: VecDeque<Submission>,
    lost: Option<Error>,
}

/// The queue.
pub struct Queue {
    space: Arc<Space>,
    pending: Mutex<Pending>,
    changed: Condvar,
}

impl Queue {
    /// An empty queue.
    pub fn new(space: Arc<Space>) -> Queue {
        Queue { space, pending: Mutex::default(), changed: Condvar::new() }
    }

    /// Submits.
    ///
    /// # Errors
    /// The device is lost.
    pub fn submit(&self, submissions: Vec<Submission>) -> Result<(), Error> {
        lock(&self.pending).submissions.extend(submissions);
        self.advance()
    }

    /// Runs submissions whose waits are complete. Also called when the application signals something.
    ///
    /// # Errors
    /// The device is lost.
    pub fn advance(&self) -> Result<(), Error> {
        let mut pending = lock(&self.pending);
        while let Some(first) = pending.submissions.front() {
            let ready = {
                let mut gpu = self.space.gpu();
                first.waits.iter().all(|wait| gpu.is_reached(*wait))
            };
            if !ready && pending.lost.is_none() {
                break;
            }
            let Some(submission) = pending.submissions.pop_front() else { break };
            if let Err(error) = self.run(&submission, pending.lost.is_some()) {
                pending.lost.get_or_insert(error);
            }
        }
        self.changed.notify_all();
        pending.lost.clone().map_or(Ok(()), Err)
    }

    /// Runs a submission; if the device is lost, only its signals.
    fn run(&self, submission: &Submission, lost: bool) -> Result<(), Error> {
        let mut gpu = self.space.gpu();
        let mut result = Ok(());
        if !lost {
            let list: Vec<&KernelCommand> = submission.commands.iter().flat_map(|list| list.iter()).collect();
            let mut waits = submission.waits.as_slice();
            for piece in list.chunks(MAX_COMMANDS) {
                result = gpu.submit(&encoded(piece), waits, &[]);
                waits = &[];
                if result.is_err() {
                    break;
                }
            }
        }
        submission.resets.iter().for_each(|handle| gpu.reset(*handle));
        submission.signals.iter().for_each(|point| gpu.signal(*point));
        result
    }

    /// Waits until `done` returns true, with a timeout in nanoseconds.
    ///
    /// # Errors
    /// Timeout, or the device is lost.
    pub fn wait(&self, nanoseconds: u64, mut done: impl FnMut() -> bool) -> Result<(), Error> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(nanoseconds));
        let mut pending = lock(&self.pending);
        loop {
            if done() {
                return Ok(());
            }
            if let Some(error) = &pending.lost {
                return Err(error.clone());
            }
            let left = match deadline {
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
                None => Duration::from_secs(1),
            };
            if left.is_zero() {
                return Err(Error::Timeout);
            }
            let waited = self.changed.wait_timeout(pending, left.min(Duration::from_secs(1)));
            pending = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Waits until nothing is pending.
    ///
    /// # Errors
    /// The device is lost.
    pub fn wait_idle(&self) -> Result<(), Error> {
        self.advance()?;
        loop {
            let pending = lock(&self.pending);
            if pending.submissions.is_empty() {
                return Ok(());
            }
            drop(self.changed.wait_timeout(pending, Duration::from_millis(100)));
        }
    }
}

/// Encodes commands, each with a header: every command waits for all earlier ones.
fn encoded(commands: &[&KernelCommand]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = [0_u64; 2];
    for command in commands {
        let (kind, body) = match command {
            KernelCommand::Render(body) => (0, body),
            KernelCommand::Compute(body) => (1, body),
        };
        // The numbers of earlier commands; 0 waits for earlier submissions.
        let [render, compute] = before;
        bytes.extend(
            header::new()
                .set(&header::TYPE, kind)
                .set(&header::SIZE, body.len() as u64)
                .set(&header::VDM_BARRIER, render)
                .set(&header::CDM_BARRIER, compute)
                .bytes(),
        );
        bytes.extend(body);
        if let Some(count) = before.get_mut(kind as usize) {
            *count += 1;
        }
    }
    bytes
}

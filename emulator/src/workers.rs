//! Distributes the work of one dispatch or draw over several threads.
//!
//! The work consists of pieces: workgroups, or bands of rows of a framebuffer. Each worker is a separate machine that
//! accesses the same memory and takes the next piece until none is left. The result equals that of one thread if
//! workgroups, and fragments of different pixels, store to different locations. Programs with device atomics depend on
//! the order of the pieces and run on one thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::findings::Finding;
use crate::machine::Machine;
use crate::memory::Memory;

/// The outcome of a run that may end at a fault.
pub(crate) type Outcome = Result<(), Box<Finding>>;

/// The fault of the lowest piece that had one.
#[derive(Default)]
struct FirstFault(Mutex<Option<(u64, Box<Finding>)>>);

impl FirstFault {
    fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn add(&self, piece: u64, finding: Box<Finding>) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(other, _)| piece < *other) {
            *first = Some((piece, finding));
        }
    }

    fn outcome(self) -> Outcome {
        match self.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, finding)) => Err(finding),
            None => Ok(()),
        }
    }
}

/// Runs `work` for the pieces below `pieces` on up to `threads` threads. `own` creates the state of each thread; the
/// states are returned. Pieces are taken in order, so that the reported fault is the one that a single thread would
/// have found first.
pub(crate) fn share<T: Send>(
    machine: &mut Machine<'_>,
    threads: usize,
    pieces: u64,
    own: impl Fn() -> T,
    work: impl Fn(&mut Machine<'_>, u64, &mut T) -> Outcome + Sync,
) -> (Vec<T>, Outcome) {
    let threads = threads.min(pieces.try_into().unwrap_or(usize::MAX));
    let (next, fault) = (AtomicU64::new(0), FirstFault::default());
    let mut memories: Vec<Memory> = (0..threads).map(|_| machine.shared_memory()).collect();
    let run = |mut worker: Machine<'_>, mut own: T| {
        while !fault.is_set() {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            if let Err(finding) = work(&mut worker, piece, &mut own) {
                fault.add(piece, finding);
            }
        }
        (worker.traffic(), own)
    };
    let shares = thread::scope(|scope| {
        let run = &run;
        let workers = memories.iter_mut().map(|memory| {
            let (worker, own) = (machine.worker(memory), own());
            scope.spawn(move || run(worker, own))
        });
        let workers: Vec<_> = workers.collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| match worker.join() {
            Ok(share) => share,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().map(join).collect::<Vec<_>>()
    });
    let mut owned = Vec::with_capacity(shares.len());
    for (traffic, own) in shares {
        machine.add_traffic(traffic);
        owned.push(own);
    }
    (owned, fault.outcome())
}

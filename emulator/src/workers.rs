//! Distributes the work of one dispatch or render pass over several threads.
//!
//! The work consists of pieces: workgroups, or tiles. Each worker is a separate machine that
//! accesses the same memory and takes the next piece until none is left. The result equals that of one thread if
//! workgroups, and fragments of different pixels, store to different locations. Programs with device atomics depend on
//! the order of the pieces and run on one thread.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
    let fault = FirstFault::default();
    let mut memories: Vec<Memory> = (0..threads).map(|_| machine.shared_memory()).collect();
    let owned = memories.iter_mut().map(|memory| (machine.worker(memory), own())).collect();
    let run = |(worker, own): &mut (Machine<'_>, T), piece| match work(worker, piece, own) {
        Ok(()) => ControlFlow::Continue(()),
        Err(finding) => {
            fault.add(piece, finding);
            ControlFlow::Break(())
        }
    };
    let shares: Vec<_> =
        on_threads(owned, pieces, run).into_iter().map(|(worker, own)| (worker.traffic(), own)).collect();
    let mut owned = Vec::with_capacity(shares.len());
    for (traffic, own) in shares {
        machine.add_traffic(traffic);
        owned.push(own);
    }
    (owned, fault.outcome())
}

/// Runs `work` for the numbers below `pieces` on a thread for each of `owned`, which is returned. Each takes the next number
/// until none is left or one breaks off.
pub(crate) fn on_threads<T: Send>(
    owned: Vec<T>,
    pieces: u64,
    work: impl Fn(&mut T, u64) -> ControlFlow<()> + Sync,
) -> Vec<T> {
    let (next, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let run = |mut own: T| {
        while !is_over.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            if work(&mut own, piece).is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        }
        own
    };
    thread::scope(|scope| {
        let run = &run;
        let workers: Vec<_> = owned.into_iter().map(|own| scope.spawn(move || run(own))).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| match worker.join() {
            Ok(own) => own,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().map(join).collect()
    })
}

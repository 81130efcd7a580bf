//! Tests that run every order of the steps of several threads. The files are those of the device and the driver, with loom's
//! locks and atomic words.
//!
//! The queue of the driver, the tables of the kernel and the memory of shared sync objects have no atomic words whose order
//! matters: each is accessed under one lock.

#![cfg(test)]

mod primitives {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

#[path = "../../src/poll.rs"]
mod poll;
#[path = "../../../device/src/waits.rs"]
mod waits;

use loom::model;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use std::time::Duration;

use waits::Waits;

#[test]
fn a_result_is_complete_when_it_is_available() {
    model(|| {
        let (value, available) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let stored = (value.clone(), available.clone());
        // The device completes its stores of the value before that of the flag.
        let device = thread::spawn(move || {
            stored.0.store(7, Ordering::Relaxed);
            stored.1.store(1, Ordering::Release);
        });
        if poll::is_set(&available) {
            assert_eq!(value.load(Ordering::Relaxed), 7);
        }
        device.join().expect("it ends");
    });
}

/// The state of the device: submitted, complete.
#[derive(Default)]
struct Work {
    submitted: u32,
    complete: u32,
}

/// The thread of the device.
fn run(waits: &Waits<Work>) {
    let mut work = waits.lock();
    while !waits.ends() {
        if work.complete < work.submitted {
            // It executes without the lock.
            drop(work);
            work = waits.lock();
            work.complete += 1;
            waits.notify();
        } else {
            work = waits.sleep(work);
        }
    }
}

#[test]
fn no_wait_misses_the_end_of_the_work() {
    model(|| {
        let waits = Arc::new(Waits::new(Work::default()));
        let device = {
            let waits = waits.clone();
            thread::spawn(move || run(&waits))
        };
        let mut work = waits.lock();
        work.submitted += 1;
        waits.notify();
        while work.complete == 0 {
            // loom has no time: a wait that nothing ends is an error.
            work = waits.sleep_for(work, Duration::MAX);
        }
        drop(work);
        waits.end();
        device.join().expect("it ends");
    });
}

#[test]
fn no_wait_misses_a_change_without_the_lock() {
    model(|| {
        let waits = Arc::new(Waits::new(()));
        let signalled = Arc::new(AtomicU32::new(0));
        let other = {
            let (waits, signalled) = (waits.clone(), signalled.clone());
            thread::spawn(move || {
                signalled.store(1, Ordering::Release);
                waits.notify_after_change();
            })
        };
        let mut state = waits.lock();
        while signalled.load(Ordering::Acquire) == 0 {
            state = waits.sleep(state);
        }
        drop(state);
        other.join().expect("it ends");
    });
}

//! The kernel for several threads of a process: calls that wait, and the thread on which an asynchronous device runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::kernel::run::Step;
use crate::kernel::{Answer, Errno, Kernel, User};

/// Called with the kernel after each call and each command of an asynchronous device, to take findings and listings.
type Observer = Box<dyn Fn(&mut Kernel) + Send + Sync>;

/// The parts that the thread shares.
struct Shared {
    kernel: Mutex<Kernel>,
    /// Notified after each call, command and fence.
    changed: Condvar,
    observer: Observer,
    /// Nanoseconds of the monotonic clock.
    clock: fn() -> u64,
    ends: AtomicBool,
}

/// A kernel that any thread may call.
pub struct Node {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Longest time in nanoseconds that a waiting call sleeps; the clock of the kernel may not be that of the host.
const LONGEST_SLEEP: u64 = 100_000_000;

impl Node {
    /// Starts the thread if the device is asynchronous.
    pub fn new(kernel: Kernel, observer: impl Fn(&mut Kernel) + Send + Sync + 'static) -> Node {
        let asynchronous = kernel.is_asynchronous();
        let (_, clock) = kernel.executor();
        let shared = Arc::new(Shared {
            kernel: Mutex::new(kernel),
            changed: Condvar::new(),
            observer: Box::new(observer),
            clock,
            ends: AtomicBool::new(false),
        });
        let thread = asynchronous.then(|| {
            let shared = shared.clone();
            std::thread::spawn(move || shared.run())
        });
        Node { shared, thread }
    }

    /// Executes a call; one that waits returns when it is complete or its deadline has passed.
    ///
    /// # Errors
    /// The kernel's [`Errno`].
    pub fn call(&self, number: u8, argument: &mut [u8], user: &mut dyn User) -> Result<(), Errno> {
        let mut kernel = self.lock();
        loop {
            match kernel.call(number, argument, user)? {
                Answer::Done => {
                    (self.shared.observer)(&mut kernel);
                    self.shared.changed.notify_all();
                    return Ok(());
                }
                Answer::Wait(deadline) => {
                    let left = u64::try_from(deadline).unwrap_or(0).saturating_sub(self.now());
                    kernel = self.shared.sleep(kernel, left);
                }
            }
        }
    }

    /// Nanoseconds of the monotonic clock.
    pub fn now(&self) -> u64 {
        (self.shared.clock)()
    }

    /// The kernel. No other thread's call proceeds until the guard is dropped.
    pub fn lock(&self) -> MutexGuard<'_, Kernel> {
        self.shared.lock()
    }

    /// Waits until the fences of a sync object are signalled; returns whether work before them ended early.
    ///
    /// # Errors
    /// [`Errno::NOT_FOUND`]: no sync object has this handle. [`Errno::INVALID`]: nothing will signal it.
    pub fn wait_signalled(&self, handle: u32) -> Result<bool, Errno> {
        let mut kernel = self.lock();
        loop {
            match kernel.outcome(handle)? {
                Some(failed) => return Ok(failed),
                None => kernel = self.shared.sleep(kernel, LONGEST_SLEEP),
            }
        }
    }

    /// Waits until everything that was submitted is complete.
    pub fn wait_idle(&self) {
        let mut kernel = self.lock();
        while !kernel.is_idle() {
            kernel = self.shared.sleep(kernel, LONGEST_SLEEP);
        }
    }
}

impl Drop for Node {
    /// Waits for the command that runs; others are dropped.
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        // The lock orders this notification after the thread's test of the flag.
        drop(self.lock());
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Kernel> {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep<'k>(&self, kernel: MutexGuard<'k, Kernel>, nanoseconds: u64) -> MutexGuard<'k, Kernel> {
        let time = Duration::from_nanos(nanoseconds.min(LONGEST_SLEEP));
        self.changed.wait_timeout(kernel, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The thread of an asynchronous device.
    fn run(&self) {
        let mut kernel = self.lock();
        let (device, clock) = kernel.executor();
        while !self.ends.load(Ordering::Relaxed) {
            match kernel.step() {
                Step::Run(task) => {
                    // Fences that were late may have been signalled.
                    self.changed.notify_all();
                    drop(kernel);
                    let ran = task.run(&mut device.lock().unwrap_or_else(PoisonError::into_inner), clock);
                    kernel = self.lock();
                    kernel.finish(ran);
                    (self.observer)(&mut kernel);
                }
                Step::Later(time) => {
                    self.changed.notify_all();
                    let left = time.saturating_sub(clock());
                    kernel = self.sleep(kernel, left);
                }
                Step::Idle => {
                    self.changed.notify_all();
                    kernel = self.changed.wait(kernel).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

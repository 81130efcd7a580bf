//! The kernel for several threads of a process: calls that wait, and the thread on which an asynchronous device runs.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::kernel::run::Step;
use crate::kernel::{Answer, Errno, Kernel, User};
use crate::waits::Waits;

/// Called with the kernel after each call and each command of an asynchronous device, to take findings and listings.
type Observer = Box<dyn Fn(&mut Kernel) + Send + Sync>;

/// The parts that the thread shares.
struct Shared {
    /// Waits end after each call, command and fence.
    kernel: Waits<Kernel>,
    observer: Observer,
    /// Nanoseconds of the monotonic clock.
    clock: fn() -> u64,
    /// Sleeps for some time of that clock.
    sleep: fn(Duration),
}

/// A kernel that any thread may call.
pub struct Node {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Longest time in nanoseconds that a waiting call sleeps; the clock of the kernel may not be that of the host.
const LONGEST_SLEEP: u64 = 100_000_000;
/// Time in nanoseconds after which the thread looks for new work while it delays a fence.
const SLICE: u64 = 200_000;

impl Node {
    /// Starts the thread if the device is asynchronous. `sleep` sleeps for some time of the kernel's clock.
    pub fn new(
        kernel: Kernel,
        sleep: fn(Duration),
        observer: impl Fn(&mut Kernel) + Send + Sync + 'static,
    ) -> Node {
        let asynchronous = kernel.is_asynchronous();
        let (_, clock) = kernel.executor();
        let shared = Shared { kernel: Waits::new(kernel), observer: Box::new(observer), clock, sleep };
        let shared = Arc::new(shared);
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
                    self.shared.kernel.notify();
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
        self.shared.kernel.lock()
    }

    /// Wakes the calls that wait, after a change that no call has made.
    pub fn notify(&self) {
        self.shared.kernel.notify_after_change();
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
        self.shared.kernel.end();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn sleep<'k>(&self, kernel: MutexGuard<'k, Kernel>, nanoseconds: u64) -> MutexGuard<'k, Kernel> {
        let time = Duration::from_nanos(nanoseconds.min(LONGEST_SLEEP));
        self.kernel.sleep_for(kernel, time)
    }

    /// The thread of an asynchronous device.
    fn run(&self) {
        let mut kernel = self.kernel.lock();
        let (device, clock) = kernel.executor();
        while !self.kernel.ends() {
            match kernel.step() {
                Step::Run(task) => {
                    // Fences that were late may have been signalled.
                    self.kernel.notify();
                    drop(kernel);
                    let ran = task.run(&mut device.lock().unwrap_or_else(PoisonError::into_inner), clock);
                    kernel = self.kernel.lock();
                    kernel.finish(ran);
                    (self.observer)(&mut kernel);
                }
                Step::Later(time) => {
                    self.kernel.notify();
                    drop(kernel);
                    (self.sleep)(Duration::from_nanos(time.saturating_sub(clock()).min(SLICE)));
                    kernel = self.kernel.lock();
                }
                Step::Idle => {
                    self.kernel.notify();
                    kernel = self.kernel.sleep(kernel);
                }
            }
        }
    }
}

//! Sync objects and fences that processes share through the node that the preloaded library shows; the library is linked here.
//! Descriptors reach the second process as its standard streams. Every process has a device that works in a thread of its own.

use std::ffi::{c_int, c_ulong, c_void};
use std::io::Error as IoError;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Level};
use agx_driver::device::{Device, Enabled};
use agx_driver::gpu::{HIGH, PAGE, SyncPoint, WaitFor};
use agx_driver::memory::{Allocation, Place};
use agx_driver::queue::Submission;
use agx_driver::sync::Sync;
use libtest_mimic::{Arguments, Trial};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The library's function for calls, which keeps it in the program.
#[used]
static IOCTL: unsafe extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int = agx_device_shim::ioctl;

/// Names what the process does, and the seed of its device.
const ROLE: &str = "AGX_SYNCS";
const ASYNC: &str = "AGX_DEVICE_ASYNC";

/// Long enough for anything that ends.
const LONG: u64 = 60_000_000_000;
/// Rounds of processes that wait for each other.
const ROUNDS: u32 = 100;
/// Bytes whose filling takes the device a while.
const MUCH: u64 = 1 << 22;

/// A test, which is a process, and the processes that tests start.
type Role = (&'static str, fn());

const TESTS: &[Role] = &[
    ("binary_semaphores_order_the_work_of_two_processes", || take_turns(false)),
    ("timelines_order_the_work_of_two_processes", || take_turns(true)),
    ("a_fence_is_waited_for_in_another_process", fence_elsewhere),
    ("exported_fences_are_polled_and_merged", poll_and_merge),
    ("fences_of_a_killed_process_end", outlive),
    ("an_early_fault_is_found_behind_later_work", find_early_fault),
];

const SECOND: &[Role] = &[
    ("binary", || answer(false)),
    ("timeline", || answer(true)),
    ("waiter", wait_for_fence),
    ("poller", poll_fence),
    ("worker", work_long),
];

fn main() -> ExitCode {
    if let Ok(role) = std::env::var(ROLE) {
        let (_, run) = TESTS.iter().chain(SECOND).find(|(name, _)| *name == role).expect("a role");
        run();
        return ExitCode::SUCCESS;
    }
    let trial = |(name, _): &Role| {
        let name = *name;
        Trial::test(name, move || {
            let status = Command::new(std::env::current_exe()?).env(ROLE, name).env(ASYNC, "1").status()?;
            assert!(status.success(), "{status}");
            Ok(())
        })
    };
    libtest_mimic::run(&Arguments::from_args(), TESTS.iter().map(trial).collect()).exit_code()
}

/// Starts a second process with three descriptors.
fn start(role: &str, [first, second, third]: [OwnedFd; 3]) -> Result<Child, IoError> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(ROLE, role).env(ASYNC, "2");
    command.stdin(Stdio::from(first)).stdout(Stdio::from(second)).stderr(Stdio::from(third)).spawn()
}

/// The descriptors of the second process.
fn descriptors() -> [OwnedFd; 3] {
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()].map(|file| file.try_clone_to_owned().expect("a copy"))
}

fn device() -> Arc<Device> {
    let node = agx_node::open().expect("the library shows a node").expect("it opens");
    Device::new(Box::new(node), Enabled::default()).expect("a device")
}

fn nothing() -> OwnedFd {
    std::fs::File::open("/dev/null").expect("it exists").into()
}

/// A submission that fills memory.
fn fill(device: &Arc<Device>, address: u64, bytes: u64, word: u32) -> Submission {
    let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
    commands.begin();
    commands.record(move |recorder| recorder.fill_memory(address, bytes, word));
    commands.end().expect("records");
    let list = commands.commands();
    // The commands are submitted as long as the process runs.
    std::mem::forget(commands);
    Submission { commands: vec![list], ..Submission::default() }
}

fn word(memory: &Allocation, at: u64) -> u32 {
    let mut bytes = [0; 4];
    memory.read(at, &mut bytes);
    u32::from_le_bytes(bytes)
}

fn new(device: &Device, timeline: bool) -> Sync {
    let made = if timeline { Sync::timeline(&device.space, 0) } else { Sync::binary(&device.space, false) };
    made.expect("a sync object")
}

/// Fills a word, and after the other process has filled the next, looks at both.
fn take_turns(timeline: bool) {
    let device = device();
    let memory = device.space.allocate(PAGE, Place::High).expect("memory");
    let [ready, done] = [(); 2].map(|()| new(&device, timeline));
    let files = [ready.export(), done.export(), memory.export()].map(|file| file.expect("a descriptor"));
    let role = if timeline { "timeline" } else { "binary" };
    let mut second = start(role, files).expect("it starts");
    let fence = new(&device, false);
    for round in 1..=ROUNDS {
        let mut first = fill(&device, memory.address, 4, round);
        first.signal(&ready, round.into());
        let mut last = fill(&device, memory.address + 8, 4, round);
        last.wait(&done, round.into());
        last.signal(&fence, 0);
        device.queue.submit(vec![first, last]).expect("submitted");
        device.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
        assert_eq!([0, 4, 8].map(|at| word(&memory, at)), [round; 3]);
        fence.reset();
    }
    assert!(second.wait().expect("it ends").success());
}

/// The other process of [`take_turns`].
fn answer(timeline: bool) {
    let device = device();
    let [first, second, third] = descriptors();
    let [ready, done] = [first, second].map(|file| {
        let sync = new(&device, timeline);
        sync.import(file.as_fd(), false).expect("imported");
        sync
    });
    let memory = device.space.import(third.as_fd(), PAGE).expect("imported");
    let fence = new(&device, false);
    for round in 1..=ROUNDS {
        let mut submission = fill(&device, memory.address + 4, 4, round);
        submission.wait(&ready, round.into());
        submission.signal(&done, round.into());
        submission.signal(&fence, 0);
        device.queue.submit(vec![submission]).expect("submitted");
        device.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
        // The first process may have gone on.
        let found = word(&memory, 0);
        assert!(found == round || found == round + 1, "{found} in round {round}");
        fence.reset();
    }
}

/// Long work, whose fence is waited for in another process, which looks at the last word.
fn fence_elsewhere() {
    let device = device();
    let memory = device.space.allocate(MUCH, Place::High).expect("memory");
    let fence = new(&device, false);
    let files = [fence.export().expect("exported"), memory.export().expect("exported"), nothing()];
    let mut second = start("waiter", files).expect("it starts");
    let mut submission = fill(&device, memory.address, MUCH, 77);
    submission.signal(&fence, 0);
    device.queue.submit(vec![submission]).expect("submitted");
    assert!(second.wait().expect("it ends").success());
    // The other process has reset it.
    assert!(!fence.is_reached(0));
}

fn wait_for_fence() {
    let device = device();
    let [file, memory, _] = descriptors();
    let fence = new(&device, false);
    fence.import(file.as_fd(), false).expect("imported");
    let memory = device.space.import(memory.as_fd(), MUCH).expect("imported");
    device.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
    assert_eq!(word(&memory, MUCH - 4), 77);
    fence.reset();
}

/// Whether a fence is signalled, within some seconds.
fn is_readable(fence: BorrowedFd<'_>, seconds: i64) -> bool {
    let mut polled = [PollFd::from_borrowed_fd(fence, PollFlags::IN)];
    let time = Timespec { tv_sec: seconds, tv_nsec: 0 };
    let count = poll(&mut polled, Some(&time)).expect("polled");
    count == 1 && polled[0].revents().contains(PollFlags::IN)
}

/// Makes a call to a fence with a structure.
fn call(fence: BorrowedFd<'_>, number: c_ulong, argument: &mut [u8]) -> c_int {
    let request = 3 << 30 | (argument.len() as c_ulong) << 16 | c_ulong::from(b'>') << 8 | number;
    // SAFETY: the request has the length of the structure, whose addresses point to memory of the callers.
    unsafe { IOCTL(fence.as_raw_fd(), request, argument.as_mut_ptr().cast()) }
}

fn at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// `sync_file_info` with the details of a fence: its status, that of the details, and the time of the signal.
fn describe(fence: BorrowedFd<'_>) -> (i32, i32, u64) {
    let (mut info, mut detail) = ([0; 56], [0_u8; 80]);
    assert_eq!(call(fence, 4, &mut info), 0);
    assert_eq!(at(&info, 40), 1, "fences");
    info[48..].copy_from_slice(&(detail.as_mut_ptr().expose_provenance() as u64).to_le_bytes());
    assert_eq!(call(fence, 4, &mut info), 0);
    let time = u64::from_le_bytes(*detail.last_chunk().expect("eight bytes"));
    (at(&info, 32), at(&detail, 64), time)
}

fn merge(first: BorrowedFd<'_>, second: BorrowedFd<'_>) -> Option<OwnedFd> {
    let mut data = [0; 48];
    data[32..36].copy_from_slice(&second.as_raw_fd().to_le_bytes());
    let made = call(first, 3, &mut data) == 0;
    // SAFETY: the call has just made the descriptor.
    made.then(|| unsafe { std::os::fd::FromRawFd::from_raw_fd(at(&data, 36)) })
}

fn poll_and_merge() {
    let device = device();
    let memory = device.space.allocate(MUCH, Place::High).expect("memory");
    let [short, long] = [(); 2].map(|()| new(&device, false));
    for (sync, bytes) in [(&short, 4), (&long, MUCH)] {
        let mut submission = fill(&device, memory.address, bytes, 5);
        submission.signal(sync, 0);
        device.queue.submit(vec![submission]).expect("submitted");
    }
    let gpu = device.space.gpu();
    let [short, long] = [short, long].map(|sync| gpu.export_fence(sync.point(0).handle).expect("exported"));
    let merged = merge(short.as_fd(), long.as_fd()).expect("merged");
    let begun = gpu.time();
    assert!(!is_readable(long.as_fd(), 0) && !is_readable(merged.as_fd(), 0), "the work takes longer");
    assert_eq!(describe(merged.as_fd()), (0, 0, 0));
    assert!(merge(short.as_fd(), nothing().as_fd()).is_none());
    let copies = [merged.try_clone().expect("a copy"), memory.export().expect("exported"), nothing()];
    let mut second = start("poller", copies).expect("it starts");
    assert!(is_readable(short.as_fd(), 60));
    assert!(is_readable(merged.as_fd(), 60) && is_readable(long.as_fd(), 0));
    let (status, detail, time) = describe(merged.as_fd());
    assert_eq!((status, detail), (1, 1));
    assert!(begun < time && time <= gpu.time(), "{begun} {time}");
    assert!(second.wait().expect("it ends").success());
}

/// Polls a fence of another process, and waits for it with work.
fn poll_fence() {
    let device = device();
    let [fence, memory, _] = descriptors();
    let memory = device.space.import(memory.as_fd(), MUCH).expect("imported");
    let imported = new(&device, false);
    imported.import_fence(Some(fence.as_fd())).expect("imported");
    let mut submission = fill(&device, memory.address, 4, 6);
    submission.wait(&imported, 0);
    device.queue.submit(vec![submission]).expect("submitted");
    device.queue.wait_idle().expect("idle");
    assert!(is_readable(fence.as_fd(), 0));
    assert_eq!([0, MUCH - 4].map(|at| word(&memory, at)), [6, 5]);
}

/// Waits for the work of a process that is killed.
fn outlive() {
    let device = device();
    let sync = new(&device, false);
    let files = [sync.export().expect("exported"), nothing(), nothing()];
    let mut second = start("worker", files).expect("it starts");
    device.space.gpu().wait(&[sync.point(0)], WaitFor::Submission, LONG).expect("submitted");
    assert!(!sync.is_reached(0));
    let fence = device.space.gpu().export_fence(sync.point(0).handle).expect("exported");
    second.kill().expect("it runs");
    second.wait().expect("it ends");
    device.queue.wait(&[sync.point(0)], WaitFor::All, LONG).expect("signalled");
    assert_eq!(describe(fence.as_fd()).0, -5);
}

fn work_long() {
    let device = device();
    let memory = device.space.allocate(MUCH, Place::High).expect("memory");
    let [file, ..] = descriptors();
    let sync = new(&device, false);
    sync.import(file.as_fd(), false).expect("imported");
    let list: Vec<_> = (0..100).map(|word| fill(&device, memory.address, MUCH, word)).collect();
    device.queue.submit(list).expect("submitted");
    let mut last = fill(&device, memory.address, 4, 1);
    last.signal(&sync, 0);
    device.queue.submit(vec![last]).expect("submitted");
    device.queue.wait_idle().expect("idle");
}

/// Only the fence of the first submission has the error.
fn find_early_fault() {
    let device = device();
    let memory = device.space.allocate(4, Place::High).expect("memory");
    let fence = new(&device, false);
    // No memory is there.
    let mut list = vec![fill(&device, HIGH[1] - 0x10000, 4, 1)];
    list.extend((0..20).map(|number| fill(&device, memory.address, 4, number)));
    // The error may be found at once.
    let _ = device.queue.submit(list);
    let mut last = fill(&device, memory.address, 4, 99);
    last.signal(&fence, 0);
    let _ = device.queue.submit(vec![last]);
    let waited = device.queue.wait(&[fence.point(0)], WaitFor::All, LONG);
    assert!(matches!(waited, Err(Error::Lost { .. })), "{waited:?}");
    let point = SyncPoint { handle: fence.point(0).handle, value: None };
    device.space.gpu().wait(&[point], WaitFor::All, 0).expect("every wait ends");
}

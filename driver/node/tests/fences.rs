//! Fences of an asynchronous device through the node that the preloaded library shows; the library is linked here. Two processes,
//! each with several threads, submit commands that change memory, and look at it as soon as the fence is signalled. The feature
//! `stress` submits 100,000 times.

use std::ffi::{c_int, c_ulong, c_void};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;

use agx_driver::command::{CommandBuffer, KernelCommand, Level};
use agx_driver::device::{Device, Enabled};
use agx_driver::gpu::WaitFor;
use agx_driver::memory::Place;
use agx_driver::queue::Submission;
use agx_driver::sync::Sync;
use libtest_mimic::{Arguments, Failed, Trial};

/// Keeps the library's functions in the program.
#[used]
static LINKED: unsafe extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int = agx_device_shim::ioctl;

/// Names the number of a process.
const NUMBER: &str = "AGX_FENCES";
const PROCESSES: u32 = 2;
const THREADS: u32 = 4;
/// Submissions of all threads.
const SUBMISSIONS: u32 = if cfg!(feature = "stress") { 100_000 } else { 4_000 };
/// Commands that each thread submits in turn: each writes its number.
const COMMANDS: u32 = 8;
/// Nanoseconds that are enough for anything that ends.
const LONG: u64 = 60_000_000_000;

/// Commands that write a word.
fn writes(device: &Arc<Device>, address: u64, word: u32) -> Arc<Vec<KernelCommand>> {
    let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
    commands.begin();
    commands.record(move |recorder| recorder.fill_memory(address, 4, word));
    commands.end().expect("records");
    let list = commands.commands();
    // The commands are submitted as long as the process runs.
    std::mem::forget(commands);
    list
}

/// Submits, waits and looks.
fn run(device: &Arc<Device>, thread: u32) {
    let memory = device.space.allocate(4, Place::High).expect("memory");
    let fence = Sync::binary(&device.space, false).expect("a sync object");
    let lists: Vec<_> = (0..COMMANDS).map(|word| writes(device, memory.address, word)).collect();
    for number in 0..SUBMISSIONS / PROCESSES / THREADS {
        let commands = vec![lists[(number % COMMANDS) as usize].clone()];
        let mut submission = Submission { commands, ..Submission::default() };
        submission.signal(&fence, 0);
        device.queue.submit(vec![submission]).expect("submitted");
        device.queue.wait(&[fence.point(0)], WaitFor::All, LONG).expect("signalled");
        let mut bytes = [0; 4];
        memory.read(0, &mut bytes);
        assert_eq!(u32::from_le_bytes(bytes), number % COMMANDS, "submission {number} of thread {thread}");
        fence.reset();
    }
}

/// One of the processes.
fn process() {
    let node = agx_node::open().expect("the library shows a node").expect("it opens");
    let device = Device::new(Box::new(node), Enabled::default()).expect("memory");
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let device = &device;
            scope.spawn(move || run(device, thread));
        }
    });
}

fn main() -> ExitCode {
    if std::env::var_os(NUMBER).is_some() {
        process();
        return ExitCode::SUCCESS;
    }
    let test = Trial::test("no_fence_is_signalled_before_its_work_is_done", processes);
    libtest_mimic::run(&Arguments::from_args(), vec![test]).exit_code()
}

fn processes() -> Result<(), Failed> {
    let program = std::env::current_exe()?;
    let start = |number: u32| {
        let seed = (number + 1).to_string();
        Command::new(&program).env(NUMBER, number.to_string()).env("AGX_DEVICE_ASYNC", seed).spawn()
    };
    let started: Vec<Child> = (0..PROCESSES).map(start).collect::<Result<_, _>>()?;
    for mut process in started {
        assert!(process.wait()?.success());
    }
    Ok(())
}

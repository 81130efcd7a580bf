//! Buffers and fences that two processes share through the node that the preloaded library shows; the library is linked here.
//! A descriptor reaches the second process as its standard input.

use std::ffi::{c_int, c_ulong, c_void};
use std::io::Error as IoError;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Level};
use agx_driver::device::{Device, Enabled};
use agx_driver::gpu::{Gpu, PAGE, SyncPoint, WaitFor};
use agx_driver::memory::Place;
use agx_driver::queue::Submission;
use agx_driver::sync::Sync;
use agx_node::Placed;
use libtest_mimic::{Arguments, Trial};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Keeps the library's functions in the program.
#[used]
static LINKED: unsafe extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int = agx_device_shim::ioctl;

/// Names what the standard input of the second process is.
const ROLE: &str = "AGX_SHARING";

fn node() -> impl Gpu {
    agx_node::open().expect("the library shows a node").expect("it opens")
}

/// The second process.
fn second(role: &str) {
    let (node, stdin) = (node(), std::io::stdin());
    match role {
        "buffer" => {
            let (buffer, bytes) = node.import_buffer(stdin.as_fd()).expect("imported");
            assert_eq!(bytes, 2 * PAGE);
            let words = buffer.words.words();
            assert_eq!(words[5].load(Ordering::Relaxed), 23);
            words[(bytes / 4) as usize - 1].store(42, Ordering::Relaxed);
            node.close_buffer(buffer.handle);
        }
        "fence" => {
            let sync = node.create_sync(false).expect("a sync object");
            node.import_fence(sync, stdin.as_fd()).expect("imported");
            let point = SyncPoint { handle: sync, value: None };
            node.wait(&[point], WaitFor::All, 0).expect("signalled");
        }
        "frames" => write_frames(),
        "reader" => read_frames(),
        _ => {
            assert!(matches!(node.import_buffer(stdin.as_fd()), Err(Error::ExternalHandle)));
            let sync = node.import_sync(stdin.as_fd()).expect("imported");
            node.wait(&[SyncPoint { handle: sync, value: None }], WaitFor::All, 0).expect("signalled");
        }
    }
}

fn start_second(role: &str, descriptor: OwnedFd) -> Result<(), IoError> {
    let program = std::env::current_exe()?;
    let status = Command::new(program).env(ROLE, role).stdin(Stdio::from(descriptor)).status()?;
    assert!(status.success(), "{role}");
    Ok(())
}

fn main() -> ExitCode {
    if let Ok(role) = std::env::var(ROLE) {
        second(&role);
        return ExitCode::SUCCESS;
    }
    let tests = vec![
        Trial::test("processes_share_a_buffer", || Ok(share_a_buffer()?)),
        Trial::test("processes_share_a_fence", || Ok(share_a_fence()?)),
        Trial::test("processes_share_frames_that_are_whole", || Ok(share_frames()?)),
        Trial::test("buffers_are_mapped_where_the_application_likes", || Ok(place_a_buffer()?)),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn share_a_buffer() -> Result<(), IoError> {
    let node = node();
    assert_eq!(agx_node::find(), Some([226, 128]));
    let buffer = node.create_buffer(2 * PAGE).expect("a buffer");
    buffer.words.words()[5].store(23, Ordering::Relaxed);
    let descriptor = node.export_buffer(buffer.handle).expect("a descriptor");
    start_second("buffer", descriptor.try_clone()?)?;
    let last = buffer.words.words().last().map(|word| word.load(Ordering::Relaxed));
    assert_eq!(last, Some(42));
    // The kernel gives the same handle again, which is open until its last owner closes it.
    let (again, _) = node.import_buffer(descriptor.as_fd()).expect("imported");
    assert_eq!(again.handle, buffer.handle);
    node.close_buffer(buffer.handle);
    node.bind(again.handle, 0, agx_driver::gpu::HIGH[0], 2 * PAGE).expect("the buffer is open");
    // Another open node has the handle too, and closes only its own.
    let other = self::node();
    let (third, _) = other.import_buffer(descriptor.as_fd()).expect("imported");
    assert_eq!(third.handle, again.handle);
    other.close_buffer(third.handle);
    node.bind(again.handle, 0, agx_driver::gpu::HIGH[0], 2 * PAGE).expect("the buffer is open");
    node.close_buffer(again.handle);
    assert!(node.bind(again.handle, 0, agx_driver::gpu::HIGH[0], 2 * PAGE).is_err(), "it is closed");
    Ok(())
}

fn share_a_fence() -> Result<(), IoError> {
    let node = node();
    let sync = node.create_sync(true).expect("a sync object");
    start_second("fence", node.export_fence(sync).expect("a descriptor"))?;
    start_second("sync", node.export_sync(sync).expect("a descriptor"))?;
    let null = std::fs::File::open("/dev/null")?;
    assert!(matches!(node.import_buffer(null.as_fd()), Err(Error::ExternalHandle)));
    Ok(())
}

fn place_a_buffer() -> Result<(), IoError> {
    let node = node();
    let buffer = node.create_buffer(2 * PAGE).expect("a buffer");
    let word = |at: usize| buffer.words.words()[at].load(Ordering::Relaxed);
    let (file, offset) = node.file(buffer.handle).expect("the call works").expect("it has a file");
    // Pages that belong to this function, of which the second is for the buffer.
    let page = PAGE as usize;
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let first = unsafe { mmap_anonymous(std::ptr::null_mut(), 3 * page, access, MapFlags::PRIVATE) }?;
    let second = first.wrapping_byte_add(page);
    let at = |byte: usize| first.wrapping_byte_add(byte).cast::<AtomicU32>();
    // SAFETY: the pages belong to this function.
    let placed = unsafe { Placed::new(file, offset, page, second) }?;
    for byte in [0, page, 2 * page] {
        // SAFETY: the address is in the pages, which can be written.
        unsafe { (*at(byte)).store(7 + byte as u32, Ordering::Relaxed) };
    }
    assert_eq!([word(0), word(page / 4)], [7 + page as u32, 0], "only its first page is mapped");
    // SAFETY: as above.
    let inner = unsafe { Placed::new(file, offset + PAGE, page, second) };
    assert!(inner.is_err(), "the kernel maps buffers from their start");
    placed.reserve().map_err(|(_, errno)| errno)?;
    // SAFETY: as above.
    let around = [0, 2 * page].map(|byte| unsafe { (*at(byte)).load(Ordering::Relaxed) });
    assert_eq!(around, [7, 7 + 2 * page as u32], "the pages around it stay");
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let reserved = format!("{:x}-{:x} ---p", second.addr(), second.addr() + page);
    assert!(maps.contains(&reserved), "{reserved} in {maps}");
    // SAFETY: as above.
    drop(unsafe { Placed::new(file, offset, page, second) }?);
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    assert!(!maps.contains(&format!("{:x}-", second.addr())), "{maps}");
    node.close_buffer(buffer.handle);
    // SAFETY: the pages belong to this function, which uses them no longer.
    Ok(unsafe { munmap(first, 3 * page) }?)
}

/// Frames that are written, and the buffers that take turns.
const FRAMES: u32 = if cfg!(feature = "stress") { 10_000 } else { 2000 };
const BUFFERS: usize = 2;
/// Bytes of a frame.
const FRAME: u64 = PAGE;

/// A process whose device works in a thread of its own writes frames, and starts another that reads them.
fn share_frames() -> Result<(), IoError> {
    let program = std::env::current_exe()?;
    let status = Command::new(program).env(ROLE, "frames").env("AGX_DEVICE_ASYNC", "3").status()?;
    assert!(status.success());
    Ok(())
}

/// Sends a number.
fn say(mut channel: &UnixStream, number: u32) {
    channel.write_all(&number.to_le_bytes()).expect("the other process listens");
}

/// The next number from the other process.
fn hear(mut channel: &UnixStream) -> u32 {
    let mut bytes = [0; 4];
    channel.read_exact(&mut bytes).expect("the other process speaks");
    u32::from_le_bytes(bytes)
}

/// Fills a buffer with the number of each frame, and adds the fence of the work to the buffer.
fn write_frames() {
    let device = Device::new(Box::new(node()), Enabled::default()).expect("a device");
    let memory = [(); BUFFERS].map(|()| Arc::new(device.space.allocate(FRAME, Place::High).expect("memory")));
    let files = [0, 1].map(|at: usize| memory[at].export().expect("a descriptor"));
    let (near, far) = UnixStream::pair().expect("sockets");
    let [first, second] = files.each_ref().map(|file| file.try_clone().expect("a copy"));
    let program = std::env::current_exe().expect("a name");
    let mut reader = Command::new(program)
        .env(ROLE, "reader")
        .env_remove("AGX_DEVICE_ASYNC")
        .stdin(Stdio::from(first))
        .stdout(Stdio::from(second))
        .stderr(Stdio::from(OwnedFd::from(far)))
        .spawn()
        .expect("it starts");
    let done = Sync::binary(&device.space, false).expect("a semaphore");
    let gpu = device.space.gpu();
    for frame in 1..=FRAMES {
        let at = frame as usize % BUFFERS;
        if frame > BUFFERS as u32 {
            assert_eq!(hear(&near), frame - BUFFERS as u32, "the reader is done with the buffer");
        }
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        let address = memory[at].address;
        commands.record(move |recorder| recorder.fill_memory(address, FRAME, frame));
        commands.end().expect("records");
        let mut submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
        submission.signal(&done, 0);
        device.queue.submit(vec![submission]).expect("submitted");
        if let Some(fence) = done.export_semaphore_fence().expect("exported") {
            gpu.add_buffer_fence(files[at].as_fd(), fence.as_fd()).expect("added");
        }
        say(&near, frame);
    }
    assert!(reader.wait().expect("it ends").success());
    let null = std::fs::File::open("/dev/null").expect("a file");
    assert!(
        gpu.buffer_fence(null.as_fd()).is_err() && gpu.add_buffer_fence(null.as_fd(), null.as_fd()).is_err()
    );
}

/// Waits for the fences of a buffer and reads it, for every frame.
fn read_frames() {
    let node = node();
    // The standard streams are the buffers, and the channel to the writer.
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let files = [stdin.as_fd(), stdout.as_fd()];
    let channel = UnixStream::from(stderr.as_fd().try_clone_to_owned().expect("a copy"));
    let buffers = files.map(|file| node.import_buffer(file).expect("imported").0);
    let sync = node.create_sync(false).expect("a sync object");
    let mut torn = 0;
    for frame in 1..=FRAMES {
        assert_eq!(hear(&channel), frame);
        let at = frame as usize % BUFFERS;
        let fence = node.buffer_fence(files[at]).expect("a fence");
        node.import_fence(sync, fence.as_fd()).expect("imported");
        node.wait(&[SyncPoint { handle: sync, value: None }], WaitFor::All, u64::MAX).expect("signalled");
        let words = buffers[at].words.words();
        torn += u32::from(words.iter().any(|word| word.load(Ordering::Relaxed) != frame));
        // The last frames have no answer that is heard.
        if frame <= FRAMES - BUFFERS as u32 {
            say(&channel, frame);
        }
    }
    assert_eq!(torn, 0, "torn frames");
}

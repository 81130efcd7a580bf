//! Buffers and fences that two processes share through the node that the preloaded library shows; the library is linked here.
//! A descriptor reaches the second process as its standard input.

use std::ffi::{c_int, c_ulong, c_void};
use std::io::Error as IoError;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use agx_driver::Error;
use agx_driver::gpu::{Gpu, PAGE, SyncPoint, WaitFor};
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
        // Each process has a kernel of its own.
        _ => assert!(matches!(node.import_sync(stdin.as_fd()), Err(Error::ExternalHandle))),
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
    node.bind(again.handle, agx_driver::gpu::HIGH[0], 2 * PAGE).expect("the buffer is open");
    // Another open node has the handle too, and closes only its own.
    let other = self::node();
    let (third, _) = other.import_buffer(descriptor.as_fd()).expect("imported");
    assert_eq!(third.handle, again.handle);
    other.close_buffer(third.handle);
    node.bind(again.handle, agx_driver::gpu::HIGH[0], 2 * PAGE).expect("the buffer is open");
    node.close_buffer(again.handle);
    assert!(node.bind(again.handle, agx_driver::gpu::HIGH[0], 2 * PAGE).is_err(), "it is closed");
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

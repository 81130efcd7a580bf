//! Swapchains in windows of a compositor and of an X server of the tests' own: the device is the node that the preloaded library
//! shows, and the library is linked here.

mod compositor;
mod pixels;
mod server;
mod wayland;
mod x11;

use std::ffi::{c_int, c_ulong, c_void};
use std::os::fd::AsFd as _;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Level};
use agx_driver::device::{Device, Enabled};
use agx_driver::queue::Submission;
use agx_driver::surface::Surface;
use agx_driver::swapchain::{Present, Swapchain, SwapchainInfo};
use agx_driver::sync::Sync;
use ash::vk;
use libtest_mimic::{Arguments, Trial};

/// The variable that makes the device work in a thread of its own, as hardware does.
const ASYNC: &str = "AGX_DEVICE_ASYNC";

fn main() -> ExitCode {
    if std::env::var_os(ASYNC).is_none() {
        // The library reads its variables when the node is opened.
        let program = std::env::current_exe().expect("a name");
        let status = Command::new(program).args(std::env::args_os().skip(1)).env(ASYNC, "5").status();
        return if status.is_ok_and(|status| status.success()) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let trial = |(name, run): &(&str, fn())| {
        let run = *run;
        Trial::test(*name, move || {
            run();
            Ok(())
        })
    };
    let tests = wayland::TESTS.iter().chain(x11::TESTS).map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// Keeps the library's functions in the program.
#[used]
static LINKED: unsafe extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int = agx_device_shim::ioctl;

fn device() -> Arc<Device> {
    let node = agx_node::open().expect("the library shows a node").expect("it opens");
    Device::new(Box::new(node), Enabled::default()).expect("a device")
}

/// Not a whole number of tiles.
const SIZE: [u32; 2] = [100, 70];

/// So many pixels that the device is slower than whoever looks at them.
const LARGE: [u32; 2] = [250, 200];

fn info(mode: vk::PresentModeKHR) -> SwapchainInfo {
    SwapchainInfo {
        images: 3,
        format: vk::Format::B8G8R8A8_UNORM,
        size: SIZE,
        layers: 1,
        usage: vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_DST,
        opaque: true,
        mode,
    }
}

/// Shows a frame of one colour, which the device writes; the work is over when the window system has the frame.
fn show(device: &Arc<Device>, swapchain: &Swapchain, colour: u32, id: u64) -> Result<(), Error> {
    show_later(device, swapchain, colour, id).map(drop)
}

/// Shows a frame of one colour by the commands, which are needed until the device has written it.
fn show_later(
    device: &Arc<Device>,
    swapchain: &Swapchain,
    colour: u32,
    id: u64,
) -> Result<CommandBuffer, Error> {
    let acquired = swapchain.acquire(u64::MAX)?;
    let memory = swapchain.memory(acquired.number).expect("an image").clone();
    let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
    commands.begin();
    let (address, bytes) = (memory.address, memory.bytes);
    commands.record(move |recorder| recorder.fill_memory(address, bytes, colour));
    commands.end()?;
    let mut submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
    let free = Sync::binary(&device.space, false)?;
    if let Some(fence) = &acquired.fence {
        free.import_fence(Some(fence.as_fd()))?;
        submission.wait(&free, 0);
    }
    swapchain.present(acquired.number, Present { submission, id, ..Present::default() })?;
    Ok(commands)
}

fn swapchain(device: &Arc<Device>, surface: &Arc<dyn Surface>, mode: vk::PresentModeKHR) -> Swapchain {
    Swapchain::new(device, surface.clone(), &info(mode)).expect("a swapchain")
}

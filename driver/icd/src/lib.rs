//! The entry points of `agx-driver` for the Vulkan loader.
//!
//! `generated` has an entry point for every command, generated from the Vulkan registry by `examples/generate.rs`. It
//! converts handles, pointers and counts to references and slices and calls the function of the same name in `calls`,
//! which translates structures to those of `agx-driver`. Only this crate reads environment variables:
//!
//! | variable | meaning |
//! |---|---|
//! | `AGX_DRIVER` | `node`, `device` or `auto`: the door to the kernel |
//! | `AGX_DEVICE_ASYNC` | a seed: a device in process runs submissions on its own thread |
//! | `AGX_DEVICE_CHIP` | the chip that a device in process presents |
//! | `AGX_DEVICE_INTERRUPT` | number of draws after which a device in process interrupts every render pass |
//! | `AGX_DEVICE_PARAMETER_BYTES` | bytes of its parameter buffer; render passes are interrupted when it is full |
//! | `AGX_DEVICE_SEED` | a seed for undefined values and the order of tiles |
//! | `AGX_DEVICE_REPORT` | file to append errors and findings of the device to; by default errors are written to standard error |
//! | `AGX_DEVICE_TRACE` | file for a listing of every submission |
//! | `AGX_DEVICE_RECORD` | file for a recording of all submissions, written after each |
//! | `AGX_DEVICE_SHADERS` | folder for the shader modules of the application |
//! | `AGX_DEVICE_STATISTICS` | file for launches, draws, instructions, lane instructions and cycles per program, written at the end |
//! | `AGX_DEVICE_STRICT` | `yes` to report errors that hardware ignores silently |
//! | `AGX_CONFORMANCE_VERSION` | conformance version to report, for example `1.3.0.0`; by default none |
//! | `AGX_DEVICE_THREADS` | threads that share the work of a launch or draw if `AGX_DEVICE_STRICT` is not `yes`; by default all |

mod calls;
mod environment;
mod few;
mod generated;
mod handles;
mod newer;
mod objects;
mod pointers;

use std::ffi::{CStr, c_char};

use ash::vk;

pub(crate) use environment::{keep_module, report};
use generated::First;

/// Version of the interface between loader and driver.
const INTERFACE: u32 = 5;

/// Negotiates the version of the interface with the loader.
///
/// # Safety
/// The loader passes a pointer to a number.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    // SAFETY: the caller's promise.
    let version = unsafe { &mut *version };
    if *version < 2 {
        return vk::Result::ERROR_INCOMPATIBLE_DRIVER;
    }
    *version = (*version).min(INTERFACE);
    vk::Result::SUCCESS
}

/// The entry point with a name.
///
/// # Safety
/// The loader passes a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    _: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    generated::find(name.to_str().ok()?).map(|command| command.function)
}

/// The entry point of a command on physical devices.
///
/// # Safety
/// The loader passes a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    _: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    let command = generated::find(name.to_str().ok()?)?;
    (command.first == First::PhysicalDevice).then_some(command.function)
}

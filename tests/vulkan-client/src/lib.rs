//! Runs programs through a Vulkan driver. A program is a [`Request`]; `request` describes their words.
//!
//! The binary runs a file of them, and the kit for hardware (`kit/`) links this library.

pub mod binaries;
pub mod compute;
pub mod condition;
pub mod device;
pub mod draw;
pub mod generated;
pub mod image;
pub mod objects;
pub mod passes;
pub mod pipeline;
#[cfg(feature = "loaded")]
pub mod recording;
pub mod request;
pub mod structures;
pub mod subpass;
pub mod transfer;
pub mod ycbcr;

use device::Device;
use request::Request;

/// The reason why a program could not be run.
pub type Error = Box<dyn std::error::Error>;

/// Runs a program; returns the bytes of its result.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn run(device: &Device, request: &Request) -> Result<Vec<u8>, Error> {
    match request.word("kind")? {
        "compute" => compute::run(device, request),
        "draw" => draw::run(device, request),
        "passes" => passes::run(device, request),
        "subpass" => subpass::run(device, request),
        "transfer" => transfer::run(device, request),
        other => Err(format!(
            "unknown kind `{other}`; expected `compute`, `draw`, `passes`, `subpass` or `transfer`"
        )
        .into()),
    }
}

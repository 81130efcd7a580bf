//! Runs one compute shader, or with the argument `draw` one draw, on the Vulkan device of type CPU, and prints the
//! resulting contents of its buffers.
//!
//! Standard input is a [`request::Request`] in binary form; standard output has the contents of its buffers in order.
//! On failure nothing is printed, the reason is written to standard error and the exit code is 1.

mod device;
mod draw;
mod images;
mod pipeline;
mod request;

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use device::Device;
use request::Request;

/// An error, for a person to read.
pub type Error = Box<dyn std::error::Error>;

fn run() -> Result<(), Error> {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    if std::env::args().nth(1).as_deref() == Some("draw") {
        let request = draw::Draw::parse(&input).ok_or("the request is cut short")?;
        let pixels = draw::run(&Device::open()?, &request)?;
        return Ok(std::io::stdout().lock().write_all(&pixels)?);
    }
    let request = Request::parse(&input).ok_or("the request is cut short")?;
    let device = Device::open()?;
    let results = pipeline::run(&device, &request)?;
    let mut output = std::io::stdout().lock();
    for bytes in results {
        output.write_all(&bytes)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

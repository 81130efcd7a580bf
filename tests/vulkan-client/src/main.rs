//! Runs every program of a request file through the first Vulkan device and writes the result of each to a folder:
//! `NAME.bin`, or `NAME.err` with the reason. A program is a block of lines of words, from `case` to `end`;
//! `request.rs` describes them. `recording` makes calls whose cost is counted.

use std::path::Path;
use std::process::ExitCode;

use vulkan_client::device::{Device, Special};
use vulkan_client::request::{self, Request};
use vulkan_client::{Error, recording, run};

fn all(requests: &Path, folder: &Path) -> Result<(), Error> {
    let text = std::fs::read_to_string(requests)?;
    let requests = request::parse(&text)?;
    let is_custom = |words: &[String]| words.iter().any(|word| word.starts_with("custom:"));
    let borders = requests.iter().any(|request| request.all("sampler").any(|words| is_custom(words)));
    let device = Device::open(Special { borders, nulls: false })?;
    // A device of its own: the others keep the programs of devices without null descriptors.
    let is_special = |request: &Request| request.has("null") || request.has("robust");
    let nulls = requests
        .iter()
        .any(is_special)
        .then(|| Device::open(Special { borders, nulls: true }))
        .transpose()?;
    for request in requests {
        let device = nulls.as_ref().filter(|_| is_special(&request)).unwrap_or(&device);
        let outcome = run(device, &request);
        let (extension, bytes) = match outcome {
            Ok(bytes) => ("bin", bytes),
            Err(error) => ("err", error.to_string().into_bytes()),
        };
        std::fs::write(folder.join(format!("{}.{extension}", request.name)), bytes)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["recording-memory", folder] => recording::memory(Path::new(folder)),
        ["recording-frame", folder, filter] => recording::frame(Path::new(folder), filter),
        ["recording", folder, filter] => recording::run(Path::new(folder), filter),
        [requests, folder] => all(Path::new(requests), Path::new(folder)),
        _ => {
            eprintln!("usage: vulkan-client REQUESTS FOLDER\n       vulkan-client recording SHADERS FILTER");
            eprintln!(
                "       vulkan-client recording-frame SHADERS FILTER\n       vulkan-client recording-memory SHADERS"
            );
            return ExitCode::from(64);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vulkan-client: {error}");
            ExitCode::FAILURE
        }
    }
}

//! Measures an empty submission, a compute command with an empty stream, through the kernel interface in process.
//!
//! `submission` measures; `submission ROUNDS` submits this number of times. Host instructions are counted if valgrind
//! is installed.

#![expect(clippy::print_stdout, reason = "a measurement is for the terminal")]

use std::process::Command;
use std::time::Instant;

use agx_abi::record::{command_header, compute_command, compute_terminate};
use agx_device::Settings;
use agx_device::kernel::Chip;
use agx_driver::Error;
use agx_driver::gpu::{Gpu, InProcess, Outputs, PAGE};
use agx_driver::memory::{Place, Space};

/// Number of timed rounds, and of rounds that valgrind counts.
const TIMED: u32 = 100_000;
const COUNTED: u32 = 200;

/// Submits the command this number of times.
fn run(rounds: u32) -> Result<(), Error> {
    let outputs = Outputs {
        report: Box::new(|finding| println!("{finding}")),
        trace: None,
        statistics: None,
        recording: None,
    };
    let gpu: Box<dyn Gpu> = Box::new(InProcess::open(Chip::default(), Settings::default(), || 1, outputs)?);
    let space = std::sync::Arc::new(Space::new(gpu));
    let memory = space.allocate(PAGE, Place::Low)?;
    let terminate = compute_terminate::new().bytes();
    memory.write(0, &terminate);
    let end = memory.address + terminate.len() as u64;
    let stream = [(compute_command::STREAM, memory.address), (compute_command::STREAM_END, end)];
    let command = compute_command::RECORD.build_raw(&stream);
    let size = command.len() as u64;
    let header = command_header::RECORD.build_raw(&[(command_header::TYPE, 1), (command_header::SIZE, size)]);
    let commands = [header, command].concat();
    (0..rounds).try_for_each(|_| space.gpu().submit(&commands, &[], [&[], &[]]))
}

/// Host instructions of a run of this program, if valgrind is installed.
fn host_instructions(rounds: u32) -> Option<u64> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .arg(rounds.to_string())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("Collected : "))?;
    line.rsplit(' ').next()?.trim().parse().ok()
}

fn main() -> Result<(), Error> {
    if let Some(rounds) = std::env::args().nth(1).and_then(|text| text.parse().ok()) {
        return run(rounds);
    }
    let start = Instant::now();
    run(TIMED)?;
    let nanoseconds = start.elapsed().as_nanos() / u128::from(TIMED);
    let counted = [COUNTED, 2 * COUNTED].map(host_instructions);
    let host = match counted {
        [Some(once), Some(twice)] => format!("{} host instructions", (twice - once) / u64::from(COUNTED)),
        _ => String::from("host instructions not counted: valgrind is not installed"),
    };
    println!("an empty submission: {nanoseconds} ns, {host}");
    Ok(())
}

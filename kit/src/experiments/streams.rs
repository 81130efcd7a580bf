//! Level 1: submissions and control streams, without programs.

use std::sync::Arc;

use agx_abi::record::{Field, command_header, compute_command, compute_link, compute_terminate};
use agx_driver::gpu::{Gpu, PAGE, SHADER_BASE, SyncPoint, WaitFor};

use super::{Row, Run};
use crate::Problem;
use crate::lab::{Kernel, Lab};

/// The experiments.
pub(super) const ROWS: &[Row] = &[
    Row {
        number: 3,
        name: "empty",
        level: 1,
        asks: "Does a compute stream without launches run, and does it signal and write its times?",
        does: "submits an empty compute stream with timestamps",
        decides: &[
            "the end of a compute stream is after its last record",
            "a command writes its times at its start and end",
        ],
        run: Run::Kernel(empty),
    },
    Row {
        number: 5,
        name: "links",
        level: 1,
        asks: "Does a compute stream continue in another place, and may it end at the end of mapped memory?",
        does: "submits compute streams that only link and end",
        decides: &["streams link, and compute streams are not read ahead"],
        run: Run::Kernel(links),
    },
];

/// A buffer with an address.
struct Place {
    handle: u32,
    words: Arc<dyn agx_device::words::Words>,
    address: u64,
}

impl Place {
    fn new(gpu: &dyn Gpu, address: u64, bytes: u64) -> Result<Place, Problem> {
        let buffer = gpu.create_buffer(bytes)?;
        gpu.bind(buffer.handle, 0, address, bytes)?;
        Ok(Place { handle: buffer.handle, words: buffer.words, address })
    }

    /// Writes bytes, a multiple of four, and returns their address.
    fn write(&self, at: u64, bytes: &[u8]) -> u64 {
        let places = self.words.words().iter().skip((at / 4) as usize);
        for (place, word) in places.zip(bytes.as_chunks::<4>().0) {
            place.store(u32::from_le_bytes(*word), std::sync::atomic::Ordering::Relaxed);
        }
        self.address + at
    }

    /// A number at a byte.
    fn long(&self, at: u64) -> u64 {
        let word = |at: u64| {
            let place = self.words.words().get((at / 4) as usize);
            place.map_or(0, |place| u64::from(place.load(std::sync::atomic::Ordering::Acquire)))
        };
        word(at) | word(at + 4) << 32
    }
}

/// Nanoseconds that are enough.
const LONG: u64 = 3_000_000_000;

/// Submits a compute stream, waits, and tells whether it is complete.
fn submit(gpu: &dyn Gpu, fields: &[(Field, u64)]) -> Result<bool, Problem> {
    match run(gpu, fields)? {
        (_, Some(sentence)) => Err(sentence.into()),
        (complete, None) => Ok(complete),
    }
}

/// Submits a compute stream and waits; returns whether it is complete, and what the kernel says about its end.
fn run(gpu: &dyn Gpu, fields: &[(Field, u64)]) -> Result<(bool, Option<String>), Problem> {
    let command = compute_command::RECORD.build_raw(fields);
    let header = command_header::RECORD
        .build_raw(&[(command_header::TYPE, 1), (command_header::SIZE, command.len() as u64)]);
    let done = SyncPoint { handle: gpu.create_sync(false)?, value: None };
    gpu.submit(&[header, command].concat(), &[], [&[done], &[]])?;
    let waited = gpu.wait(&[done], WaitFor::All, LONG);
    let failed = gpu.fault(done.handle);
    gpu.destroy_sync(done.handle);
    Ok((waited.is_ok(), failed))
}

/// Where streams are.
const STREAMS: u64 = SHADER_BASE + 0x10_0000;

fn empty(kernel: &dyn Kernel, lab: &mut Lab) -> Result<(), Problem> {
    let gpu = kernel.gpu();
    let streams = Place::new(gpu, STREAMS, PAGE)?;
    let times = gpu.create_buffer(PAGE)?;
    let object = gpu.bind_times(times.handle, PAGE)?;
    let terminate = compute_terminate::new().bytes();
    let start = streams.write(0, &terminate);
    let fields = [
        (compute_command::STREAM, start),
        (compute_command::STREAM_END, start + terminate.len() as u64),
        (compute_command::TIME_START, object.into()),
        (compute_command::TIME_END, object.into()),
        (compute_command::TIME_END_OFFSET, 8),
    ];
    let before = gpu.time();
    lab.number("complete", submit(gpu, &fields)?.into());
    let after = gpu.time();
    let times = Place { handle: times.handle, words: times.words, address: 0 };
    let [first, last] = [times.long(0), times.long(8)];
    lab.note("times", &format!("{before} {first} {last} {after}"));
    lab.number("times-in-order", u64::from(before <= first && first < last && last <= after));
    gpu.unbind_times(object);
    gpu.close_buffer(times.handle);
    gpu.close_buffer(streams.handle);
    Ok(())
}

fn links(kernel: &dyn Kernel, lab: &mut Lab) -> Result<(), Problem> {
    let gpu = kernel.gpu();
    let streams = Place::new(gpu, STREAMS, 2 * PAGE)?;
    let terminate = compute_terminate::new().bytes();
    // Nothing is mapped behind the last record.
    let last = streams.write(2 * PAGE - terminate.len() as u64, &terminate);
    let far = streams.write(PAGE + 256, &link(last));
    let first = streams.write(0, &link(far));
    for (name, start) in [("linked", first), ("at-the-end-of-memory", last)] {
        let end = start + terminate.len() as u64;
        let fields = [(compute_command::STREAM, start), (compute_command::STREAM_END, end)];
        lab.number(name, submit(gpu, &fields)?.into());
    }
    gpu.close_buffer(streams.handle);
    Ok(())
}

/// A record that continues the stream at an address.
fn link(to: u64) -> Vec<u8> {
    let high = to >> 32 & 0xff;
    compute_link::new()
        .set(&compute_link::TARGET_HIGH, high)
        .set(&compute_link::TARGET_LOW, to & 0xffff_ffff)
        .bytes()
        .to_vec()
}

/// An empty stream after a fault.
pub(super) fn again(kernel: &dyn Kernel, lab: &mut Lab) -> Result<(), Problem> {
    let gpu = kernel.gpu();
    let streams = Place::new(gpu, STREAMS, PAGE)?;
    let terminate = compute_terminate::new().bytes();
    let start = streams.write(0, &terminate);
    let end = start + terminate.len() as u64;
    let fields = [(compute_command::STREAM, start), (compute_command::STREAM_END, end)];
    // The machine tells of the first fault of a queue for ever.
    let (runs, _) = run(gpu, &fields)?;
    lab.number("the-queue-still-runs", runs.into());
    gpu.close_buffer(streams.handle);
    Ok(())
}

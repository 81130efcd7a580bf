//! The table of calls: numbers, names, and implementations.

mod memory;
mod sync;

use super::address_space::{KERNEL_BYTES, RANGE};
use super::commands::{MAX_ATTACHMENTS, MAX_COMMANDS};
use super::{Answer, Errno, Kernel, Queue, User};
use crate::record::{Record, get_params, get_time, queue_create, queue_destroy, set_bits};
use crate::settings::Deviation;

type Run = fn(&mut Kernel, &mut [u8], &mut dyn User) -> Result<Answer, Errno>;

/// A call.
pub(super) struct Call {
    number: u8,
    pub(super) name: &'static str,
    pub(super) run: Run,
}

/// Calls by the low byte of their request; those of the driver start at 0x40.
const CALLS: &[Call] = &[
    Call { number: 0x00, name: "version", run: version },
    Call { number: 0x09, name: "gem close", run: memory::close_buffer },
    Call { number: 0x0c, name: "get cap", run: get_cap },
    Call { number: 0x0d, name: "set client cap", run: |_, _, _| Ok(Answer::Done) },
    Call { number: 0x40, name: "get params", run: params },
    Call { number: 0x41, name: "get time", run: time },
    Call { number: 0x42, name: "vm create", run: memory::create_space },
    Call { number: 0x43, name: "vm destroy", run: memory::destroy_space },
    Call { number: 0x44, name: "vm bind", run: memory::bind },
    Call { number: 0x45, name: "gem create", run: memory::create_buffer },
    Call { number: 0x46, name: "gem mmap offset", run: memory::mmap_offset },
    Call { number: 0x47, name: "gem bind object", run: memory::bind_object },
    Call { number: 0x48, name: "queue create", run: create_queue },
    Call { number: 0x49, name: "queue destroy", run: destroy_queue },
    Call { number: 0x4a, name: "submit", run: super::submit::submit },
    Call { number: 0xbf, name: "syncobj create", run: sync::create },
    Call { number: 0xc0, name: "syncobj destroy", run: sync::destroy },
    Call { number: 0xc3, name: "syncobj wait", run: sync::wait_binary },
    Call { number: 0xc4, name: "syncobj reset", run: sync::reset },
    Call { number: 0xc5, name: "syncobj signal", run: sync::signal },
    Call { number: 0xca, name: "syncobj timeline wait", run: sync::wait_timeline },
    Call { number: 0xcb, name: "syncobj query", run: sync::query },
    Call { number: 0xcc, name: "syncobj transfer", run: sync::transfer },
    Call { number: 0xcd, name: "syncobj timeline signal", run: sync::signal_timeline },
];

/// The call of a number.
pub(super) fn find(number: u8) -> Option<&'static Call> {
    CALLS.iter().find(|call| call.number == number)
}

/// A field of an argument, by its first byte and its length in bytes.
fn get(argument: &[u8], byte: u32, bytes: u32) -> u64 {
    crate::record::bits(argument, byte.saturating_mul(8), bytes.saturating_mul(8))
}

fn put(argument: &mut [u8], byte: u32, bytes: u32, value: u64) {
    set_bits(argument, byte.saturating_mul(8), bytes.saturating_mul(8), value);
}

/// Checks that reserved fields are zero.
pub(super) fn checked<'a>(argument: &'a [u8], record: &Record) -> Result<&'a [u8], Errno> {
    let wrong = record.fields.iter().any(|field| match field.kind {
        crate::record::Kind::Exactly(value) => field.raw(argument) != value,
        _ => false,
    });
    if wrong { Err(Errno::INVALID) } else { Ok(argument) }
}

fn version(_: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    put(argument, 0, 4, 1);
    let texts =
        [([16, 24], "asahi"), ([32, 40], "20250101"), ([48, 56], "Apple AGX GPU on a reference machine")];
    for ([size, pointer], text) in texts {
        let (room, place) = (get(argument, size, 8) as usize, get(argument, pointer, 8));
        let shown = text.as_bytes().get(..room).unwrap_or(text.as_bytes());
        if place != 0 && !shown.is_empty() {
            user.write(place, shown)?;
        }
        put(argument, size, 8, text.len() as u64);
    }
    Ok(Answer::Done)
}

/// Capabilities of the DRM framework: number, value.
const CAPABILITIES: [(u64, u64); 4] = [(0x5, 3), (0x6, 1), (0x13, 1), (0x14, 1)];

fn get_cap(_: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    let asked = get(argument, 0, 8);
    let value = CAPABILITIES.iter().find(|(number, _)| *number == asked).map_or(0, |(_, value)| *value);
    put(argument, 8, 8, value);
    Ok(Answer::Done)
}

/// Bytes of the parameters, and the offset of the core masks in them.
const PARAMETERS: usize = 592;
const CORE_MASKS: u32 = 40;

/// Clock of the cores in kHz that the kernel reports for every chip.
const FREQUENCY: u64 = 1_000_000;

fn parameter_bytes(kernel: &Kernel) -> Vec<u8> {
    let mut bytes = vec![0; PARAMETERS];
    let model = kernel.chip.model;
    let values: [(u32, u32, u64); 15] = [
        (0, 8, kernel.chip.soft_faults.into()),
        (8, 4, model.generation.into()),
        (12, 4, u64::from(model.variant as u32)),
        (16, 4, model.revision.into()),
        (20, 4, model.id.into()),
        (24, 4, model.dies.into()),
        (28, 4, model.core_masks.len() as u64),
        (32, 4, model.cores_per_cluster.into()),
        (36, 4, FREQUENCY),
        (552, 8, RANGE[0]),
        (560, 8, RANGE[1]),
        (568, 8, KERNEL_BYTES),
        (576, 4, MAX_COMMANDS as u64),
        (580, 4, MAX_ATTACHMENTS as u64),
        (584, 8, 1_000_000_000),
    ];
    for (at, len, value) in values {
        put(&mut bytes, at, len, value);
    }
    for (mask, cluster) in model.core_masks.iter().zip(0_u32..) {
        put(&mut bytes, cluster.saturating_mul(8).saturating_add(CORE_MASKS), 8, *mask);
    }
    bytes
}

fn params(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &get_params::RECORD)?;
    let bytes = parameter_bytes(kernel);
    let shown = bytes.get(..get_params::SIZE.get(argument) as usize).unwrap_or(&bytes);
    user.write(get_params::POINTER.get(argument), shown)?;
    Ok(Answer::Done)
}

fn time(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &get_time::RECORD)?;
    let ahead = match kernel.settings.difference {
        Some(Deviation::Clock) => 1_000_000_000,
        _ => 0,
    };
    get_time::TIMESTAMP.set_raw(argument, (kernel.clock)().saturating_add(ahead));
    Ok(Answer::Done)
}

/// Highest priority of an unprivileged queue, medium.
const MAX_PRIORITY: u64 = 1;

fn create_queue(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &queue_create::RECORD)?;
    if queue_create::PRIORITY.get(argument) > MAX_PRIORITY {
        return Err(Errno::INVALID);
    }
    let queue = Queue {
        vm: queue_create::VM.get(argument) as u32,
        shader_base: queue_create::SHADER_BASE.get(argument),
    };
    kernel.tables.spaces.get(queue.vm)?;
    let handle = kernel.tables.queues.insert(queue);
    queue_create::QUEUE.set_raw(argument, handle.into());
    Ok(Answer::Done)
}

fn destroy_queue(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &queue_destroy::RECORD)?;
    let queue = queue_destroy::QUEUE.get(argument) as u32;
    kernel.tables.queues.remove(queue)?;
    kernel.log.faults.remove(&queue);
    Ok(Answer::Done)
}

//! Level 0: what the kernel tells, and which calls it refuses.

use agx_abi::record::{bind_op, gem_create, get_params, queue_create, vm_bind, vm_create};
use agx_driver::gpu::{Gpu, Memory, PAGE, SyncPoint, WaitFor, number};

use super::{Row, Run};
use crate::Problem;
use crate::lab::{Kernel, Lab, now};

/// The experiments.
pub(super) const ROWS: &[Row] = &[
    Row {
        number: 1,
        name: "chip",
        level: 0,
        asks: "Which chip is it, and does the kernel describe it as the device does?",
        does: "reads the parameters and the time",
        decides: &["the parameters of the chips", "timestamps count nanoseconds of the monotonic clock"],
        run: Run::Kernel(chip),
    },
    Row {
        number: 2,
        name: "calls",
        level: 0,
        asks: "Which calls does the kernel refuse, and with which errors?",
        does: "creates and removes buffers, address spaces, queues and sync objects",
        decides: &["the emulated kernel refuses what the kernel refuses"],
        run: Run::Kernel(calls),
    },
];

/// Places of the parameters in their structure: name, byte, bytes, and whether the machine knows the value.
const PARAMETERS: [(&str, usize, usize, bool); 14] = [
    ("features", 0, 8, false),
    ("generation", 8, 4, true),
    ("variant", 12, 4, true),
    ("revision", 16, 4, false),
    ("chip", 20, 4, true),
    ("dies", 24, 4, true),
    ("clusters", 28, 4, true),
    ("cores-per-cluster", 32, 4, true),
    ("core-masks", 40, 64, false),
    ("first-address", 552, 8, true),
    ("end-of-addresses", 560, 8, true),
    ("kernel-bytes", 568, 8, true),
    ("commands-per-submission", 576, 4, true),
    ("timestamp-frequency", 584, 8, true),
];

/// Nanoseconds that reading two clocks may take.
const SOON: u64 = 50_000_000;

fn chip(kernel: &dyn Kernel, lab: &mut Lab) -> Result<(), Problem> {
    let mut bytes = [0; 592];
    let mut argument = get_params::new().set(&get_params::SIZE, bytes.len() as u64).bytes();
    let pointer = (get_params::POINTER.start / 8) as usize;
    kernel
        .call(number::GET_PARAMS, &mut argument, &mut [(pointer, Memory::Written(&mut bytes))])
        .map_err(|errno| format!("the parameters: error {errno}"))?;
    for (name, at, len, known) in PARAMETERS {
        let value = bytes.get(at..at + len).unwrap_or_default();
        match known {
            true => lab.exact(name, value),
            false => lab.note(name, &crate::outputs::hex(value)),
        }
    }
    let (before, time, after) = (now(), kernel.gpu().time(), now());
    lab.note("time", &format!("{before} {time} {after}"));
    let is_now = time + SOON > before && time < after + SOON;
    lab.number("time-is-the-monotonic-clock", is_now.into());
    lab.note("page-of-the-processor", &page().unwrap_or(0).to_string());
    Ok(())
}

/// Bytes of a page of the processor, from the list that the system gives to each process.
fn page() -> Option<u64> {
    const PAGE_SIZE: u64 = 6;
    let list = std::fs::read("/proc/self/auxv").ok()?;
    let numbers: Vec<u64> = list.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    numbers.as_chunks::<2>().0.iter().find(|[key, _]| *key == PAGE_SIZE).map(|[_, value]| *value)
}

/// The error number of a call, 0 for success.
fn errno(result: Result<(), i32>) -> u64 {
    result.err().map_or(0, |errno| errno as u64)
}

/// Tries to bind a buffer.
fn bind(kernel: &dyn Kernel, vm: u64, [handle, offset, range, address, flags]: [u64; 5]) -> u64 {
    let mut op = bind_op::new()
        .set(&bind_op::HANDLE, handle)
        .set(&bind_op::OFFSET, offset)
        .set(&bind_op::RANGE, range)
        .set(&bind_op::ADDRESS, address)
        .bytes();
    op[..4].copy_from_slice(&(flags as u32).to_le_bytes());
    let mut argument = vm_bind::new()
        .set(&vm_bind::VM, vm)
        .set(&vm_bind::COUNT, 1)
        .set(&vm_bind::STRIDE, op.len() as u64)
        .bytes();
    let pointer = (vm_bind::POINTER.start / 8) as usize;
    errno(kernel.call(number::VM_BIND, &mut argument, &mut [(pointer, Memory::Read(&op))]))
}

/// Flags of binds.
const UNBIND: u64 = 1;
const READ: u64 = 2;
const WRITE: u64 = 4;

fn calls(kernel: &dyn Kernel, lab: &mut Lab) -> Result<(), Problem> {
    let parameters = kernel.gpu().parameters();
    let [_, end] = parameters.addresses;
    let kernel_start = end - (64 << 30);
    let mut space = vm_create::new()
        .set(&vm_create::KERNEL_START, kernel_start)
        .set(&vm_create::KERNEL_END, kernel_start + (32 << 30))
        .bytes();
    kernel
        .call(number::VM_CREATE, &mut space, &mut [])
        .map_err(|errno| format!("an address space: error {errno}"))?;
    let vm = vm_create::VM.get(&space);
    let buffer = kernel.gpu().create_buffer(2 * PAGE)?;
    let (handle, place) = (u64::from(buffer.handle), 0x40_0000_0000);
    let binds: [(&str, [u64; 5]); 12] = [
        ("bind", [handle, 0, 2 * PAGE, place, READ | WRITE]),
        ("bind-again", [handle, 0, PAGE, place + PAGE, READ]),
        ("bind-the-second-page", [handle, PAGE, PAGE, place + 4 * PAGE, READ]),
        ("bind-beyond-the-end", [handle, PAGE, 2 * PAGE, place + 8 * PAGE, READ]),
        ("bind-half-a-page", [handle, 0, PAGE / 2, place + 8 * PAGE, READ]),
        ("bind-at-half-a-page", [handle, 0, PAGE, place + PAGE / 2, READ]),
        ("bind-without-access", [handle, 0, PAGE, place + 8 * PAGE, 0]),
        ("bind-nothing", [handle, 0, 0, place, READ]),
        ("bind-an-unknown-buffer", [9999, 0, PAGE, place + 8 * PAGE, READ]),
        ("bind-where-the-kernel-is", [handle, 0, PAGE, kernel_start + (1 << 30), READ]),
        ("bind-beyond-all-addresses", [handle, 0, PAGE, 1 << 50, READ]),
        ("unbind-what-is-free", [0, 0, PAGE, place + 64 * PAGE, UNBIND]),
    ];
    for (name, values) in binds {
        lab.number(name, bind(kernel, vm, values));
    }
    lab.number("unbind", bind(kernel, vm, [0, 0, 2 * PAGE, place, UNBIND]));
    lab.number("unbind-with-a-buffer", bind(kernel, vm, [handle, 0, PAGE, place, UNBIND]));
    let create = |bytes: u64, flags: u64| {
        let mut argument =
            gem_create::new().set(&gem_create::SIZE, bytes).set(&gem_create::FLAGS, flags).bytes();
        errno(kernel.call(number::GEM_CREATE, &mut argument, &mut []))
    };
    lab.number("a-buffer-without-bytes", create(0, 1));
    lab.number("a-buffer-with-unknown-flags", create(PAGE, 0x80));
    lab.number("a-buffer-of-one-byte", create(1, 1));
    let queue = |vm: u64, priority: u64| {
        let mut argument =
            queue_create::new().set(&queue_create::VM, vm).set(&queue_create::PRIORITY, priority).bytes();
        errno(kernel.call(number::QUEUE_CREATE, &mut argument, &mut []))
    };
    lab.number("a-queue-without-a-space", queue(9999, 1));
    lab.number("a-queue-of-high-priority", queue(vm, 2));
    syncs(kernel.gpu(), lab)?;
    kernel.gpu().close_buffer(buffer.handle);
    Ok(())
}

/// Sync objects without work.
fn syncs(gpu: &dyn Gpu, lab: &mut Lab) -> Result<(), Problem> {
    let [signalled, fresh] = [gpu.create_sync(true)?, gpu.create_sync(false)?];
    let timeline = gpu.create_sync(false)?;
    let waits = |points: &[SyncPoint], wait| u64::from(gpu.wait(points, wait, 0).is_ok());
    let point = |handle: u32, value: Option<u64>| SyncPoint { handle, value };
    lab.number("wait-for-a-signalled-object", waits(&[point(signalled, None)], WaitFor::All));
    lab.number("wait-for-a-fresh-object", waits(&[point(fresh, None)], WaitFor::All));
    lab.number("wait-for-any", waits(&[point(fresh, None), point(signalled, None)], WaitFor::Any));
    gpu.signal(point(timeline, Some(5)));
    for value in [4, 5, 6] {
        lab.number(
            &format!("wait-for-point-{value}-of-5"),
            waits(&[point(timeline, Some(value))], WaitFor::All),
        );
    }
    lab.number("value-of-a-timeline", gpu.timeline_value(timeline));
    gpu.reset(signalled);
    lab.number("wait-after-a-reset", waits(&[point(signalled, None)], WaitFor::All));
    let moved = gpu.transfer(point(timeline, Some(5)), point(fresh, None)).is_ok();
    lab.number("transfer", moved.into());
    lab.number("wait-after-a-transfer", waits(&[point(fresh, None)], WaitFor::All));
    let exported = gpu.export_fence(fresh).is_ok();
    lab.number("export-a-fence", exported.into());
    [signalled, fresh, timeline].into_iter().for_each(|handle| gpu.destroy_sync(handle));
    Ok(())
}

//! Level 3: errors on purpose.

use super::{Row, Run};
use crate::Problem;
use crate::lab::{Kernel, Lab, Program};
use crate::outputs::Kind;
use agx_abi::record::{command_header, compute_command};
use agx_driver::gpu::{SHADER_BASE, SyncPoint, WaitFor};

/// The experiments.
pub(super) const ROWS: &[Row] = &[Row {
    number: 30,
    name: "faults",
    level: 3,
    asks: "What becomes of a stream that is not mapped and of a program that does not end, and do others run after them?",
    does: "submits a compute stream at an address without memory, and runs a compute program with an endless loop; the kernel resets the GPU",
    decides: &["a fault is an error of the fence of its submission only"],
    run: Run::Kernel(faults),
}];

/// Nanoseconds within which the kernel gives a stream up.
const LONG: u64 = 20_000_000_000;

fn faults(kernel: &dyn Kernel, lab: &mut Lab) -> Result<(), Problem> {
    let gpu = kernel.gpu();
    let nowhere = SHADER_BASE + 0x8000_0000;
    let command = compute_command::RECORD
        .build_raw(&[(compute_command::STREAM, nowhere), (compute_command::STREAM_END, nowhere + 8)]);
    let header = command_header::RECORD
        .build_raw(&[(command_header::TYPE, 1), (command_header::SIZE, command.len() as u64)]);
    let done = SyncPoint { handle: gpu.create_sync(false)?, value: None };
    let submitted = gpu.submit(&[header, command].concat(), &[], [&[done], &[]]);
    lab.number("submitted", submitted.is_ok().into());
    lab.number("signalled", gpu.wait(&[done], WaitFor::All, LONG).is_ok().into());
    let fault = gpu.fault(done.handle);
    lab.number("failed", fault.is_some().into());
    lab.note("sentence", fault.as_deref().unwrap_or("none"));
    super::streams::again(kernel, lab)?;
    lab.attempt(&ENDLESS)?;
    lab.attempt(&AFTER)
}

/// A loop whose end depends on memory that nothing writes.
const ENDLESS: Program = Program {
    name: "endless-loop",
    source: "
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 16>;
@compute @workgroup_size(1) fn main() {
    loop { if (atomicLoad(&found[1]) == 7u) { break; } }
    atomicStore(&found[0], 1u);
}",
    request: "kind compute\nbuffer 0 64 zero\ngroups 1 1 1",
    kind: Kind::Exact,
};

/// A program of another device after it.
const AFTER: Program = Program {
    name: "another-device-after-it",
    source: "
@group(0) @binding(0) var<storage, read_write> found: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { found[id.x] = id.x; }",
    request: "kind compute\nbuffer 0 256 zero\ngroups 1 1 1",
    kind: Kind::Exact,
};

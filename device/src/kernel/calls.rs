//! The table of calls: numbers, names, and implementations.

use agx_emulator::Access;

use super::address_space::{AddressSpace, Bind, KERNEL_BYTES, RANGE};
use super::buffers::{Buffer, MAP_SHIFT, PAGE};
use super::sync::{SyncObject, Waiting, wait};
use super::{Answer, Errno, Kernel, Queue, TimeObject, User, element};
use crate::record::{
    Record, bind_op, gem_bind_object, gem_create, gem_mmap_offset, get_params, get_time, queue_create,
    queue_destroy, set_bits, vm_bind, vm_create, vm_destroy,
};

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
    Call { number: 0x09, name: "gem close", run: gem_close },
    Call { number: 0x0c, name: "get cap", run: get_cap },
    Call { number: 0x0d, name: "set client cap", run: |_, _, _| Ok(Answer::Done) },
    Call { number: 0x40, name: "get params", run: params },
    Call { number: 0x41, name: "get time", run: time },
    Call { number: 0x42, name: "vm create", run: create_vm },
    Call { number: 0x43, name: "vm destroy", run: destroy_vm },
    Call { number: 0x44, name: "vm bind", run: bind },
    Call { number: 0x45, name: "gem create", run: create_buffer },
    Call { number: 0x46, name: "gem mmap offset", run: mmap_offset },
    Call { number: 0x47, name: "gem bind object", run: bind_object },
    Call { number: 0x48, name: "queue create", run: create_queue },
    Call { number: 0x49, name: "queue destroy", run: destroy_queue },
    Call { number: 0x4a, name: "submit", run: super::submit::submit },
    Call { number: 0xbf, name: "syncobj create", run: syncobj_create },
    Call { number: 0xc0, name: "syncobj destroy", run: syncobj_destroy },
    Call { number: 0xc3, name: "syncobj wait", run: syncobj_wait },
    Call { number: 0xc4, name: "syncobj reset", run: syncobj_reset },
    Call { number: 0xc5, name: "syncobj signal", run: syncobj_signal },
    Call { number: 0xca, name: "syncobj timeline wait", run: syncobj_timeline_wait },
    Call { number: 0xcb, name: "syncobj query", run: syncobj_query },
    Call { number: 0xcc, name: "syncobj transfer", run: syncobj_transfer },
    Call { number: 0xcd, name: "syncobj timeline signal", run: syncobj_timeline_signal },
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
fn checked<'a>(argument: &'a [u8], record: &Record) -> Result<&'a [u8], Errno> {
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

fn gem_close(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    let handle = get(argument, 0, 4) as u32;
    if !kernel.buffers.get(handle)?.shared {
        kernel.buffers.remove(handle)?;
    }
    Ok(Answer::Done)
}

/// Bytes of the parameters.
fn parameter_bytes(kernel: &Kernel) -> Vec<u8> {
    let mut bytes = vec![0; 592];
    let chip = kernel.chip;
    let values: [(u32, u32, u64); 16] = [
        (0, 8, u64::from(chip.soft_faults)),
        (8, 4, chip.generation.into()),
        (12, 4, u64::from(chip.variant as u32)),
        (16, 4, 0),
        (20, 4, if chip.generation == 14 { 0x8112 } else { 0x8103 }),
        (24, 4, 1),
        (28, 4, 1),
        (32, 4, 8),
        (36, 4, 1_278_000),
        (40, 8, 0xff),
        (552, 8, RANGE[0]),
        (560, 8, RANGE[1]),
        (568, 8, KERNEL_BYTES),
        (576, 4, 64),
        (580, 4, 16),
        (584, 8, 1_000_000_000),
    ];
    for (at, len, value) in values {
        put(&mut bytes, at, len, value);
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
    get_time::TIMESTAMP.set_raw(argument, (kernel.clock)());
    Ok(Answer::Done)
}

fn create_vm(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &vm_create::RECORD)?;
    let range = [vm_create::KERNEL_START.get(argument), vm_create::KERNEL_END.get(argument)];
    let vm = kernel.spaces.insert(AddressSpace::new(range)?);
    vm_create::VM.set_raw(argument, vm.into());
    Ok(Answer::Done)
}

fn destroy_vm(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &vm_destroy::RECORD)?;
    kernel.spaces.remove(vm_destroy::VM.get(argument) as u32)?;
    Ok(Answer::Done)
}

/// Maximum number of binds in a call.
const MAX_BINDS: u64 = 1 << 20;

fn bind(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &vm_bind::RECORD)?;
    let stride = vm_bind::STRIDE.get(argument);
    let (count, pointer) = (vm_bind::COUNT.get(argument), vm_bind::POINTER.get(argument));
    if count > MAX_BINDS || stride < bind_op::RECORD.bytes as u64 {
        return Err(Errno::INVALID);
    }
    for at in 0..count {
        let mut op = vec![0; bind_op::RECORD.bytes];
        user.read(element(pointer, at, stride), &mut op)?;
        bind_one(kernel, vm_bind::VM.get(argument) as u32, &op)?;
    }
    Ok(Answer::Done)
}

fn bind_one(kernel: &mut Kernel, vm: u32, op: &[u8]) -> Result<(), Errno> {
    let buffer = match bind_op::UNBIND.is_set(op) {
        true => None,
        false => Some(kernel.buffers.get(bind_op::HANDLE.get(op) as u32)?.clone()),
    };
    let mut access = Access::empty();
    access.set(Access::READ, bind_op::READ.is_set(op));
    access.set(Access::WRITE, bind_op::WRITE.is_set(op));
    if !bind_op::RECORD.unnamed(op).is_empty() || (buffer.is_some() && access.is_empty()) {
        return Err(Errno::INVALID);
    }
    kernel.spaces.get_mut(vm)?.bind(&Bind {
        buffer: buffer.as_ref(),
        offset: if buffer.is_some() { bind_op::OFFSET.get(op) } else { 0 },
        bytes: bind_op::RANGE.get(op),
        address: bind_op::ADDRESS.get(op),
        access,
        single_page: bind_op::SINGLE_PAGE.is_set(op),
    })
}

/// Supported flags of buffers.
const BUFFER_FLAGS: u64 = 3;

fn create_buffer(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &gem_create::RECORD)?;
    let flags = gem_create::FLAGS.get(argument);
    let bytes = gem_create::SIZE.get(argument).checked_next_multiple_of(PAGE).ok_or(Errno::INVALID)?;
    let private = flags & 2 != 0;
    let vm = gem_create::VM.get(argument) as u32;
    if bytes == 0 || flags & !BUFFER_FLAGS != 0 || (!private && vm != 0) {
        return Err(Errno::INVALID);
    }
    if private {
        kernel.spaces.get(vm)?;
    }
    let (words, token) = kernel.allocator.allocate(bytes)?;
    let handle = kernel.buffers.insert(Buffer { words, bytes, token, shared: false });
    gem_create::HANDLE.set_raw(argument, handle.into());
    Ok(Answer::Done)
}

fn mmap_offset(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &gem_mmap_offset::RECORD)?;
    let handle = gem_mmap_offset::HANDLE.get(argument);
    kernel.buffers.get(handle as u32)?;
    gem_mmap_offset::OFFSET.set_raw(argument, handle << MAP_SHIFT);
    Ok(Answer::Done)
}

fn bind_object(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &gem_bind_object::RECORD)?;
    if gem_bind_object::OP.get(argument) == 1 {
        kernel.objects.remove(gem_bind_object::OBJECT.get(argument) as u32)?;
        return Ok(Answer::Done);
    }
    let buffer = kernel.buffers.get(gem_bind_object::HANDLE.get(argument) as u32)?;
    let (offset, bytes) = (gem_bind_object::OFFSET.get(argument), gem_bind_object::RANGE.get(argument));
    let inside = offset.checked_add(bytes).is_some_and(|end| end <= buffer.bytes);
    if gem_bind_object::FLAGS.get(argument) != 1 || !inside {
        return Err(Errno::INVALID);
    }
    let object = TimeObject { words: buffer.words.clone(), offset, bytes };
    let object = kernel.objects.insert(object);
    gem_bind_object::OBJECT.set_raw(argument, object.into());
    Ok(Answer::Done)
}

fn create_queue(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &queue_create::RECORD)?;
    let queue = Queue {
        vm: queue_create::VM.get(argument) as u32,
        shader_base: queue_create::SHADER_BASE.get(argument),
    };
    kernel.spaces.get(queue.vm)?;
    if queue_create::PRIORITY.get(argument) > 3 {
        return Err(Errno::INVALID);
    }
    let handle = kernel.queues.insert(queue);
    queue_create::QUEUE.set_raw(argument, handle.into());
    Ok(Answer::Done)
}

fn destroy_queue(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &queue_destroy::RECORD)?;
    kernel.queues.remove(queue_destroy::QUEUE.get(argument) as u32)?;
    Ok(Answer::Done)
}

fn syncobj_create(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    let fence = get(argument, 4, 4) & 1 != 0;
    let handle =
        kernel.syncs.insert(SyncObject { fence, clock: kernel.order.host.clone(), ..SyncObject::default() });
    put(argument, 0, 4, handle.into());
    Ok(Answer::Done)
}

fn syncobj_destroy(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    kernel.syncs.remove(get(argument, 0, 4) as u32)?;
    Ok(Answer::Done)
}

/// Maximum number of sync objects in a call.
const MAX_SYNCS: u64 = 1 << 16;

/// Handles at `pointer` and, unless `points` is 0, points of their timelines.
fn handles(user: &mut dyn User, pointer: u64, points: u64, count: u64) -> Result<Vec<(u32, u64)>, Errno> {
    if count > MAX_SYNCS {
        return Err(Errno::INVALID);
    }
    (0..count)
        .map(|at| {
            let (mut handle, mut point) = ([0; 4], [0; 8]);
            user.read(element(pointer, at, 4), &mut handle)?;
            if points != 0 {
                user.read(element(points, at, 8), &mut point)?;
            }
            Ok((u32::from_le_bytes(handle), u64::from_le_bytes(point)))
        })
        .collect()
}

/// Waits; the last argument has the offsets of timeout, count, flags and the first signalled object in the structure.
fn wait_for(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
    points: u64,
    [timeout, count, flags, signalled]: [u32; 4],
) -> Result<Answer, Errno> {
    let handles = handles(user, get(argument, 0, 8), points, get(argument, count, 4))?;
    let objects: Vec<_> = handles
        .iter()
        .map(|(handle, point)| Ok((kernel.syncs.get(*handle)?, *point)))
        .collect::<Result<_, Errno>>()?;
    let flags = get(argument, flags, 4);
    let waiting = Waiting {
        all: flags & 1 != 0,
        for_submit: flags & 2 != 0,
        deadline: get(argument, timeout, 8) as i64,
        now: (kernel.clock)(),
    };
    match wait(&objects, waiting)? {
        Ok(first) => {
            let reached = objects.iter().filter(|(object, point)| object.reached(*point));
            reached.for_each(|(object, _)| kernel.order.host.join(&object.clock));
            kernel.order.prune();
            put(argument, signalled, 4, first.into());
            Ok(Answer::Done)
        }
        Err(answer) => Ok(answer),
    }
}

fn syncobj_wait(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    wait_for(kernel, argument, user, 0, [8, 16, 20, 24])
}

fn syncobj_timeline_wait(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
) -> Result<Answer, Errno> {
    let points = get(argument, 8, 8);
    wait_for(kernel, argument, user, points, [16, 24, 28, 32])
}

fn syncobj_reset(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    for (handle, _) in handles(user, get(argument, 0, 8), 0, get(argument, 8, 4))? {
        kernel.syncs.get_mut(handle)?.reset();
    }
    Ok(Answer::Done)
}

fn syncobj_signal(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    for (handle, _) in handles(user, get(argument, 0, 8), 0, get(argument, 8, 4))? {
        kernel.syncs.get_mut(handle)?.signal(0, &kernel.order.host);
    }
    Ok(Answer::Done)
}

fn syncobj_timeline_signal(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
) -> Result<Answer, Errno> {
    let points = get(argument, 8, 8);
    for (handle, point) in handles(user, get(argument, 0, 8), points, get(argument, 16, 4))? {
        kernel.syncs.get_mut(handle)?.signal(point, &kernel.order.host);
    }
    Ok(Answer::Done)
}

fn syncobj_query(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    let points = get(argument, 8, 8);
    let found = handles(user, get(argument, 0, 8), 0, get(argument, 16, 4))?;
    for (at, (handle, _)) in (0..).zip(found) {
        let object = kernel.syncs.get(handle)?;
        let point = object.point;
        // A point is visible only after the work before it is complete.
        kernel.order.host.join(&object.clock);
        user.write(element(points, at, 8), &point.to_le_bytes())?;
    }
    Ok(Answer::Done)
}

fn syncobj_transfer(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    let [from, to] = [0, 4].map(|at| get(argument, at, 4) as u32);
    let [from_point, to_point] = [8, 16].map(|at| get(argument, at, 8));
    let from = kernel.syncs.get(from)?;
    if !from.reached(from_point) {
        return Err(Errno::INVALID);
    }
    let clock = from.clock.clone();
    kernel.syncs.get_mut(to)?.signal(to_point, &clock);
    Ok(Answer::Done)
}

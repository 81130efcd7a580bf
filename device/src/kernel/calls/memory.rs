//! Calls for address spaces and buffers, with the checks of the kernel.

use agx_emulator::Access;

use super::{checked, get};
use crate::kernel::address_space::{AddressSpace, Bind};
use crate::kernel::buffers::{Buffer, MAP_SHIFT, PAGE};
use crate::kernel::{Answer, Errno, Kernel, TimeObject, User, element};
use crate::record::{bind_op, gem_bind_object, gem_create, gem_mmap_offset, vm_bind, vm_create, vm_destroy};

pub(super) fn create_space(
    kernel: &mut Kernel,
    argument: &mut [u8],
    _: &mut dyn User,
) -> Result<Answer, Errno> {
    checked(argument, &vm_create::RECORD)?;
    let range = [vm_create::KERNEL_START.get(argument), vm_create::KERNEL_END.get(argument)];
    let vm = kernel.tables.spaces.insert(AddressSpace::new(range)?);
    vm_create::VM.set_raw(argument, vm.into());
    Ok(Answer::Done)
}

pub(super) fn destroy_space(
    kernel: &mut Kernel,
    argument: &mut [u8],
    _: &mut dyn User,
) -> Result<Answer, Errno> {
    checked(argument, &vm_destroy::RECORD)?;
    kernel.tables.spaces.remove(vm_destroy::VM.get(argument) as u32)?;
    Ok(Answer::Done)
}

/// Maximum number of binds in a call.
const MAX_BINDS: u64 = 1 << 20;

/// Binds and unbinds in order; those before the first that fails stay.
pub(super) fn bind(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    checked(argument, &vm_bind::RECORD)?;
    let stride = vm_bind::STRIDE.get(argument);
    let (count, pointer) = (vm_bind::COUNT.get(argument), vm_bind::POINTER.get(argument));
    if count > MAX_BINDS || stride == 0 {
        return Err(Errno::INVALID);
    }
    for at in 0..count {
        let op = bind_structure(user, element(pointer, at, stride), stride)?;
        bind_one(kernel, vm_bind::VM.get(argument) as u32, &op)?;
    }
    Ok(Answer::Done)
}

/// A bind of `stride` bytes. Missing fields of a shorter structure are 0, and additional fields of a longer one must
/// be.
fn bind_structure(user: &mut dyn User, address: u64, stride: u64) -> Result<Vec<u8>, Errno> {
    let mut op = vec![0; bind_op::RECORD.bytes];
    let known = op.len().min(stride as usize);
    user.read(address, op.get_mut(..known).unwrap_or_default())?;
    let mut beyond = [0];
    for at in bind_op::RECORD.bytes as u64..stride {
        user.read(element(address, at, 1), &mut beyond)?;
        if beyond != [0] {
            return Err(Errno::INVALID);
        }
    }
    Ok(op)
}

/// Bits of the flags.
const BIND_FLAGS: u32 = 32;

fn bind_one(kernel: &mut Kernel, vm: u32, op: &[u8]) -> Result<(), Errno> {
    let unbinds = bind_op::UNBIND.is_set(op);
    let flags = crate::record::bits(op, 0, BIND_FLAGS);
    let only_unbinds = flags == 1 && !bind_op::HANDLE.is_set(op) && !bind_op::OFFSET.is_set(op);
    if !bind_op::RECORD.unnamed(op).is_empty() || (unbinds && !only_unbinds) {
        return Err(Errno::INVALID);
    }
    let mut access = Access::empty();
    access.set(Access::READ, bind_op::READ.is_set(op));
    access.set(Access::WRITE, bind_op::WRITE.is_set(op));
    let values = [bind_op::ADDRESS, bind_op::RANGE, bind_op::OFFSET].map(|field| field.get(op));
    if values.iter().any(|value| value % PAGE != 0) || (!unbinds && access.is_empty()) {
        return Err(Errno::INVALID);
    }
    let buffer = match unbinds {
        true => None,
        false => Some(kernel.tables.buffers.get(bind_op::HANDLE.get(op) as u32)?.clone()),
    };
    if buffer.as_ref().is_some_and(|buffer| buffer.private.is_some_and(|space| space != vm)) {
        return Err(Errno::INVALID);
    }
    let [address, bytes, offset] = values;
    let single_page = bind_op::SINGLE_PAGE.is_set(op);
    kernel.tables.spaces.get_mut(vm)?.bind(&Bind {
        buffer: buffer.as_ref(),
        offset,
        bytes,
        address,
        access,
        single_page,
    })
}

/// Flags of buffers.
const WRITEBACK: u64 = 1;
const PRIVATE: u64 = 2;

pub(super) fn create_buffer(
    kernel: &mut Kernel,
    argument: &mut [u8],
    _: &mut dyn User,
) -> Result<Answer, Errno> {
    checked(argument, &gem_create::RECORD)?;
    let flags = gem_create::FLAGS.get(argument);
    let bytes = gem_create::SIZE.get(argument).checked_next_multiple_of(PAGE).ok_or(Errno::INVALID)?;
    let vm = gem_create::VM.get(argument) as u32;
    let private = (flags & PRIVATE != 0).then_some(vm);
    if bytes == 0 || flags & !(WRITEBACK | PRIVATE) != 0 || (private.is_none() && vm != 0) {
        return Err(Errno::INVALID);
    }
    if let Some(vm) = private {
        kernel.tables.spaces.get(vm)?;
    }
    let (words, token) = kernel.allocator.allocate(bytes)?;
    let owners = Default::default();
    let handle = kernel.tables.buffers.insert(Buffer { words, bytes, token, owners, private });
    gem_create::HANDLE.set_raw(argument, handle.into());
    Ok(Answer::Done)
}

pub(super) fn close_buffer(
    kernel: &mut Kernel,
    argument: &mut [u8],
    _: &mut dyn User,
) -> Result<Answer, Errno> {
    kernel.buffer_files().close(get(argument, 0, 4) as u32, 0)?;
    Ok(Answer::Done)
}

pub(super) fn mmap_offset(
    kernel: &mut Kernel,
    argument: &mut [u8],
    _: &mut dyn User,
) -> Result<Answer, Errno> {
    checked(argument, &gem_mmap_offset::RECORD)?;
    let handle = gem_mmap_offset::HANDLE.get(argument);
    kernel.tables.buffers.get(handle as u32)?;
    gem_mmap_offset::OFFSET.set_raw(argument, handle << MAP_SHIFT);
    Ok(Answer::Done)
}

/// Flag of buffers for timestamps.
const TIMESTAMPS: u64 = 1;

pub(super) fn bind_object(
    kernel: &mut Kernel,
    argument: &mut [u8],
    _: &mut dyn User,
) -> Result<Answer, Errno> {
    use gem_bind_object::*;
    checked(argument, &RECORD)?;
    match OP.get(argument) {
        0 => {
            let (offset, bytes) = (OFFSET.get(argument), RANGE.get(argument));
            if FLAGS.get(argument) != TIMESTAMPS || offset % PAGE != 0 || bytes % PAGE != 0 {
                return Err(Errno::INVALID);
            }
            let buffer = kernel.tables.buffers.get(HANDLE.get(argument) as u32)?;
            let inside = offset.checked_add(bytes).is_some_and(|end| end <= buffer.bytes);
            if !inside || buffer.private.is_some() {
                return Err(Errno::INVALID);
            }
            let object = TimeObject { words: buffer.words.clone(), offset, bytes };
            let object = kernel.tables.times.insert(object);
            OBJECT.set_raw(argument, object.into());
        }
        1 if [FLAGS, HANDLE, OFFSET, RANGE].iter().any(|field| field.is_set(argument)) => {
            return Err(Errno::INVALID);
        }
        1 => _ = kernel.tables.times.remove(OBJECT.get(argument) as u32)?,
        _ => return Err(Errno::INVALID),
    }
    Ok(Answer::Done)
}

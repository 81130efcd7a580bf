//! Device memory and binding it.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use agx_driver::Error;
use agx_driver::buffer::Buffer;
use agx_driver::memory::{Allocation, Place, Space, lock};
use agx_node::Placed;
use ash::vk;
use ash::vk::Handle;

use super::external::taken;
use super::resource::image_of;
use super::swapchain::bind_to_swapchain;
use crate::handles::{give, known, object, shared, take};
use crate::objects::{Device, pointer};
use crate::pointers::{find, find_mut};

pub(crate) fn allocate_memory(
    device: &Arc<Device>,
    info: &vk::MemoryAllocateInfo<'_>,
    out: &mut vk::DeviceMemory,
) -> Result<(), Error> {
    *out = give(Arc::new(allocation(&device.space, info)?));
    Ok(())
}

/// New memory, or that of a descriptor.
fn allocation(space: &Arc<Space>, info: &vk::MemoryAllocateInfo<'_>) -> Result<Allocation, Error> {
    let bytes = info.allocation_size;
    let import = find::<vk::ImportMemoryFdInfoKHR<'_>>(info.p_next);
    if let Some(import) = import.filter(|import| !import.handle_type.is_empty()) {
        return taken(import.fd, |file| space.import(file, bytes));
    }
    let flags =
        find::<vk::MemoryAllocateFlagsInfo<'_>>(info.p_next).map(|more| more.flags).unwrap_or_default();
    if !flags.contains(vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY) {
        return space.allocate(bytes, Place::High);
    }
    let chosen = find::<vk::MemoryOpaqueCaptureAddressAllocateInfo<'_>>(info.p_next);
    match chosen.map(|chosen| chosen.opaque_capture_address).filter(|address| *address != 0) {
        Some(address) => space.allocate_at(bytes, address),
        None => space.allocate(bytes, Place::Chosen),
    }
}

pub(crate) fn free_memory(device: &Arc<Device>, memory: vk::DeviceMemory) {
    if device.placed.is_some() {
        unmap_memory(device, memory);
    }
    drop(take(memory));
}

pub(crate) fn map_memory(
    device: &Arc<Device>,
    memory: vk::DeviceMemory,
    offset: u64,
    _: u64,
    _: vk::MemoryMapFlags,
    out: *mut *const c_void,
) -> Result<(), Error> {
    let place = match &device.placed {
        // The addresses may stay reserved for the application.
        Some(placed) => place(placed, memory, std::ptr::null_mut())?.wrapping_byte_add(offset as usize),
        None => pointer(known(memory)?, offset),
    };
    // SAFETY: the command writes the pointer.
    unsafe { *out = place };
    Ok(())
}

/// Maps memory for the application, at an address unless that is null. Returns the address. The kernel maps no other part.
fn place(
    placements: &Mutex<BTreeMap<u64, Placed>>,
    handle: vk::DeviceMemory,
    address: *mut c_void,
) -> Result<*mut c_void, Error> {
    let memory = known(handle)?;
    let (file, start) = memory.file()?;
    // SAFETY: valid usage of `VkMemoryMapPlacedInfoEXT`: the application reserved the addresses.
    let placed = unsafe { Placed::new(file, start, memory.bytes as usize, address) };
    let placed = placed.map_err(|_| Error::Mapping)?;
    let address = placed.address();
    lock(placements).insert(handle.as_raw(), placed);
    Ok(address)
}

pub(crate) fn unmap_memory(device: &Arc<Device>, memory: vk::DeviceMemory) {
    if let Some(placed) = &device.placed {
        drop(lock(placed).remove(&memory.as_raw()));
    }
}

pub(crate) fn map_memory2(
    device: &Arc<Device>,
    info: &vk::MemoryMapInfoKHR<'_>,
    out: *mut *const c_void,
) -> Result<(), Error> {
    if !info.flags.contains(vk::MemoryMapFlags::PLACED_EXT) {
        return map_memory(device, info.memory, info.offset, info.size, info.flags, out);
    }
    let address = find::<vk::MemoryMapPlacedInfoEXT<'_>>(info.p_next).map(|place| place.p_placed_address);
    let given = device.placed.as_ref().zip(address);
    let (placed, address) = given.ok_or(Error::Invalid { what: "a placed mapping without an address" })?;
    let place = place(placed, info.memory, address)?;
    // SAFETY: the command writes the pointer.
    unsafe { *out = place };
    Ok(())
}

pub(crate) fn unmap_memory2(device: &Arc<Device>, info: &vk::MemoryUnmapInfoKHR<'_>) -> Result<(), Error> {
    if !info.flags.contains(vk::MemoryUnmapFlagsKHR::RESERVE_EXT) {
        unmap_memory(device, info.memory);
        return Ok(());
    }
    let mut all = lock(device.placed.as_ref().ok_or(Error::Mapping)?);
    let placed = all.remove(&info.memory.as_raw()).ok_or(Error::Mapping)?;
    placed.reserve().map_err(|(placed, _)| {
        all.insert(info.memory.as_raw(), placed);
        Error::Mapping
    })
}

pub(crate) fn flush_mapped_memory_ranges(
    _: &Arc<Device>,
    _: &[vk::MappedMemoryRange<'_>],
) -> Result<(), Error> {
    Ok(())
}

pub(crate) fn invalidate_mapped_memory_ranges(
    _: &Arc<Device>,
    _: &[vk::MappedMemoryRange<'_>],
) -> Result<(), Error> {
    Ok(())
}

pub(crate) fn get_device_memory_commitment(_: &Arc<Device>, memory: vk::DeviceMemory, out: &mut u64) {
    *out = object(memory).map_or(0, |memory| memory.bytes);
}

pub(crate) fn get_device_memory_opaque_capture_address(
    _: &Arc<Device>,
    info: &vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
) -> u64 {
    object(info.memory).map_or(0, |memory| memory.address)
}

pub(crate) fn bind_buffer_memory(
    _: &Arc<Device>,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: u64,
) -> Result<(), Error> {
    known(buffer)?.bind(shared(memory)?, offset)
}

pub(crate) fn bind_image_memory(
    _: &Arc<Device>,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: u64,
) -> Result<(), Error> {
    known(image)?.bind(vk::ImageAspectFlags::NONE, shared(memory)?, offset)
}

pub(crate) fn bind_buffer_memory2(
    device: &Arc<Device>,
    infos: &[vk::BindBufferMemoryInfo<'_>],
) -> Result<(), Error> {
    let bind = |info: &vk::BindBufferMemoryInfo<'_>| {
        bind_buffer_memory(device, info.buffer, info.memory, info.memory_offset)
    };
    bind_all(infos.iter().map(|info| (info.p_next, bind(info))))
}

/// The last error of several bindings. Each error is also written to the status of its binding, if it has one (`VK_KHR_maintenance6`).
fn bind_all(bound: impl Iterator<Item = (*const c_void, Result<(), Error>)>) -> Result<(), Error> {
    let mut all = Ok(());
    for (next, result) in bound {
        if let Some(status) = find::<vk::BindMemoryStatusKHR<'_>>(next) {
            let code = result.as_ref().map_or_else(Error::code, |()| vk::Result::SUCCESS);
            // SAFETY: valid usage of `VkBindMemoryStatus`: the pointer is to a result.
            unsafe { *status.p_result = code };
        }
        if result.is_err() {
            all = result;
        }
    }
    all
}

pub(crate) fn bind_image_memory2(
    _: &Arc<Device>,
    infos: &[vk::BindImageMemoryInfo<'_>],
) -> Result<(), Error> {
    let bind = |info: &vk::BindImageMemoryInfo<'_>| {
        if let Some(place) = find::<vk::BindImageMemorySwapchainInfoKHR<'_>>(info.p_next) {
            return bind_to_swapchain(info.image, place);
        }
        let plane = find::<vk::BindImagePlaneMemoryInfo<'_>>(info.p_next);
        let aspect = plane.map_or(vk::ImageAspectFlags::NONE, |plane| plane.plane_aspect);
        known(info.image)?.bind(aspect, shared(info.memory)?, info.memory_offset)
    };
    bind_all(infos.iter().map(|info| (info.p_next, bind(info))))
}

fn requirements((size, alignment): (u64, u64)) -> vk::MemoryRequirements {
    vk::MemoryRequirements { size, alignment, memory_type_bits: 1 }
}

fn requirements2(needs: (u64, u64), out: &mut vk::MemoryRequirements2<'_>) {
    out.memory_requirements = requirements(needs);
    if let Some(dedicated) = find_mut::<vk::MemoryDedicatedRequirements<'_>>(out.p_next) {
        dedicated.prefers_dedicated_allocation = vk::FALSE;
        dedicated.requires_dedicated_allocation = vk::FALSE;
    }
}

pub(crate) fn get_buffer_memory_requirements(
    _: &Arc<Device>,
    buffer: vk::Buffer,
    out: &mut vk::MemoryRequirements,
) {
    if let Some(buffer) = object(buffer) {
        *out = requirements(buffer.requirements());
    }
}

pub(crate) fn get_buffer_memory_requirements2(
    _: &Arc<Device>,
    info: &vk::BufferMemoryRequirementsInfo2<'_>,
    out: &mut vk::MemoryRequirements2<'_>,
) {
    if let Some(buffer) = object(info.buffer) {
        requirements2(buffer.requirements(), out);
    }
}

pub(crate) fn get_image_memory_requirements(
    _: &Arc<Device>,
    image: vk::Image,
    out: &mut vk::MemoryRequirements,
) {
    if let Some(image) = object(image) {
        *out = requirements(image.requirements(vk::ImageAspectFlags::NONE));
    }
}

pub(crate) fn get_image_memory_requirements2(
    _: &Arc<Device>,
    info: &vk::ImageMemoryRequirementsInfo2<'_>,
    out: &mut vk::MemoryRequirements2<'_>,
) {
    if let Some(image) = object(info.image) {
        let plane = find::<vk::ImagePlaneMemoryRequirementsInfo<'_>>(info.p_next);
        let aspect = plane.map_or(vk::ImageAspectFlags::NONE, |plane| plane.plane_aspect);
        requirements2(image.requirements(aspect), out);
    }
}

pub(crate) fn get_device_buffer_memory_requirements(
    _: &Arc<Device>,
    info: &vk::DeviceBufferMemoryRequirements<'_>,
    out: &mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: valid usage of `VkDeviceBufferMemoryRequirements`.
    if let Some(create) = unsafe { info.p_create_info.as_ref() } {
        let is_sparse = create.flags.contains(vk::BufferCreateFlags::SPARSE_BINDING);
        requirements2(Buffer::requirements_of(create.size, is_sparse), out);
    }
}

pub(crate) fn get_device_image_memory_requirements(
    _: &Arc<Device>,
    info: &vk::DeviceImageMemoryRequirements<'_>,
    out: &mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: valid usage of `VkDeviceImageMemoryRequirements`.
    let create = unsafe { info.p_create_info.as_ref() };
    if let Some(Ok(image)) = create.map(image_of) {
        requirements2(image.requirements(info.plane_aspect), out);
    }
}

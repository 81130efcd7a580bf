//! Descriptors of memory, semaphores and fences.

use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

use agx_driver::Error;
use ash::vk;

use crate::environment::node;
use crate::handles::shared;
use crate::objects::{Device, PhysicalDevice};
use crate::pointers::find;

/// Lets a command use a descriptor of the application, which belongs to the driver if the command succeeds.
pub(super) fn taken<R>(
    descriptor: i32,
    run: impl FnOnce(BorrowedFd<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    if descriptor < 0 {
        return Err(Error::ExternalHandle);
    }
    // SAFETY: valid usage: the descriptor is open.
    let result = run(unsafe { BorrowedFd::borrow_raw(descriptor) })?;
    // SAFETY: valid usage: the application gives the descriptor away.
    drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
    Ok(result)
}

/// The kinds of descriptors of memory. On a node, both are buffers of the kernel.
fn memory_kinds() -> vk::ExternalMemoryHandleTypeFlags {
    match node() {
        Some(_) => {
            vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD | vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT
        }
        None => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
    }
}

/// What can be done with a kind of descriptor of memory; `None` if it is not supported.
fn memory_properties(kind: vk::ExternalMemoryHandleTypeFlags) -> Option<vk::ExternalMemoryProperties> {
    let kinds = memory_kinds();
    (!kind.is_empty() && kinds.contains(kind)).then_some(vk::ExternalMemoryProperties {
        external_memory_features: vk::ExternalMemoryFeatureFlags::EXPORTABLE
            | vk::ExternalMemoryFeatureFlags::IMPORTABLE,
        export_from_imported_handle_types: kinds,
        compatible_handle_types: kinds,
    })
}

/// As [`memory_properties`], for images. Another driver must know the layout of a `dma_buf`.
pub(super) fn image_properties(
    kind: vk::ExternalMemoryHandleTypeFlags,
    tiling: vk::ImageTiling,
) -> Option<vk::ExternalMemoryProperties> {
    let is_open = kind == vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
    memory_properties(kind).filter(|_| !is_open || tiling != vk::ImageTiling::OPTIMAL)
}

pub(crate) fn get_physical_device_external_buffer_properties(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceExternalBufferInfo<'_>,
    out: &mut vk::ExternalBufferProperties<'_>,
) {
    let sparse = vk::BufferCreateFlags::SPARSE_BINDING;
    let found = memory_properties(info.handle_type).filter(|_| !info.flags.contains(sparse));
    out.external_memory_properties = found.unwrap_or_default();
}

pub(crate) fn get_physical_device_external_fence_properties(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceExternalFenceInfo<'_>,
    out: &mut vk::ExternalFenceProperties<'_>,
) {
    use vk::{ExternalFenceFeatureFlags as F, ExternalFenceHandleTypeFlags as H};
    let is_known = [H::OPAQUE_FD, H::SYNC_FD].contains(&info.handle_type);
    let kinds = if is_known { H::OPAQUE_FD | H::SYNC_FD } else { H::empty() };
    (out.export_from_imported_handle_types, out.compatible_handle_types) = (kinds, kinds);
    out.external_fence_features = if is_known { F::EXPORTABLE | F::IMPORTABLE } else { F::empty() };
}

pub(crate) fn get_physical_device_external_semaphore_properties(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
    out: &mut vk::ExternalSemaphoreProperties<'_>,
) {
    use vk::{ExternalSemaphoreFeatureFlags as F, ExternalSemaphoreHandleTypeFlags as H};
    let kind = find::<vk::SemaphoreTypeCreateInfo<'_>>(info.p_next);
    let is_timeline = kind.is_some_and(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE);
    // The fence of a timeline is not one of a binary semaphore.
    let all = if is_timeline { H::OPAQUE_FD } else { H::OPAQUE_FD | H::SYNC_FD };
    let is_known = !info.handle_type.is_empty() && all.contains(info.handle_type);
    let kinds = if is_known { all } else { H::empty() };
    (out.export_from_imported_handle_types, out.compatible_handle_types) = (kinds, kinds);
    out.external_semaphore_features = if is_known { F::EXPORTABLE | F::IMPORTABLE } else { F::empty() };
}

pub(crate) fn get_memory_fd_khr(
    _: &Arc<Device>,
    info: &vk::MemoryGetFdInfoKHR<'_>,
    out: &mut i32,
) -> Result<(), Error> {
    *out = shared(info.memory)?.export()?.into_raw_fd();
    Ok(())
}

pub(crate) fn get_memory_fd_properties_khr(
    device: &Arc<Device>,
    _: vk::ExternalMemoryHandleTypeFlags,
    descriptor: i32,
    out: &mut vk::MemoryFdPropertiesKHR<'_>,
) -> Result<(), Error> {
    if descriptor < 0 {
        return Err(Error::ExternalHandle);
    }
    // SAFETY: valid usage: the descriptor is open.
    let file = unsafe { BorrowedFd::borrow_raw(descriptor) };
    let (buffer, _) = device.space.gpu().import_buffer(file)?;
    device.space.gpu().close_buffer(buffer.handle);
    out.memory_type_bits = 1;
    Ok(())
}

/// The descriptor for the application: −1 for a fence that is signalled.
fn number(file: Option<OwnedFd>) -> i32 {
    file.map_or(-1, OwnedFd::into_raw_fd)
}

pub(crate) fn get_semaphore_fd_khr(
    _: &Arc<Device>,
    info: &vk::SemaphoreGetFdInfoKHR<'_>,
    out: &mut i32,
) -> Result<(), Error> {
    let semaphore = shared(info.semaphore)?;
    *out = number(match info.handle_type {
        vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD => semaphore.export_semaphore_fence()?,
        _ => Some(semaphore.export()?),
    });
    Ok(())
}

pub(crate) fn import_semaphore_fd_khr(
    _: &Arc<Device>,
    info: &vk::ImportSemaphoreFdInfoKHR<'_>,
) -> Result<(), Error> {
    let semaphore = shared(info.semaphore)?;
    let temporary = info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY);
    match info.handle_type {
        vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD if info.fd == -1 => semaphore.import_fence(None),
        vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD => {
            taken(info.fd, |file| semaphore.import_fence(Some(file)))
        }
        _ => taken(info.fd, |file| semaphore.import(file, temporary)),
    }
}

pub(crate) fn get_fence_fd_khr(
    _: &Arc<Device>,
    info: &vk::FenceGetFdInfoKHR<'_>,
    out: &mut i32,
) -> Result<(), Error> {
    let fence = shared(info.fence)?;
    *out = number(match info.handle_type {
        vk::ExternalFenceHandleTypeFlags::SYNC_FD => fence.export_fence()?,
        _ => Some(fence.export()?),
    });
    Ok(())
}

pub(crate) fn import_fence_fd_khr(_: &Arc<Device>, info: &vk::ImportFenceFdInfoKHR<'_>) -> Result<(), Error> {
    let fence = shared(info.fence)?;
    let temporary = info.flags.contains(vk::FenceImportFlags::TEMPORARY);
    match info.handle_type {
        vk::ExternalFenceHandleTypeFlags::SYNC_FD if info.fd == -1 => fence.import_fence(None),
        vk::ExternalFenceHandleTypeFlags::SYNC_FD => taken(info.fd, |file| fence.import_fence(Some(file))),
        _ => taken(info.fd, |file| fence.import(file, temporary)),
    }
}

/// The properties of the node (`VK_EXT_physical_device_drm`).
pub(super) fn describe_node(out: &mut vk::PhysicalDeviceDrmPropertiesEXT<'_>) {
    (out.has_primary, out.primary_major, out.primary_minor) = (vk::FALSE, 0, 0);
    let [major, minor] = node().unwrap_or_default();
    out.has_render = vk::Bool32::from(node().is_some());
    (out.render_major, out.render_minor) = (major.into(), minor.into());
}

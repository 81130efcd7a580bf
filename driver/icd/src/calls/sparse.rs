//! Sparse memory: what can be bound page by page, and binding it.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::image::{Binding, Image, ImageInfo};
use agx_driver::memory::Allocation;
use agx_driver::modifier::Tiling;
use agx_driver::queue::Submission;
use agx_driver::reserved::{PageBind, Pages, Reserved};
use agx_driver::sparse::{self, Blocks, Granularity};
use ash::vk;

use super::resource::image_of;
use super::sync::{Points, submit};
use crate::generated::members;
use crate::handles::{known, object, shared};
use crate::objects::{Device, PhysicalDevice, Queue};
use crate::pointers::Fill;

/// The properties of the blocks of an aspect. Only those of two-dimensional images are standard.
fn properties(
    kind: vk::ImageType,
    (aspect_mask, block): (vk::ImageAspectFlags, [u32; 3]),
) -> vk::SparseImageFormatProperties {
    let [width, height, depth] = block;
    vk::SparseImageFormatProperties {
        aspect_mask,
        image_granularity: vk::Extent3D { width, height, depth },
        flags: match kind {
            vk::ImageType::TYPE_2D => vk::SparseImageFormatFlags::SINGLE_MIPTAIL,
            _ => {
                vk::SparseImageFormatFlags::SINGLE_MIPTAIL
                    | vk::SparseImageFormatFlags::NONSTANDARD_BLOCK_SIZE
            }
        },
    }
}

/// The blocks of images with these parameters.
fn blocks_of(info: &vk::PhysicalDeviceSparseImageFormatInfo2<'_>) -> Vec<vk::SparseImageFormatProperties> {
    if info.tiling != vk::ImageTiling::OPTIMAL {
        return Vec::new();
    }
    let image = ImageInfo {
        format: info.format,
        kind: info.ty,
        size: [1; 3],
        levels: 1,
        layers: 1,
        samples: info.samples.as_raw(),
        usage: info.usage,
        tiling: Tiling::Optimal,
        disjoint: false,
        binding: Binding::Blocks,
    };
    sparse::blocks_of(&image).into_iter().map(|block| properties(info.ty, block)).collect()
}

pub(crate) fn get_physical_device_sparse_image_format_properties(
    _: &Arc<PhysicalDevice>,
    format: vk::Format,
    kind: vk::ImageType,
    samples: vk::SampleCountFlags,
    usage: vk::ImageUsageFlags,
    tiling: vk::ImageTiling,
    fill: Fill<u32, vk::SparseImageFormatProperties>,
) {
    let info = vk::PhysicalDeviceSparseImageFormatInfo2::default();
    let info = info.format(format).ty(kind).samples(samples).usage(usage).tiling(tiling);
    let _ = fill.fill(&blocks_of(&info), |block, slot| *slot = *block);
}

pub(crate) fn get_physical_device_sparse_image_format_properties2(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
    fill: Fill<u32, vk::SparseImageFormatProperties2<'_>>,
) {
    let _ = fill.fill(&blocks_of(info), |block, slot| slot.properties = *block);
}

/// How an image is bound by blocks.
fn requirements(image: &Image) -> Vec<vk::SparseImageMemoryRequirements> {
    let of = |(aspect, granularity): (vk::ImageAspectFlags, Granularity)| vk::SparseImageMemoryRequirements {
        format_properties: properties(image.info.kind, (aspect, granularity.block)),
        image_mip_tail_first_lod: granularity.tail_level,
        image_mip_tail_size: granularity.tail_bytes,
        image_mip_tail_offset: granularity.tail_offset,
        // All tails are bound as one.
        image_mip_tail_stride: 0,
    };
    sparse::requirements(image).into_iter().map(of).collect()
}

pub(crate) fn get_image_sparse_memory_requirements(
    _: &Arc<Device>,
    image: vk::Image,
    fill: Fill<u32, vk::SparseImageMemoryRequirements>,
) {
    let needs = object(image).map(requirements).unwrap_or_default();
    let _ = fill.fill(&needs, |needed, slot| *slot = *needed);
}

pub(crate) fn get_image_sparse_memory_requirements2(
    _: &Arc<Device>,
    info: &vk::ImageSparseMemoryRequirementsInfo2<'_>,
    fill: Fill<u32, vk::SparseImageMemoryRequirements2<'_>>,
) {
    let needs = object(info.image).map(requirements).unwrap_or_default();
    let _ = fill.fill(&needs, |needed, slot| slot.memory_requirements = *needed);
}

pub(crate) fn get_device_image_sparse_memory_requirements(
    _: &Arc<Device>,
    info: &vk::DeviceImageMemoryRequirements<'_>,
    fill: Fill<u32, vk::SparseImageMemoryRequirements2<'_>>,
) {
    // SAFETY: valid usage of `VkDeviceImageMemoryRequirements`.
    let image = unsafe { info.p_create_info.as_ref() }.and_then(|create| image_of(create).ok());
    let needs = image.map(|image| requirements(&image)).unwrap_or_default();
    let _ = fill.fill(&needs, |needed, slot| slot.memory_requirements = *needed);
}

/// A memory and the first byte there; `None` without memory.
fn source(memory: vk::DeviceMemory, offset: u64) -> Result<Option<(Arc<Allocation>, u64)>, Error> {
    match memory == vk::DeviceMemory::null() {
        true => Ok(None),
        false => Ok(Some((shared(memory)?, offset))),
    }
}

/// Whether memory is bound for the metadata of an image: images have none.
fn is_metadata(bind: &vk::SparseMemoryBind) -> bool {
    bind.flags.contains(vk::SparseMemoryBindFlags::METADATA)
}

fn pages(bind: &vk::SparseMemoryBind) -> Result<Pages, Error> {
    // The end of a resource may lie within its last page.
    let bytes = bind.size.next_multiple_of(agx_driver::gpu::PAGE);
    Ok(Pages { offset: bind.resource_offset, bytes, memory: source(bind.memory, bind.memory_offset)? })
}

/// A resource that is bound page by page.
fn sparse_only(reserved: Option<&Arc<Reserved>>) -> Result<Arc<Reserved>, Error> {
    let other = Error::Invalid { what: "sparse memory is bound to a resource that is not sparse" };
    reserved.cloned().ok_or(other)
}

/// The pages of a submission in which an application binds them.
#[derive(Default)]
struct Binds(Vec<PageBind>);

impl Binds {
    fn add(&mut self, resource: &Arc<Reserved>, pages: impl IntoIterator<Item = Pages>) {
        self.0.extend(pages.into_iter().map(|pages| PageBind { resource: resource.clone(), pages }));
    }

    fn buffer(&mut self, info: &vk::SparseBufferMemoryBindInfo<'_>) -> Result<(), Error> {
        let resource = sparse_only(known(info.buffer)?.reserved())?;
        for bind in members::sparse_buffer_memory_bind_info_binds(info) {
            self.add(&resource, [pages(bind)?]);
        }
        Ok(())
    }

    fn image(&mut self, info: &vk::SparseImageOpaqueMemoryBindInfo<'_>) -> Result<(), Error> {
        let image = known(info.image)?;
        let resource = sparse_only(image.reserved(vk::ImageAspectFlags::NONE))?;
        let binds = members::sparse_image_opaque_memory_bind_info_binds(info);
        for bind in binds.iter().filter(|bind| !is_metadata(bind)) {
            self.add(&resource, sparse::named(image, &pages(bind)?));
        }
        Ok(())
    }

    fn blocks(&mut self, info: &vk::SparseImageMemoryBindInfo<'_>) -> Result<(), Error> {
        let image = known(info.image)?;
        let resource = sparse_only(image.reserved(vk::ImageAspectFlags::NONE))?;
        for bind in members::sparse_image_memory_bind_info_binds(info) {
            let missing = Error::Invalid { what: "sparse memory is bound to an aspect that the image lacks" };
            let plane = image.plane(bind.subresource.aspect_mask).ok_or(missing)?;
            let vk::Offset3D { x, y, z } = bind.offset;
            let vk::Extent3D { width, height, depth } = bind.extent;
            let blocks = Blocks {
                level: bind.subresource.mip_level,
                layer: bind.subresource.array_layer,
                offset: [x, y, z].map(|at| at as u32),
                extent: [width, height, depth],
            };
            let memory = source(bind.memory, bind.memory_offset)?;
            self.add(&resource, sparse::pages(image, plane, &blocks, memory.as_ref())?);
        }
        Ok(())
    }
}

/// The submission of one structure.
fn submission(info: &vk::BindSparseInfo<'_>) -> Result<Submission, Error> {
    let mut points = Points::default();
    let waits = members::bind_sparse_info_wait_semaphores(info);
    points.semaphores(info.p_next, waits, members::bind_sparse_info_signal_semaphores(info));
    let mut binds = Binds::default();
    members::bind_sparse_info_buffer_binds(info).iter().try_for_each(|bind| binds.buffer(bind))?;
    members::bind_sparse_info_image_opaque_binds(info).iter().try_for_each(|bind| binds.image(bind))?;
    members::bind_sparse_info_image_binds(info).iter().try_for_each(|bind| binds.blocks(bind))?;
    Ok(Submission { binds: binds.0, ..points.submission })
}

pub(crate) fn queue_bind_sparse(
    queue: &Arc<Queue>,
    binds: &[vk::BindSparseInfo<'_>],
    fence: vk::Fence,
) -> Result<(), Error> {
    submit(queue, binds.iter().map(submission).collect::<Result<_, _>>()?, fence)
}

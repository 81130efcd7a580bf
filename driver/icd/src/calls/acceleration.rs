//! Acceleration structures. Commands of the processor and indirect builds are features that the driver lacks.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::acceleration::{
    self, AccelerationStructure, Asked, Build, Geometry, Indices, SERIAL_FORM, Shape, StructureKind,
    Triangles, VertexFormat, sizes,
};
use agx_driver::command::CommandBuffer;
use agx_driver::physical;
use ash::vk;

use crate::generated::members;
use crate::handles::{give, object, owned, shared, take};
use crate::objects::Device;
use crate::pointers::slice;

/// The error of commands of the processor.
const ON_PROCESSOR: Error = Error::Unsupported { what: "acceleration structures built by the processor" };

pub(crate) fn create_acceleration_structure_khr(
    _: &Arc<Device>,
    info: &vk::AccelerationStructureCreateInfoKHR<'_>,
    out: &mut vk::AccelerationStructureKHR,
) -> Result<(), Error> {
    let structure = AccelerationStructure::new(shared(info.buffer)?, info.offset, info.size)?;
    *out = give(Arc::new(structure));
    Ok(())
}

pub(crate) fn destroy_acceleration_structure_khr(_: &Arc<Device>, structure: vk::AccelerationStructureKHR) {
    drop(take(structure));
}

pub(crate) fn get_acceleration_structure_device_address_khr(
    _: &Arc<Device>,
    info: &vk::AccelerationStructureDeviceAddressInfoKHR<'_>,
) -> u64 {
    object(info.acceleration_structure).map_or(0, AccelerationStructure::address)
}

/// What the leaves of a build are. Without geometries, a structure has none, of any kind.
fn kind_of(info: &vk::AccelerationStructureBuildGeometryInfoKHR<'_>) -> StructureKind {
    match geometries(info).next().map(|geometry| geometry.geometry_type) {
        Some(vk::GeometryTypeKHR::INSTANCES) => StructureKind::Instances,
        Some(vk::GeometryTypeKHR::AABBS) => StructureKind::Boxes,
        Some(_) => StructureKind::Triangles,
        None if info.ty == vk::AccelerationStructureTypeKHR::TOP_LEVEL => StructureKind::Instances,
        None => StructureKind::Triangles,
    }
}

/// The geometries of a build, which are in an array or behind pointers.
fn geometries<'i>(
    info: &'i vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
) -> impl Iterator<Item = &'i vk::AccelerationStructureGeometryKHR<'i>> {
    let count = info.geometry_count as usize;
    let (list, pointers) = if info.p_geometries.is_null() {
        // SAFETY: valid usage of `VkAccelerationStructureBuildGeometryInfoKHR`.
        (&[][..], unsafe { slice(info.pp_geometries, count) })
    } else {
        (members::acceleration_structure_build_geometry_info_khr_geometries(info), &[][..])
    };
    // SAFETY: as above.
    list.iter().chain(pointers.iter().map(|pointer| unsafe { &**pointer }))
}

pub(crate) fn get_acceleration_structure_build_sizes_khr(
    _: &Arc<Device>,
    _: vk::AccelerationStructureBuildTypeKHR,
    info: &vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
    counts: &[u32],
    out: &mut vk::AccelerationStructureBuildSizesInfoKHR<'_>,
) {
    let leaves = counts.iter().fold(0, |sum: u32, count| sum.saturating_add(*count));
    let [bytes, scratch] = sizes(kind_of(info), leaves);
    out.acceleration_structure_size = bytes;
    out.build_scratch_size = scratch;
    out.update_scratch_size = scratch;
}

/// The address of data.
fn address(data: &vk::DeviceOrHostAddressConstKHR) -> u64 {
    // SAFETY: commands of the device have addresses of the device.
    unsafe { data.device_address }
}

/// Triangles and their range.
fn triangles(
    data: &vk::AccelerationStructureGeometryTrianglesDataKHR<'_>,
    range: &vk::AccelerationStructureBuildRangeInfoKHR,
) -> Result<Triangles, Error> {
    let format = VertexFormat::find(data.vertex_format).ok_or(Error::Format(data.vertex_format))?;
    let bytes = match data.index_type {
        vk::IndexType::UINT8_KHR => 1,
        vk::IndexType::UINT16 => 2,
        vk::IndexType::UINT32 => 4,
        _ => 0,
    };
    let offset = u64::from(range.primitive_offset);
    let indices = Indices { address: address(&data.index_data) + offset, bytes };
    let indices = (bytes > 0).then_some(indices);
    let before = if indices.is_some() { 0 } else { offset };
    let transform = match address(&data.transform_data) {
        0 => 0,
        first => first + u64::from(range.transform_offset),
    };
    let skipped = u64::from(range.first_vertex) * data.vertex_stride;
    let vertices = address(&data.vertex_data) + before + skipped;
    Ok(Triangles { vertices, stride: data.vertex_stride as u32, format, indices, transform })
}

/// A geometry and its range.
fn geometry(
    of: &vk::AccelerationStructureGeometryKHR<'_>,
    range: &vk::AccelerationStructureBuildRangeInfoKHR,
) -> Result<Geometry, Error> {
    let offset = u64::from(range.primitive_offset);
    let shape = match of.geometry_type {
        vk::GeometryTypeKHR::AABBS => {
            // SAFETY: the type determines the member.
            let boxes = unsafe { &of.geometry.aabbs };
            Shape::Boxes(address(&boxes.data) + offset, boxes.stride as u32)
        }
        vk::GeometryTypeKHR::INSTANCES => {
            // SAFETY: as above.
            let instances = unsafe { &of.geometry.instances };
            let has_addresses = instances.array_of_pointers != 0;
            Shape::Instances { data: address(&instances.data) + offset, has_addresses }
        }
        // SAFETY: as above.
        _ => Shape::Triangles(triangles(unsafe { &of.geometry.triangles }, range)?),
    };
    let is_opaque = of.flags.contains(vk::GeometryFlagsKHR::OPAQUE);
    Ok(Geometry { shape, count: range.primitive_count, is_opaque })
}

/// A build and its ranges.
fn build(
    info: &vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
    ranges: *const vk::AccelerationStructureBuildRangeInfoKHR,
) -> Result<Build, Error> {
    // SAFETY: valid usage of `vkCmdBuildAccelerationStructuresKHR`: one for each geometry.
    let ranges = unsafe { slice(ranges, info.geometry_count as usize) };
    let list: Result<_, Error> =
        geometries(info).zip(ranges).map(|(of, range)| geometry(of, range)).collect();
    let structure = shared(info.dst_acceleration_structure)?.address();
    // SAFETY: commands of the device have addresses of the device.
    let scratch = unsafe { info.scratch_data.device_address };
    Ok(Build { kind: kind_of(info), structure, scratch, geometries: list? })
}

pub(crate) fn cmd_build_acceleration_structures_khr(
    buffer: &mut CommandBuffer,
    infos: &[vk::AccelerationStructureBuildGeometryInfoKHR<'_>],
    ranges: &[*const vk::AccelerationStructureBuildRangeInfoKHR],
) {
    for (info, ranges) in infos.iter().zip(ranges) {
        let build = build(info, *ranges);
        buffer.record(move |recorder| acceleration::build(recorder, build.as_ref().map_err(Error::clone)?));
    }
}

pub(crate) fn cmd_build_acceleration_structures_indirect_khr(
    buffer: &mut CommandBuffer,
    _: &[vk::AccelerationStructureBuildGeometryInfoKHR<'_>],
    _: &[vk::DeviceAddress],
    _: &[u32],
    _: &[*const u32],
) {
    buffer.record(|_| Err(Error::Unsupported { what: "indirect builds of acceleration structures" }));
}

pub(crate) fn cmd_copy_acceleration_structure_khr(
    buffer: &mut CommandBuffer,
    info: &vk::CopyAccelerationStructureInfoKHR<'_>,
) {
    let (Some(from), Some(to)) = (owned(info.src), owned(info.dst)) else { return };
    buffer.record(move |recorder| acceleration::copy(recorder, &from, &to));
}

pub(crate) fn cmd_copy_acceleration_structure_to_memory_khr(
    buffer: &mut CommandBuffer,
    info: &vk::CopyAccelerationStructureToMemoryInfoKHR<'_>,
) {
    let Some(from) = owned(info.src) else { return };
    // SAFETY: commands of the device have addresses of the device.
    let to = unsafe { info.dst.device_address };
    buffer.record(move |recorder| acceleration::serialize(recorder, &from, to));
}

pub(crate) fn cmd_copy_memory_to_acceleration_structure_khr(
    buffer: &mut CommandBuffer,
    info: &vk::CopyMemoryToAccelerationStructureInfoKHR<'_>,
) {
    let Some(to) = owned(info.dst) else { return };
    let from = address(&info.src);
    buffer.record(move |recorder| acceleration::deserialize(recorder, from, &to));
}

pub(crate) fn cmd_write_acceleration_structures_properties_khr(
    buffer: &mut CommandBuffer,
    structures: &[vk::AccelerationStructureKHR],
    kind: vk::QueryType,
    pool: vk::QueryPool,
    first: u32,
) {
    let asked = match kind {
        vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR => Asked::Serialized,
        vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR => Asked::Handles,
        _ => Asked::Bytes,
    };
    let Some(pool) = owned(pool) else { return };
    for (structure, query) in structures.iter().zip(first..) {
        let (Some(structure), pool) = (owned(*structure), pool.clone()) else { continue };
        buffer.record(move |recorder| acceleration::measure(recorder, &structure, asked, (&pool, query)));
    }
}

pub(crate) fn get_device_acceleration_structure_compatibility_khr(
    _: &Arc<Device>,
    info: &vk::AccelerationStructureVersionInfoKHR<'_>,
    out: &mut vk::AccelerationStructureCompatibilityKHR,
) {
    // SAFETY: valid usage of `VkAccelerationStructureVersionInfoKHR`: two identifiers.
    let bytes = unsafe { slice(info.p_version_data.cast::<u8>(), 2 * vk::UUID_SIZE) };
    *out = match bytes.split_at_checked(vk::UUID_SIZE) {
        Some((driver, form)) if driver == physical::UUID && form == SERIAL_FORM => {
            vk::AccelerationStructureCompatibilityKHR::COMPATIBLE
        }
        _ => vk::AccelerationStructureCompatibilityKHR::INCOMPATIBLE,
    };
}

pub(crate) fn build_acceleration_structures_khr(
    _: &Arc<Device>,
    _: vk::DeferredOperationKHR,
    _: &[vk::AccelerationStructureBuildGeometryInfoKHR<'_>],
    _: &[*const vk::AccelerationStructureBuildRangeInfoKHR],
) -> Result<(), Error> {
    Err(ON_PROCESSOR)
}

pub(crate) fn copy_acceleration_structure_khr(
    _: &Arc<Device>,
    _: vk::DeferredOperationKHR,
    _: &vk::CopyAccelerationStructureInfoKHR<'_>,
) -> Result<(), Error> {
    Err(ON_PROCESSOR)
}

pub(crate) fn copy_acceleration_structure_to_memory_khr(
    _: &Arc<Device>,
    _: vk::DeferredOperationKHR,
    _: &vk::CopyAccelerationStructureToMemoryInfoKHR<'_>,
) -> Result<(), Error> {
    Err(ON_PROCESSOR)
}

pub(crate) fn copy_memory_to_acceleration_structure_khr(
    _: &Arc<Device>,
    _: vk::DeferredOperationKHR,
    _: &vk::CopyMemoryToAccelerationStructureInfoKHR<'_>,
) -> Result<(), Error> {
    Err(ON_PROCESSOR)
}

pub(crate) fn write_acceleration_structures_properties_khr(
    _: &Arc<Device>,
    _: &[vk::AccelerationStructureKHR],
    _: vk::QueryType,
    _: usize,
    _: &mut [u8],
    _: usize,
) -> Result<(), Error> {
    Err(ON_PROCESSOR)
}

//! Acceleration structures of a request: lines `geometry`, `instance` and `scene`.

use std::ffi::c_void;

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::request::{Request, number, scrambled};

/// Size of the triangles and boxes of a soup.
const SIZE: f32 = 0.2;

/// A buffer with an address.
struct Addressed {
    buffer: vk::Buffer,
    address: u64,
}

/// A structure and its address.
#[derive(Clone, Copy)]
struct Built {
    structure: vk::AccelerationStructureKHR,
    address: u64,
    bytes: u64,
}

/// The primitives of a line `geometry`.
struct Geometry {
    /// `None` for boxes.
    indices: Option<Option<Vec<u32>>>,
    floats: Vec<f32>,
    flags: vk::GeometryFlagsKHR,
}

/// Builds the structures of a request; returns the binding and the structure of its scene.
///
/// # Errors
/// Vulkan's error, unknown words, or a driver without acceleration structures.
pub fn scene(
    device: &Device,
    request: &Request,
) -> Result<Option<(u32, vk::AccelerationStructureKHR)>, Error> {
    let Some(words) = request.words("scene") else { return Ok(None) };
    let binding = number(words.first().ok_or("`scene` wants a binding")?)?;
    let has = |word: &str| words.iter().any(|found| found == word);
    let builder = Builder {
        device,
        functions: device.structures_of_rays.as_ref().ok_or("the driver has no acceleration structures")?,
    };
    let count = request
        .all("geometry")
        .map(|words| number(&words[0]))
        .try_fold(0, |most, structure| Ok::<u32, Error>(most.max(structure? + 1)))?;
    let mut addresses = Vec::new();
    for structure in 0..count {
        let own = |words: &&[String]| number(&words[0]).is_ok_and(|own| own == structure);
        let list: Result<Vec<Geometry>, Error> = request.all("geometry").filter(own).map(geometry).collect();
        let built = builder.bottom(&list?, has("updated"))?;
        addresses.push(builder.copied(built, &has)?.address);
    }
    let mut bytes = Vec::new();
    for words in request.all("instance") {
        bytes.extend(instance(words, &addresses)?);
    }
    let top = builder.top(&bytes, has("addresses"))?;
    Ok(Some((binding, builder.copied(top, &has)?.structure)))
}

fn floats(list: &str) -> Result<Vec<f32>, Error> {
    list.split(',').map(|word| Ok(word.parse()?)).collect()
}

/// A number between -1 and 1.
fn unit(at: u32) -> f32 {
    (scrambled(at) % 2001) as f32 / 1000.0 - 1.0
}

/// The primitives of a line.
fn geometry(words: &[String]) -> Result<Geometry, Error> {
    let [_, kind, opacity, list, rest @ ..] = words else { return Err("`geometry` wants four words".into()) };
    let flags = match opacity.as_str() {
        "opaque" => vk::GeometryFlagsKHR::OPAQUE,
        _ => vk::GeometryFlagsKHR::empty(),
    };
    let soup = |each: usize| -> Result<Vec<f32>, Error> {
        let count = number(list)?;
        let first = rest.first().map_or(Ok(0), |word| number(word))?;
        let point = |id: u32| [unit(3 * id), unit(3 * id + 1), unit(3 * id + 2)];
        Ok((first..first + count)
            .flat_map(|id| {
                let centre = point(id);
                (0..each as u32).flat_map(move |corner| {
                    let off = point(7919 + 3 * id + corner);
                    [0, 1, 2].map(|axis| match each {
                        // The corners of a box.
                        2 => centre[axis] + if corner == 0 { -SIZE / 4.0 } else { SIZE / 4.0 },
                        _ => centre[axis] + SIZE * off[axis],
                    })
                })
            })
            .collect())
    };
    Ok(match (kind.as_str(), rest) {
        ("triangles", _) => Geometry { indices: Some(None), floats: floats(list)?, flags },
        ("indexed", [indices, ..]) => {
            let indices: Result<Vec<u32>, Error> = indices.split(',').map(number).collect();
            Geometry { indices: Some(Some(indices?)), floats: floats(list)?, flags }
        }
        ("boxes", _) => Geometry { indices: None, floats: floats(list)?, flags },
        ("soup", _) => Geometry { indices: Some(None), floats: soup(3)?, flags },
        ("boxes-soup", _) => Geometry { indices: None, floats: soup(2)?, flags },
        (other, _) => return Err(format!("unknown geometry `{other}`").into()),
    })
}

/// The 64 bytes of an instance.
fn instance(words: &[String], structures: &[u64]) -> Result<Vec<u8>, Error> {
    let [structure, custom, mask, record, flags, matrix @ ..] = words else {
        return Err("`instance` wants five words".into());
    };
    let mut rows = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    if let [list, ..] = matrix {
        rows.iter_mut().zip(floats(list)?).for_each(|(to, from)| *to = from);
    }
    let address = match structure.as_str() {
        "none" => 0,
        word => *structures.get(number(word)? as usize).ok_or("an instance of an unknown structure")?,
    };
    let [custom, mask, record, flags] = [custom, mask, record, flags].map(|word| number(word));
    let mut bytes: Vec<u8> = rows.iter().flat_map(|float| float.to_le_bytes()).collect();
    bytes.extend((custom? | mask? << 24).to_le_bytes());
    bytes.extend((record? | flags? << 24).to_le_bytes());
    bytes.extend(address.to_le_bytes());
    Ok(bytes)
}

struct Builder<'d> {
    device: &'d Device,
    functions: &'d ash::khr::acceleration_structure::Device,
}

impl Builder<'_> {
    /// A buffer with these bytes.
    fn buffer(&self, content: &[u8], bytes: u64) -> Result<Addressed, Error> {
        use vk::BufferUsageFlags as U;
        let usage = U::SHADER_DEVICE_ADDRESS
            | U::STORAGE_BUFFER
            | U::ACCELERATION_STRUCTURE_STORAGE_KHR
            | U::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let bytes = bytes.max(content.len() as u64).max(4);
        let create = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: handles are this device's; the mapping has `bytes` bytes.
        unsafe {
            let functions = &self.device.functions;
            let buffer = functions.create_buffer(&create, None)?;
            let memory = self.device.allocate_addressed(functions.get_buffer_memory_requirements(buffer))?;
            functions.bind_buffer_memory(buffer, memory, 0)?;
            let pointer = functions.map_memory(memory, 0, bytes, vk::MemoryMapFlags::empty())?;
            std::ptr::copy_nonoverlapping(content.as_ptr(), pointer.cast(), content.len());
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            Ok(Addressed { buffer, address: functions.get_buffer_device_address(&info) })
        }
    }

    fn floats(&self, list: &[f32]) -> Result<u64, Error> {
        let bytes: Vec<u8> = list.iter().flat_map(|float| float.to_le_bytes()).collect();
        Ok(self.buffer(&bytes, 0)?.address)
    }

    /// A structure of these bytes.
    fn create(&self, kind: vk::AccelerationStructureTypeKHR, bytes: u64) -> Result<Built, Error> {
        let buffer = self.buffer(&[], bytes)?.buffer;
        let create = vk::AccelerationStructureCreateInfoKHR::default().buffer(buffer).size(bytes).ty(kind);
        // SAFETY: the buffer is this device's.
        unsafe {
            let structure = self.functions.create_acceleration_structure(&create, None)?;
            let info =
                vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(structure);
            let address = self.functions.get_acceleration_structure_device_address(&info);
            Ok(Built { structure, address, bytes })
        }
    }

    /// Builds a structure of geometries with these numbers of primitives.
    fn build(
        &self,
        kind: vk::AccelerationStructureTypeKHR,
        geometries: &[vk::AccelerationStructureGeometryKHR<'_>],
        counts: &[u32],
        updated: bool,
    ) -> Result<Built, Error> {
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(kind)
            .flags(
                vk::BuildAccelerationStructureFlagsKHR::ALLOW_COMPACTION
                    | vk::BuildAccelerationStructureFlagsKHR::ALLOW_UPDATE,
            )
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .geometries(geometries);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let on = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        // SAFETY: structures live through the call.
        unsafe { self.functions.get_acceleration_structure_build_sizes(on, &info, counts, &mut sizes) };
        let built = self.create(kind, sizes.acceleration_structure_size)?;
        let scratch = self.buffer(&[], sizes.build_scratch_size.max(sizes.update_scratch_size) + 256)?;
        info.dst_acceleration_structure = built.structure;
        info.scratch_data.device_address = scratch.address.next_multiple_of(256);
        let ranges: Vec<_> = counts
            .iter()
            .map(|count| vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(*count))
            .collect();
        self.device.submit(|commands| {
            // SAFETY: the command buffer is being recorded.
            unsafe { self.functions.cmd_build_acceleration_structures(commands, &[info], &[&ranges]) };
            if updated {
                self.device.barrier(commands);
                info.mode = vk::BuildAccelerationStructureModeKHR::UPDATE;
                info.src_acceleration_structure = built.structure;
                // SAFETY: as above.
                unsafe { self.functions.cmd_build_acceleration_structures(commands, &[info], &[&ranges]) };
            }
            Ok(())
        })?;
        Ok(built)
    }

    fn bottom(&self, list: &[Geometry], updated: bool) -> Result<Built, Error> {
        let (mut geometries, mut counts) = (Vec::new(), Vec::new());
        for geometry in list {
            let address = vk::DeviceOrHostAddressConstKHR { device_address: self.floats(&geometry.floats)? };
            let made = vk::AccelerationStructureGeometryKHR::default().flags(geometry.flags);
            let (made, count) = match &geometry.indices {
                None => {
                    let aabbs =
                        vk::AccelerationStructureGeometryAabbsDataKHR::default().data(address).stride(24);
                    let made = made.geometry_type(vk::GeometryTypeKHR::AABBS);
                    (
                        made.geometry(vk::AccelerationStructureGeometryDataKHR { aabbs }),
                        geometry.floats.len() / 6,
                    )
                }
                Some(indices) => {
                    let mut triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
                        .vertex_format(vk::Format::R32G32B32_SFLOAT)
                        .vertex_data(address)
                        .vertex_stride(12)
                        .max_vertex((geometry.floats.len() / 3) as u32 - 1)
                        .index_type(vk::IndexType::NONE_KHR);
                    let mut count = geometry.floats.len() / 9;
                    if let Some(indices) = indices {
                        let bytes: Vec<u8> =
                            indices.iter().flat_map(|index| (*index as u16).to_le_bytes()).collect();
                        triangles.index_type = vk::IndexType::UINT16;
                        triangles.index_data.device_address = self.buffer(&bytes, 0)?.address;
                        count = indices.len() / 3;
                    }
                    let made = made.geometry_type(vk::GeometryTypeKHR::TRIANGLES);
                    (made.geometry(vk::AccelerationStructureGeometryDataKHR { triangles }), count)
                }
            };
            geometries.push(made);
            counts.push(count as u32);
        }
        self.build(vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL, &geometries, &counts, updated)
    }

    /// A structure of instances, which may be behind addresses.
    fn top(&self, bytes: &[u8], by_address: bool) -> Result<Built, Error> {
        let count = bytes.len() / 64;
        let mut data = self.buffer(bytes, 0)?.address;
        if by_address {
            let list: Vec<u8> = (0..count as u64).flat_map(|at| (data + 64 * at).to_le_bytes()).collect();
            data = self.buffer(&list, 0)?.address;
        }
        let instances = vk::AccelerationStructureGeometryInstancesDataKHR::default()
            .data(vk::DeviceOrHostAddressConstKHR { device_address: data })
            .array_of_pointers(by_address);
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::INSTANCES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { instances });
        self.build(vk::AccelerationStructureTypeKHR::TOP_LEVEL, &[geometry], &[count as u32], false)
    }

    /// The structure itself, or a copy as the words of the scene want it.
    fn copied(&self, built: Built, has: &impl Fn(&str) -> bool) -> Result<Built, Error> {
        let kind = vk::AccelerationStructureTypeKHR::GENERIC;
        if has("compacted") {
            let bytes = self.measured(built, vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR)?;
            if bytes == 0 || bytes > built.bytes {
                return Err(format!("a compacted structure has {bytes} of {} bytes", built.bytes).into());
            }
            let to = self.create(kind, bytes)?;
            let info = vk::CopyAccelerationStructureInfoKHR::default()
                .src(built.structure)
                .dst(to.structure)
                .mode(vk::CopyAccelerationStructureModeKHR::COMPACT);
            self.device.submit(|commands| {
                // SAFETY: the command buffer is being recorded.
                unsafe { self.functions.cmd_copy_acceleration_structure(commands, &info) };
                Ok(())
            })?;
            return Ok(to);
        }
        if has("serialized") {
            let bytes = self.measured(built, vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR)?;
            let memory = self.buffer(&[], bytes + 256)?;
            let address = memory.address.next_multiple_of(256);
            let to = self.create(kind, built.bytes)?;
            let write = vk::CopyAccelerationStructureToMemoryInfoKHR::default()
                .src(built.structure)
                .dst(vk::DeviceOrHostAddressKHR { device_address: address })
                .mode(vk::CopyAccelerationStructureModeKHR::SERIALIZE);
            let read = vk::CopyMemoryToAccelerationStructureInfoKHR::default()
                .src(vk::DeviceOrHostAddressConstKHR { device_address: address })
                .dst(to.structure)
                .mode(vk::CopyAccelerationStructureModeKHR::DESERIALIZE);
            self.device.submit(|commands| {
                // SAFETY: the command buffer is being recorded.
                unsafe {
                    self.functions.cmd_copy_acceleration_structure_to_memory(commands, &write);
                    self.device.barrier(commands);
                    self.functions.cmd_copy_memory_to_acceleration_structure(commands, &read);
                }
                Ok(())
            })?;
            return Ok(to);
        }
        Ok(built)
    }

    /// The result of a query for a size.
    fn measured(&self, built: Built, kind: vk::QueryType) -> Result<u64, Error> {
        let create = vk::QueryPoolCreateInfo::default().query_type(kind).query_count(1);
        let functions = &self.device.functions;
        // SAFETY: handles are this device's.
        unsafe {
            let pool = functions.create_query_pool(&create, None)?;
            self.device.submit(|commands| {
                functions.cmd_reset_query_pool(commands, pool, 0, 1);
                self.device.barrier(commands);
                let list = [built.structure];
                self.functions.cmd_write_acceleration_structures_properties(commands, &list, kind, pool, 0);
                Ok(())
            })?;
            let mut result = [0_u64];
            functions.get_query_pool_results(pool, 0, &mut result, vk::QueryResultFlags::TYPE_64)?;
            Ok(result[0])
        }
    }
}

/// A write of the structure's descriptor, for which `put` is called.
pub fn write(structure: vk::AccelerationStructureKHR, put: impl FnOnce(*const c_void)) {
    let list = [structure];
    let info = vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(&list);
    put((&raw const info).cast());
}

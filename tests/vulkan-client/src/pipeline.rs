//! Descriptors and layouts that compute and draw programs share.

use std::ffi::CString;

use ash::vk::{self, Handle as _};

use crate::Error;
use crate::device::{Buffer, Device};
use crate::image::{self, Image};
use crate::request::{Request, fill};
use crate::structures;
use crate::ycbcr;

/// The bindings of a program: one descriptor set, and push constants.
pub struct Bound {
    /// The layout.
    pub layout: vk::PipelineLayout,
    /// The layout of its set.
    pub set_layout: vk::DescriptorSetLayout,
    set: Option<vk::DescriptorSet>,
    slots: Vec<(u32, Slot)>,
    /// Whether descriptors are written after the commands that use them are recorded.
    late: bool,
    /// Commands take structures (`VK_KHR_maintenance6`).
    structures: bool,
    /// Its buffers in the order of the request.
    pub buffers: Vec<Buffer>,
    /// Its storage images in the order of the request.
    pub images: Vec<Image>,
    push: Vec<u8>,
}

impl Bound {
    /// The push constants of every stage.
    pub fn push_range(&self) -> Option<vk::PushConstantRange> {
        let size = self.push.len() as u32;
        (size > 0).then(|| vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::ALL).size(size))
    }
}

/// One binding to write.
enum Slot {
    Buffer(vk::DescriptorBufferInfo, vk::DescriptorType),
    Image(vk::DescriptorImageInfo, vk::DescriptorType),
    Texels(vk::BufferView),
    /// An acceleration structure.
    Scene(vk::AccelerationStructureKHR),
    /// An image whose colours its sampler converts: the sampler is part of the layout.
    Converted(vk::DescriptorImageInfo),
}

impl Slot {
    fn kind(&self) -> vk::DescriptorType {
        match self {
            Slot::Buffer(_, kind) | Slot::Image(_, kind) => *kind,
            Slot::Texels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Slot::Scene(_) => vk::DescriptorType::ACCELERATION_STRUCTURE_KHR,
            Slot::Converted(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        }
    }
}

impl Bound {
    /// The bindings of a request.
    ///
    /// # Errors
    /// Vulkan's error, or unknown words.
    pub fn new(device: &Device, request: &Request) -> Result<Bound, Error> {
        let mut slots: Vec<(u32, Slot)> = Vec::new();
        let mut buffers = Vec::new();
        let mut images = Vec::new();
        for words in request.all("buffer").chain(request.all("uniform")) {
            let (slot, buffer) = buffer_slot(device, request, words)?;
            slots.push((image::binding(words)?, slot));
            buffers.push(buffer);
        }
        let info = vk::DescriptorImageInfo::default().image_layout(vk::ImageLayout::GENERAL);
        for words in request.all("texture") {
            let texture = image::resource(device, words, false)?;
            slots.push((
                image::binding(words)?,
                Slot::Image(info.image_view(texture.view), vk::DescriptorType::SAMPLED_IMAGE),
            ));
        }
        for words in request.all("ycbcr") {
            let ycbcr::Converted { view, sampler } = ycbcr::converted(device, words)?;
            slots.push((image::binding(words)?, Slot::Converted(info.image_view(view).sampler(sampler))));
        }
        for words in request.all("image") {
            let storage = image::resource(device, words, true)?;
            images.push(storage);
            slots.push((
                image::binding(words)?,
                Slot::Image(info.image_view(storage.view), vk::DescriptorType::STORAGE_IMAGE),
            ));
        }
        for words in request.all("null") {
            slots.push((image::binding(words)?, Slot::Image(info, null_kind(words))));
        }
        for words in request.all("sampler") {
            let (binding, sampler) = (image::binding(words)?, image::sampler(device, words)?);
            with_sampler(&mut slots, binding, sampler);
        }
        add_views(device, request, &mut slots)?;
        let push = request.push()?;
        let way = match (request.has("pushed"), request.has("late"), request.has("mutable")) {
            (true, ..) => Way::Pushed,
            (_, true, _) => Way::Late,
            (.., true) => Way::Mutable,
            _ => Way::Set,
        };
        let (layout, set_layout, set) = descriptors(device, &slots, push.len() as u32, way)?;
        let (late, structures) = (way == Way::Late, request.has("structures"));
        let bound = Bound { layout, set_layout, set, slots, late, structures, buffers, images, push };
        if way == Way::Mutable {
            bound.write_others(device)?;
        }
        if matches!(way, Way::Set | Way::Mutable) {
            bound.write(device);
        }
        Ok(bound)
    }

    /// Writes the descriptors that are not written yet.
    pub fn write_late(&self, device: &Device) {
        if self.late {
            self.write(device);
        }
    }

    /// Gives every element another type first.
    fn write_others(&self, device: &Device) -> Result<(), Error> {
        let Some(set) = self.set else { return Ok(()) };
        let buffer = device.buffer(&[0; 16])?.buffer;
        let info = [vk::DescriptorBufferInfo::default().buffer(buffer).range(vk::WHOLE_SIZE)];
        for (at, (binding, _)) in self.slots.iter().enumerate() {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(*binding)
                .dst_array_element(elements(*binding, &self.slots[..at]))
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&info);
            // SAFETY: handles are this device's.
            unsafe { device.functions.update_descriptor_sets(&[write], &[]) };
        }
        Ok(())
    }

    fn write(&self, device: &Device) {
        let Some(set) = self.set else { return };
        // SAFETY: handles are this device's.
        writes(&self.slots, |write| unsafe {
            device.functions.update_descriptor_sets(&[write.dst_set(set)], &[]);
        });
    }

    /// Binds everything; the first word of the push constants is `first` if it is given.
    pub fn bind(
        &self,
        device: &Device,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        first: Option<u32>,
    ) {
        let mut push = self.push.clone();
        if let Some((first, place)) = first.zip(push.first_chunk_mut()) {
            *place = first.to_le_bytes();
        }
        if self.structures {
            return self.bind_by_structures(device, commands, point, &push);
        }
        // SAFETY: the command buffer is being recorded; handles are this device's.
        unsafe {
            match self.set {
                Some(set) => {
                    device.functions.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
                }
                None => writes(&self.slots, |write| {
                    device.push.cmd_push_descriptor_set(commands, point, self.layout, 0, &[write]);
                }),
            }
            if !push.is_empty() {
                let stages = vk::ShaderStageFlags::ALL;
                device.functions.cmd_push_constants(commands, self.layout, stages, 0, &push);
            }
        }
    }

    /// Binds everything by commands that take structures.
    fn bind_by_structures(
        &self,
        device: &Device,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        push: &[u8],
    ) {
        let stages = match point {
            vk::PipelineBindPoint::COMPUTE => vk::ShaderStageFlags::COMPUTE,
            _ => vk::ShaderStageFlags::ALL,
        };
        let functions = device.structures.fp();
        // SAFETY: the command buffer is being recorded; handles are this device's; structures live through the calls.
        unsafe {
            match self.set {
                Some(set) => {
                    let sets = [set];
                    let info = vk::BindDescriptorSetsInfoKHR::default()
                        .stage_flags(stages)
                        .layout(self.layout)
                        .descriptor_sets(&sets);
                    (functions.cmd_bind_descriptor_sets2_khr)(commands, &info);
                }
                None => writes(&self.slots, |write| {
                    let list = [write];
                    let info = vk::PushDescriptorSetInfoKHR::default()
                        .stage_flags(stages)
                        .layout(self.layout)
                        .descriptor_writes(&list);
                    (functions.cmd_push_descriptor_set2_khr)(commands, &info);
                }),
            }
            if !push.is_empty() {
                let info = vk::PushConstantsInfoKHR::default()
                    .layout(self.layout)
                    .stage_flags(vk::ShaderStageFlags::ALL)
                    .values(push);
                (functions.cmd_push_constants2_khr)(commands, &info);
            }
        }
    }

    /// The contents of buffers, then of storage images.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn contents(&self, device: &Device) -> Result<Vec<u8>, Error> {
        let mut bytes: Vec<u8> = self.buffers.iter().flat_map(Buffer::read).collect();
        for image in &self.images {
            let into = device.buffer(&vec![0; image.bytes() as usize])?;
            device.submit(|commands| {
                image.download(device, commands, &into, vk::ImageAspectFlags::COLOR);
                Ok(())
            })?;
            bytes.extend(into.read());
        }
        Ok(bytes)
    }
}

/// A buffer.
fn buffer_slot(device: &Device, request: &Request, words: &[String]) -> Result<(Slot, Buffer), Error> {
    let [_, bytes, pattern, ..] = words else { return Err("`buffer` wants three words".into()) };
    let buffer = device.buffer(&fill(pattern, bytes.parse()?)?)?;
    let info = vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE);
    let is_uniform = request.all("uniform").any(|line| std::ptr::eq(line, words));
    let kind = match is_uniform {
        true => vk::DescriptorType::UNIFORM_BUFFER,
        false => vk::DescriptorType::STORAGE_BUFFER,
    };
    Ok((Slot::Buffer(info, kind), buffer))
}

/// The type of a null descriptor.
fn null_kind(words: &[String]) -> vk::DescriptorType {
    match words.get(1).map(String::as_str) {
        Some("storage") => vk::DescriptorType::STORAGE_IMAGE,
        _ => vk::DescriptorType::SAMPLED_IMAGE,
    }
}

/// Texel buffers, other uses of bindings, and the scene.
fn add_views(device: &Device, request: &Request, slots: &mut Vec<(u32, Slot)>) -> Result<(), Error> {
    for words in request.all("texels") {
        slots.push((image::binding(words)?, Slot::Texels(texels(device, words)?)));
    }
    for words in request.all("view") {
        let slot = other_use(slots, words)?;
        slots.push((image::binding(words)?, slot));
    }
    if let Some((binding, structure)) = structures::scene(device, request)? {
        slots.push((binding, Slot::Scene(structure)));
    }
    Ok(())
}

/// Another use of what a binding has: a buffer as uniforms, an image as a texture.
fn other_use(slots: &[(u32, Slot)], words: &[String]) -> Result<Slot, Error> {
    let [_, other, ..] = words else { return Err("`view` wants two words".into()) };
    let other: u32 = other.parse()?;
    let of = slots.iter().find_map(|(known, slot)| match slot {
        Slot::Buffer(info, _) if *known == other => {
            Some(Slot::Buffer(*info, vk::DescriptorType::UNIFORM_BUFFER))
        }
        Slot::Image(info, _) if *known == other => {
            Some(Slot::Image(*info, vk::DescriptorType::SAMPLED_IMAGE))
        }
        _ => None,
    });
    of.ok_or_else(|| "`view` is of a binding with a buffer or an image".into())
}

/// The view of a texel buffer.
fn texels(device: &Device, words: &[String]) -> Result<vk::BufferView, Error> {
    let [_, format, bytes, pattern, offset, ..] = words else {
        return Err("`texels` wants five words".into());
    };
    let buffer = device.buffer(&fill(pattern, bytes.parse()?)?)?.buffer;
    let create = vk::BufferViewCreateInfo::default()
        .buffer(buffer)
        .format(image::format(format)?.format)
        .offset(offset.parse()?)
        .range(vk::WHOLE_SIZE);
    // SAFETY: the buffer is this device's; the structure lives through the call.
    Ok(unsafe { device.functions.create_buffer_view(&create, None)? })
}

/// Combines a sampler with the texture of its binding, or adds a slot for it.
fn with_sampler(slots: &mut Vec<(u32, Slot)>, binding: u32, sampler: vk::Sampler) {
    let texture = slots.iter_mut().find_map(|(known, slot)| match slot {
        Slot::Image(info, kind) if *known == binding && *kind == vk::DescriptorType::SAMPLED_IMAGE => {
            Some((info, kind))
        }
        _ => None,
    });
    match texture {
        Some((info, kind)) => {
            info.sampler = sampler;
            *kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        }
        None => {
            let info = vk::DescriptorImageInfo::default().sampler(sampler);
            slots.push((binding, Slot::Image(info, vk::DescriptorType::SAMPLER)));
        }
    }
}

/// Number of slots with a binding, which are the elements of an array.
fn elements(binding: u32, slots: &[(u32, Slot)]) -> u32 {
    slots.iter().filter(|(known, _)| *known == binding).count() as u32
}

/// Calls `put` with the write of each slot, without a set.
fn writes(slots: &[(u32, Slot)], mut put: impl FnMut(vk::WriteDescriptorSet<'_>)) {
    for (at, (binding, slot)) in slots.iter().enumerate() {
        let write = vk::WriteDescriptorSet::default()
            .dst_binding(*binding)
            .dst_array_element(elements(*binding, &slots[..at]))
            .descriptor_type(slot.kind());
        match slot {
            Slot::Buffer(info, _) => put(write.buffer_info(&[*info])),
            Slot::Texels(view) => put(write.texel_buffer_view(&[*view])),
            Slot::Scene(structure) => structures::write(*structure, |next| {
                let mut write = write.descriptor_count(1);
                write.p_next = next;
                put(write);
            }),
            Slot::Image(info, _) => put(write.image_info(&[*info])),
            // Drivers ignore the sampler where the layout has one; it need not be valid.
            Slot::Converted(info) => {
                put(write.image_info(&[info.sampler(vk::Sampler::from_raw(0xdead_0008))]))
            }
        }
    }
}

/// The way in which shaders get descriptors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With a set that is written before recording.
    Set,
    /// With a set that is written after it was bound.
    Late,
    /// With push descriptors.
    Pushed,
    /// With a set whose bindings are mutable.
    Mutable,
}

impl Way {
    /// The type of a binding for descriptors of a type.
    fn kind(self, kind: vk::DescriptorType) -> vk::DescriptorType {
        if self == Way::Mutable { vk::DescriptorType::MUTABLE_EXT } else { kind }
    }
}

/// Types that mutable descriptors can take on.
const MUTABLE: [vk::DescriptorType; 6] = [
    vk::DescriptorType::SAMPLED_IMAGE,
    vk::DescriptorType::STORAGE_IMAGE,
    vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
    vk::DescriptorType::STORAGE_TEXEL_BUFFER,
    vk::DescriptorType::UNIFORM_BUFFER,
    vk::DescriptorType::STORAGE_BUFFER,
];

/// The samplers that are part of the layout of a binding.
fn fixed(binding: u32, slots: &[(u32, Slot)]) -> Vec<vk::Sampler> {
    let of = |(known, slot): &(u32, Slot)| match slot {
        Slot::Converted(info) if *known == binding => Some(info.sampler),
        _ => None,
    };
    slots.iter().filter_map(of).collect()
}

/// Room in a pool for the slots, or for something if there are none.
fn pool_sizes(slots: &[(u32, Slot)], way: Way) -> Vec<vk::DescriptorPoolSize> {
    let size = |slot: &Slot| {
        // Drivers may count a descriptor for each plane.
        let count = if matches!(slot, Slot::Converted(_)) { 3 } else { 1 };
        vk::DescriptorPoolSize::default().ty(way.kind(slot.kind())).descriptor_count(count)
    };
    let one = vk::DescriptorPoolSize::default().ty(vk::DescriptorType::SAMPLER).descriptor_count(1);
    if slots.is_empty() { vec![one] } else { slots.iter().map(|(_, slot)| size(slot)).collect() }
}

fn descriptors(
    device: &Device,
    slots: &[(u32, Slot)],
    push: u32,
    way: Way,
) -> Result<(vk::PipelineLayout, vk::DescriptorSetLayout, Option<vk::DescriptorSet>), Error> {
    let stages = vk::ShaderStageFlags::ALL;
    let firsts = slots.iter().enumerate().filter(|(at, (binding, _))| elements(*binding, &slots[..*at]) == 0);
    let firsts: Vec<_> =
        firsts.map(|(_, (binding, slot))| (*binding, slot.kind(), fixed(*binding, slots))).collect();
    let bindings: Vec<_> = firsts
        .iter()
        .map(|(binding, kind, samplers)| {
            let layout = vk::DescriptorSetLayoutBinding::default()
                .binding(*binding)
                .descriptor_type(way.kind(*kind))
                .descriptor_count(elements(*binding, slots))
                .stage_flags(stages);
            if samplers.is_empty() { layout } else { layout.immutable_samplers(samplers) }
        })
        .collect();
    let sizes = pool_sizes(slots, way);
    // SAFETY: handles are this device's; structures live through the calls.
    unsafe {
        let flags = vec![vk::DescriptorBindingFlags::UPDATE_AFTER_BIND; bindings.len()];
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let types =
            vec![vk::MutableDescriptorTypeListEXT::default().descriptor_types(&MUTABLE); bindings.len()];
        let mut types =
            vk::MutableDescriptorTypeCreateInfoEXT::default().mutable_descriptor_type_lists(&types);
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let create = match way {
            Way::Set => create,
            Way::Mutable => create.push_next(&mut types),
            Way::Late => {
                create.flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL).push_next(&mut flags)
            }
            Way::Pushed => create.flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR),
        };
        let set_layouts = [device.functions.create_descriptor_set_layout(&create, None)?];
        let ranges = [vk::PushConstantRange::default().stage_flags(stages).size(push)];
        let create = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&set_layouts)
            .push_constant_ranges(&ranges[..usize::from(push > 0)]);
        let layout = device.functions.create_pipeline_layout(&create, None)?;
        if way == Way::Pushed {
            return Ok((layout, set_layouts[0], None));
        }
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let create = match way {
            Way::Late => create.flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND),
            _ => create,
        };
        let pool = device.functions.create_descriptor_pool(&create, None)?;
        let create = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
        let set = device.functions.allocate_descriptor_sets(&create)?[0];
        Ok((layout, set_layouts[0], Some(set)))
    }
}

/// A shader of a request.
pub struct Shader {
    /// Its stage.
    pub stage: vk::ShaderStageFlags,
    module: vk::ShaderModule,
    /// Its code.
    pub words: Vec<u32>,
    /// Its entry point.
    pub entry: CString,
    /// Specialization constants and their bytes.
    constants: (Vec<vk::SpecializationMapEntry>, Vec<u8>),
}

impl Shader {
    /// The specialization constants, for [`Shader::create`].
    pub fn specialization(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default().map_entries(&self.constants.0).data(&self.constants.1)
    }

    /// The shader stage of a pipeline.
    pub fn create<'s>(
        &'s self,
        constants: &'s vk::SpecializationInfo<'s>,
    ) -> vk::PipelineShaderStageCreateInfo<'s> {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(self.stage)
            .module(self.module)
            .name(&self.entry)
            .specialization_info(constants)
    }
}

/// Stages: name, Vulkan's flag, SPIR-V's execution model.
const STAGES: [(&str, vk::ShaderStageFlags, u32); 8] = [
    ("vert", vk::ShaderStageFlags::VERTEX, 0),
    ("tesc", vk::ShaderStageFlags::TESSELLATION_CONTROL, 1),
    ("tese", vk::ShaderStageFlags::TESSELLATION_EVALUATION, 2),
    ("geom", vk::ShaderStageFlags::GEOMETRY, 3),
    ("frag", vk::ShaderStageFlags::FRAGMENT, 4),
    ("comp", vk::ShaderStageFlags::COMPUTE, 5),
    ("task", vk::ShaderStageFlags::TASK_EXT, 5364),
    ("mesh", vk::ShaderStageFlags::MESH_EXT, 5365),
];

/// The shaders of a request.
///
/// # Errors
/// A file cannot be read, or Vulkan rejects it.
pub fn shaders(device: &Device, request: &Request) -> Result<Vec<Shader>, Error> {
    request
        .all("shader")
        .map(|words| {
            let [name, file, entry @ ..] = words else {
                return Err("`shader` wants a stage and a file".into());
            };
            let known = STAGES.iter().find(|(known, ..)| known == name);
            let (_, stage, model) = *known.ok_or_else(|| format!("unknown stage `{name}`"))?;
            let words = ash::util::read_spv(&mut std::fs::File::open(file)?)?;
            if !device.has_doubles && needs_doubles(&words) {
                return Err("the driver does not offer 64-bit floats".into());
            }
            let entry = match entry.first() {
                Some(entry) => CString::new(entry.as_str())?,
                None => first_entry(&words, model).unwrap_or_else(|| c"main".to_owned()),
            };
            let create = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: the structure lives through the call.
            let module = unsafe { device.functions.create_shader_module(&create, None)? };
            Ok(Shader { stage, module, words, entry, constants: constants(request, name)? })
        })
        .collect()
}

/// The operands of every instruction of a module with this opcode.
fn operands(words: &[u32], opcode: u32) -> impl Iterator<Item = &[u32]> {
    let mut at = 5;
    std::iter::from_fn(move || {
        let head = *words.get(at)?;
        let instruction = words.get(at..at + (head >> 16).max(1) as usize)?;
        at += instruction.len();
        Some((head & 0xffff, &instruction[1..]))
    })
    .filter(move |(found, _)| *found == opcode)
    .map(|(_, operands)| operands)
}

/// Whether a module declares 64-bit floats.
fn needs_doubles(words: &[u32]) -> bool {
    const CAPABILITY: u32 = 17;
    const FLOAT_64: u32 = 10;
    operands(words, CAPABILITY).any(|operands| operands == [FLOAT_64])
}

/// The name of a module's first entry point of a stage.
fn first_entry(words: &[u32], model: u32) -> Option<CString> {
    const ENTRY_POINT: u32 = 15;
    let entry = operands(words, ENTRY_POINT).find(|operands| operands.first() == Some(&model))?;
    let bytes = entry.get(2..)?.iter().flat_map(|word| word.to_le_bytes());
    CString::new(bytes.take_while(|byte| *byte != 0).collect::<Vec<_>>()).ok()
}

/// The specialization constants of a stage.
fn constants(request: &Request, stage: &str) -> Result<(Vec<vk::SpecializationMapEntry>, Vec<u8>), Error> {
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for words in request.all("constant") {
        let [name, id, value, bytes] = words else { return Err("`constant` wants four words".into()) };
        if name == stage {
            let (offset, size) = (data.len() as u32, bytes.parse::<usize>()?);
            entries.push(vk::SpecializationMapEntry { constant_id: id.parse()?, offset, size });
            data.extend(&value.parse::<u64>()?.to_le_bytes()[..size.min(8)]);
        }
    }
    Ok((entries, data))
}

//! Descriptors and layouts that compute and draw programs share.

use ash::vk;

use crate::Error;
use crate::device::{Buffer, Device};
use crate::image::{self, Image};
use crate::request::{Request, fill};

/// Everything bound to a program: one descriptor set, and push constants.
pub struct Bound {
    /// The layout.
    pub layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    /// Its buffers in the order of the request.
    pub buffers: Vec<Buffer>,
    /// Its storage images in the order of the request.
    pub images: Vec<Image>,
    push: Vec<u8>,
}

/// One binding to write.
enum Slot {
    Buffer(vk::DescriptorBufferInfo, vk::DescriptorType),
    Image(vk::DescriptorImageInfo, vk::DescriptorType),
}

impl Slot {
    fn kind(&self) -> vk::DescriptorType {
        match self {
            Slot::Buffer(_, kind) | Slot::Image(_, kind) => *kind,
        }
    }
}

impl Bound {
    /// What a request binds.
    ///
    /// # Errors
    /// What Vulkan says, or words that are not known.
    pub fn new(device: &Device, request: &Request) -> Result<Bound, Error> {
        let mut slots: Vec<(u32, Slot)> = Vec::new();
        let mut buffers = Vec::new();
        let mut images = Vec::new();
        for words in request.all("buffer").chain(request.all("uniform")) {
            let [_, bytes, pattern, ..] = words else { return Err("`buffer` wants three words".into()) };
            let buffer = device.buffer(&fill(pattern, bytes.parse()?)?)?;
            let info = vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE);
            let uniform = request.all("uniform").any(|line| std::ptr::eq(line, words));
            let kind = match uniform {
                true => vk::DescriptorType::UNIFORM_BUFFER,
                false => vk::DescriptorType::STORAGE_BUFFER,
            };
            slots.push((image::binding(words)?, Slot::Buffer(info, kind)));
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
        for words in request.all("image") {
            let storage = image::resource(device, words, true)?;
            images.push(storage);
            slots.push((
                image::binding(words)?,
                Slot::Image(info.image_view(storage.view), vk::DescriptorType::STORAGE_IMAGE),
            ));
        }
        for words in request.all("sampler") {
            let sampler = image::sampler(device, words)?;
            slots.push((
                image::binding(words)?,
                Slot::Image(info.sampler(sampler), vk::DescriptorType::SAMPLER),
            ));
        }
        let push = request.push()?;
        let (layout, set) = descriptors(device, &slots, push.len() as u32)?;
        Ok(Bound { layout, set, buffers, images, push })
    }

    /// Binds everything; the first word of the push constants is `first` when it is given.
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
        // SAFETY: the command buffer is being recorded; handles are this device's.
        unsafe {
            device.functions.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            if !push.is_empty() {
                let stages = vk::ShaderStageFlags::ALL;
                device.functions.cmd_push_constants(commands, self.layout, stages, 0, &push);
            }
        }
    }

    /// The contents of buffers, then of storage images.
    ///
    /// # Errors
    /// What Vulkan says.
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

fn descriptors(
    device: &Device,
    slots: &[(u32, Slot)],
    push: u32,
) -> Result<(vk::PipelineLayout, vk::DescriptorSet), Error> {
    let stages = vk::ShaderStageFlags::ALL;
    let bindings: Vec<_> = slots
        .iter()
        .map(|(binding, slot)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(*binding)
                .descriptor_type(slot.kind())
                .descriptor_count(1)
                .stage_flags(stages)
        })
        .collect();
    let sizes: Vec<_> = slots
        .iter()
        .map(|(_, slot)| vk::DescriptorPoolSize::default().ty(slot.kind()).descriptor_count(1))
        .collect();
    let one = [vk::DescriptorPoolSize::default().ty(vk::DescriptorType::SAMPLER).descriptor_count(1)];
    let sizes = if sizes.is_empty() { &one[..] } else { &sizes[..] };
    // SAFETY: handles are this device's; structures live through the calls.
    unsafe {
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let set_layouts = [device.functions.create_descriptor_set_layout(&create, None)?];
        let ranges = [vk::PushConstantRange::default().stage_flags(stages).size(push)];
        let create = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&set_layouts)
            .push_constant_ranges(&ranges[..usize::from(push > 0)]);
        let layout = device.functions.create_pipeline_layout(&create, None)?;
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(sizes);
        let pool = device.functions.create_descriptor_pool(&create, None)?;
        let create = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
        let set = device.functions.allocate_descriptor_sets(&create)?[0];
        for (binding, slot) in slots {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(*binding)
                .descriptor_type(slot.kind());
            match slot {
                Slot::Buffer(info, _) => {
                    let infos = [*info];
                    device.functions.update_descriptor_sets(&[write.buffer_info(&infos)], &[]);
                }
                Slot::Image(info, _) => {
                    let infos = [*info];
                    device.functions.update_descriptor_sets(&[write.image_info(&infos)], &[]);
                }
            }
        }
        Ok((layout, set))
    }
}

/// The shaders of a request.
///
/// # Errors
/// A file cannot be read, or Vulkan refuses it.
pub fn shaders(
    device: &Device,
    request: &Request,
) -> Result<Vec<(vk::ShaderStageFlags, vk::ShaderModule)>, Error> {
    let stage = |name: &str| {
        Ok::<_, Error>(match name {
            "vert" => vk::ShaderStageFlags::VERTEX,
            "tesc" => vk::ShaderStageFlags::TESSELLATION_CONTROL,
            "tese" => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
            "geom" => vk::ShaderStageFlags::GEOMETRY,
            "frag" => vk::ShaderStageFlags::FRAGMENT,
            "comp" => vk::ShaderStageFlags::COMPUTE,
            other => return Err(format!("unknown stage `{other}`").into()),
        })
    };
    request
        .all("shader")
        .map(|words| {
            let [name, file, ..] = words else { return Err("`shader` wants a stage and a file".into()) };
            let words = ash::util::read_spv(&mut std::fs::File::open(file)?)?;
            let create = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: the structure lives through the call.
            Ok((stage(name)?, unsafe { device.functions.create_shader_module(&create, None)? }))
        })
        .collect()
}

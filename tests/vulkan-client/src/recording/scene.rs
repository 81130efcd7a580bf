//! The objects that all kinds of calls share. The process ends after the calls, so nothing is destroyed.

use std::mem::offset_of;
use std::path::Path;

use ash::vk;

use crate::Error;
use crate::device::{Device, Special};
use crate::image::{self, Image, Shape};

/// Width and height of the image.
pub const SIDE: u32 = 64;

/// Number of secondary command buffers.
const SECONDARIES: u32 = 1000;

/// A pipeline that takes pushed descriptors.
pub struct Pushed {
    /// Its layout.
    pub layout: vk::PipelineLayout,
    /// The pipeline.
    pub pipeline: vk::Pipeline,
}

/// The data of the update template.
#[repr(C)]
pub struct Template {
    /// Binding 0.
    pub buffer: vk::DescriptorBufferInfo,
    /// Binding 1.
    pub image: vk::DescriptorImageInfo,
}

/// Shader modules.
struct Modules {
    vertex: vk::ShaderModule,
    fragments: [vk::ShaderModule; 2],
    compute: vk::ShaderModule,
}

impl Modules {
    fn new(device: &Device, folder: &Path) -> Result<Modules, Error> {
        let fragments = [module(device, folder, "draw.frag.spv")?, module(device, folder, "other.frag.spv")?];
        Ok(Modules {
            vertex: module(device, folder, "draw.vert.spv")?,
            fragments,
            compute: module(device, folder, "work.comp.spv")?,
        })
    }
}

/// A buffer whose words are 1, so that indirect commands draw and launch something.
fn ones(device: &Device) -> Result<vk::Buffer, Error> {
    Ok(device.buffer([1_u32.to_le_bytes(); 4096].as_flattened())?.buffer)
}

/// The objects.
pub struct Scene {
    /// The device.
    pub device: Device,
    modules: Modules,
    cache: vk::PipelineCache,
    /// The layout of all pipelines but the one with pushed descriptors.
    pub layout: vk::PipelineLayout,
    /// The layout of its set.
    pub set_layout: vk::DescriptorSetLayout,
    /// Two sets with the same contents.
    pub sets: [vk::DescriptorSet; 2],
    /// A set that no command uses.
    pub spare: vk::DescriptorSet,
    /// A pool without sets.
    pub scratch_pool: vk::DescriptorPool,
    /// The update template.
    pub template: vk::DescriptorUpdateTemplate,
    /// Pipelines that differ in their fragment shader.
    pub pipelines: Vec<vk::Pipeline>,
    /// A compute pipeline.
    pub compute: vk::Pipeline,
    /// A pipeline for pushed descriptors.
    pub pushed: Pushed,
    /// A buffer for reading.
    pub buffer: vk::Buffer,
    /// A buffer for writing.
    pub other: vk::Buffer,
    /// A target and texture.
    pub image: Image,
    /// Its format.
    pub format: vk::Format,
    /// The texture with a sampler.
    pub texture: vk::DescriptorImageInfo,
    commands: vk::CommandBuffer,
    /// Command buffers to be executed by others.
    pub secondaries: Vec<vk::CommandBuffer>,
    /// A complete command buffer.
    pub recorded: vk::CommandBuffer,
    /// A fence.
    pub fence: vk::Fence,
    /// Memory that is not mapped.
    pub spare_memory: vk::DeviceMemory,
}

/// The types of the set's bindings: a buffer, a texture with its sampler, and a buffer that dispatches write.
const BINDINGS: [vk::DescriptorType; 3] = [
    vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
    vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    vk::DescriptorType::STORAGE_BUFFER,
];

fn module(device: &Device, folder: &Path, name: &str) -> Result<vk::ShaderModule, Error> {
    let words = ash::util::read_spv(&mut std::fs::File::open(folder.join(name))?)?;
    let create = vk::ShaderModuleCreateInfo::default().code(&words);
    // SAFETY: the structure lives through the call.
    Ok(unsafe { device.functions.create_shader_module(&create, None)? })
}

fn layouts(
    device: &Device,
    buffer: vk::DescriptorType,
    flags: vk::DescriptorSetLayoutCreateFlags,
) -> Result<(vk::DescriptorSetLayout, vk::PipelineLayout), Error> {
    let binding = |number: u32, kind| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(number)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::ALL)
    };
    let bindings = [binding(0, buffer), binding(1, BINDINGS[1]), binding(2, BINDINGS[2])];
    let create = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
    let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::ALL).size(64)];
    // SAFETY: structures live through the calls.
    unsafe {
        let sets = [device.functions.create_descriptor_set_layout(&create, None)?];
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        Ok((sets[0], device.functions.create_pipeline_layout(&create, None)?))
    }
}

fn pool(device: &Device, sets: u32) -> Result<vk::DescriptorPool, Error> {
    let sizes = BINDINGS.map(|kind| vk::DescriptorPoolSize::default().ty(kind).descriptor_count(sets));
    let create = vk::DescriptorPoolCreateInfo::default().max_sets(sets).pool_sizes(&sizes);
    // SAFETY: the structure lives through the call.
    Ok(unsafe { device.functions.create_descriptor_pool(&create, None)? })
}

fn template(device: &Device, layout: vk::DescriptorSetLayout) -> Result<vk::DescriptorUpdateTemplate, Error> {
    let entry = |number: u32, offset| {
        vk::DescriptorUpdateTemplateEntry::default()
            .dst_binding(number)
            .descriptor_count(1)
            .descriptor_type(BINDINGS[number as usize])
            .offset(offset)
    };
    let entries = [entry(0, offset_of!(Template, buffer)), entry(1, offset_of!(Template, image))];
    let create = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
        .descriptor_set_layout(layout);
    // SAFETY: the structure lives through the call.
    Ok(unsafe { device.functions.create_descriptor_update_template(&create, None)? })
}

fn command_buffers(
    device: &Device,
    level: vk::CommandBufferLevel,
    count: u32,
) -> Result<Vec<vk::CommandBuffer>, Error> {
    let create = vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
    // SAFETY: structures live through the calls.
    unsafe {
        let pool = device.functions.create_command_pool(&create, None)?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(level)
            .command_buffer_count(count);
        Ok(device.functions.allocate_command_buffers(&info)?)
    }
}

fn target(device: &Device) -> Result<Image, Error> {
    use vk::ImageUsageFlags as U;
    let shape = Shape {
        format: image::format("rgba8")?,
        size: [SIDE, SIDE, 1],
        layers: 1,
        levels: 1,
        samples: 1,
        view: vk::ImageViewType::TYPE_2D,
        usage: U::COLOR_ATTACHMENT | U::SAMPLED | U::TRANSFER_SRC | U::TRANSFER_DST,
        mutable: false,
        linear: false,
    };
    Image::new(device, &shape)
}

impl Scene {
    /// The objects, with shaders from a folder.
    ///
    /// # Errors
    /// Vulkan's error, or a missing file.
    pub fn new(folder: &Path) -> Result<Scene, Error> {
        let device = Device::open(Special::default())?;
        let modules = Modules::new(&device, folder)?;
        let plain = vk::DescriptorSetLayoutCreateFlags::empty();
        let (set_layout, layout) = layouts(&device, BINDINGS[0], plain)?;
        let pushed = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        let (_, pushed) = layouts(&device, vk::DescriptorType::UNIFORM_BUFFER, pushed)?;
        let image = target(&device)?;
        let sampler = image::sampler(&device, &["1".into(), "linear".into()])?;
        let texture = vk::DescriptorImageInfo::default()
            .image_layout(vk::ImageLayout::GENERAL)
            .image_view(image.view)
            .sampler(sampler);
        let [buffer, other] = [ones(&device)?, ones(&device)?];
        let set_pool = pool(&device, 3)?;
        let list = [set_layout; 3];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(set_pool).set_layouts(&list);
        let needs = vk::MemoryRequirements { size: 0x1_0000, alignment: 256, memory_type_bits: u32::MAX };
        let spare_memory = device.allocate(needs, vk::MemoryPropertyFlags::HOST_VISIBLE)?;
        let [commands, recorded] = command_buffers(&device, vk::CommandBufferLevel::PRIMARY, 2)?[..] else {
            return Err("two command buffers were requested".into());
        };
        // SAFETY: structures live through the calls.
        let (sets, cache, fence) = unsafe {
            let functions = &device.functions;
            (
                functions.allocate_descriptor_sets(&info)?,
                functions.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None)?,
                functions.create_fence(&vk::FenceCreateInfo::default(), None)?,
            )
        };
        let mut scene = Scene {
            modules,
            cache,
            layout,
            set_layout,
            sets: [sets[0], sets[1]],
            spare: sets[2],
            scratch_pool: pool(&device, 16)?,
            template: template(&device, set_layout)?,
            pipelines: Vec::new(),
            compute: vk::Pipeline::null(),
            pushed: Pushed { layout: pushed, pipeline: vk::Pipeline::null() },
            buffer,
            other,
            format: vk::Format::R8G8B8A8_UNORM,
            texture,
            image,
            commands,
            recorded,
            secondaries: command_buffers(&device, vk::CommandBufferLevel::SECONDARY, SECONDARIES)?,
            fence,
            spare_memory,
            device,
        };
        scene.finish()?;
        Ok(scene)
    }

    /// Makes the pipelines, fills the sets, and records what is submitted.
    fn finish(&mut self) -> Result<(), Error> {
        self.pipelines =
            vec![self.graphics_pipeline(0, self.layout)?, self.graphics_pipeline(1, self.layout)?];
        self.compute = self.compute_pipeline()?;
        self.pushed.pipeline = self.graphics_pipeline(0, self.pushed.layout)?;
        for set in [self.sets[0], self.sets[1], self.spare] {
            let (buffers, images) = ([self.range(0)], [self.texture]);
            let [buffer, image] = self.writes(set, &buffers, &images, BINDINGS[0]);
            let written = [vk::DescriptorBufferInfo { buffer: self.other, offset: 0, range: 256 }];
            let written = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(2)
                .descriptor_type(BINDINGS[2])
                .buffer_info(&written);
            // SAFETY: handles are this device's.
            unsafe { self.device.functions.update_descriptor_sets(&[buffer, image, written], &[]) };
        }
        self.device.submit(|commands| {
            self.image.general(&self.device, commands);
            Ok(())
        })?;
        // SAFETY: handles are this device's.
        unsafe {
            let functions = &self.device.functions;
            functions.begin_command_buffer(self.recorded, &vk::CommandBufferBeginInfo::default())?;
            functions.cmd_fill_buffer(self.recorded, self.other, 0, 64, 7);
            functions.end_command_buffer(self.recorded)?;
        }
        Ok(())
    }

    /// A graphics pipeline with one of the fragment shaders.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn graphics_pipeline(
        &self,
        fragment: usize,
        layout: vk::PipelineLayout,
    ) -> Result<vk::Pipeline, Error> {
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, self.modules.vertex),
            stage(vk::ShaderStageFlags::FRAGMENT, self.modules.fragments[fragment]),
        ];
        let bindings = [0, 1].map(|number| vk::VertexInputBindingDescription {
            binding: number,
            stride: 16,
            input_rate: vk::VertexInputRate::VERTEX,
        });
        let attributes = [0, 1].map(|number| vk::VertexInputAttributeDescription {
            location: number,
            binding: number,
            format: vk::Format::R32G32B32A32_SFLOAT,
            offset: 0,
        });
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let views = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let targets =
            [vk::PipelineColorBlendAttachmentState::default()
                .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
        let states = DYNAMIC;
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
        let formats = [self.format];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&views)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .push_next(&mut rendering);
        // SAFETY: handles are this device's; structures live through the call.
        let made = unsafe { self.device.functions.create_graphics_pipelines(self.cache, &[create], None) };
        Ok(*made.map_err(|(_, error)| error)?.first().ok_or("no pipeline")?)
    }

    /// A compute pipeline.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn compute_pipeline(&self) -> Result<vk::Pipeline, Error> {
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.modules.compute)
            .name(c"main");
        let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout);
        // SAFETY: handles are this device's; structures live through the call.
        let made = unsafe { self.device.functions.create_compute_pipelines(self.cache, &[create], None) };
        Ok(*made.map_err(|(_, error)| error)?.first().ok_or("no pipeline")?)
    }

    /// A range of the buffer.
    pub fn range(&self, offset: u64) -> vk::DescriptorBufferInfo {
        vk::DescriptorBufferInfo { buffer: self.buffer, offset, range: 256 }
    }

    /// Writes of both bindings.
    pub fn writes<'w>(
        &self,
        set: vk::DescriptorSet,
        buffers: &'w [vk::DescriptorBufferInfo; 1],
        images: &'w [vk::DescriptorImageInfo; 1],
        buffer: vk::DescriptorType,
    ) -> [vk::WriteDescriptorSet<'w>; 2] {
        let write = |number| vk::WriteDescriptorSet::default().dst_set(set).dst_binding(number);
        [
            write(0).descriptor_type(buffer).buffer_info(buffers),
            write(1).descriptor_type(BINDINGS[1]).image_info(images),
        ]
    }

    /// Records the command buffer anew.
    ///
    /// # Errors
    /// The error of Vulkan or of the recording.
    pub fn record(&self, record: impl FnOnce(vk::CommandBuffer) -> Result<(), Error>) -> Result<(), Error> {
        let begin = vk::CommandBufferBeginInfo::default();
        // SAFETY: the command buffer is not pending.
        unsafe {
            self.device.functions.begin_command_buffer(self.commands, &begin)?;
            record(self.commands)?;
            self.device.functions.end_command_buffer(self.commands)?;
        }
        Ok(())
    }

    /// Submits what was recorded, and waits for its end.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn submit(&self) -> Result<(), Error> {
        let buffers = [self.commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: the command buffer is complete.
        unsafe {
            self.device.functions.queue_submit(self.device.queue, &submit, vk::Fence::null())?;
            self.device.functions.queue_wait_idle(self.device.queue)?;
        }
        Ok(())
    }

    /// Begins a pass.
    pub fn begin_pass(&self, commands: vk::CommandBuffer) {
        self.begin_pass_with(commands, vk::RenderingFlags::empty());
    }

    /// Begins a pass with flags.
    pub fn begin_pass_with(&self, commands: vk::CommandBuffer, flags: vk::RenderingFlags) {
        let targets = [vk::RenderingAttachmentInfo::default()
            .image_view(self.image.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .flags(flags)
            .render_area(vk::Rect2D { extent: EXTENT, ..vk::Rect2D::default() })
            .layer_count(1)
            .color_attachments(&targets);
        // SAFETY: the command buffer is being recorded; structures live through the call.
        unsafe { self.device.functions.cmd_begin_rendering(commands, &info) };
    }

    /// Ends a pass.
    pub fn end_pass(&self, commands: vk::CommandBuffer) {
        // SAFETY: a pass was begun.
        unsafe { self.device.functions.cmd_end_rendering(commands) };
    }

    /// Binds everything that draws need.
    pub fn bind_draws(&self, commands: vk::CommandBuffer) {
        let functions = &self.device.functions;
        let point = vk::PipelineBindPoint::GRAPHICS;
        let viewport = vk::Viewport {
            width: SIDE as f32,
            height: SIDE as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        // SAFETY: the command buffer is being recorded; handles are this device's.
        unsafe {
            functions.cmd_bind_pipeline(commands, point, self.pipelines[0]);
            functions.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.sets[0]], &[0]);
            functions.cmd_bind_vertex_buffers(commands, 0, &[self.buffer; 2], &[0, 1024]);
            functions.cmd_push_constants(commands, self.layout, vk::ShaderStageFlags::ALL, 0, &[0; 64]);
            functions.cmd_set_viewport(commands, 0, &[viewport]);
            functions.cmd_set_scissor(commands, 0, &[vk::Rect2D { extent: EXTENT, ..vk::Rect2D::default() }]);
            functions.cmd_set_cull_mode(commands, vk::CullModeFlags::NONE);
            functions.cmd_set_front_face(commands, vk::FrontFace::CLOCKWISE);
            functions.cmd_set_depth_compare_op(commands, vk::CompareOp::ALWAYS);
            functions.cmd_set_depth_write_enable(commands, false);
            functions.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::FRONT_AND_BACK, 0);
            functions.cmd_set_blend_constants(commands, &[0.5; 4]);
        }
    }

    /// Binds everything that dispatches need.
    pub fn bind_dispatches(&self, commands: vk::CommandBuffer) {
        let functions = &self.device.functions;
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: as above.
        unsafe {
            functions.cmd_bind_pipeline(commands, point, self.compute);
            functions.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.sets[0]], &[0]);
            functions.cmd_push_constants(commands, self.layout, vk::ShaderStageFlags::ALL, 0, &[0; 64]);
        }
    }
}

/// The size of the image.
const EXTENT: vk::Extent2D = vk::Extent2D { width: SIDE, height: SIDE };

/// The dynamic states of graphics pipelines.
const DYNAMIC: [vk::DynamicState; 8] = [
    vk::DynamicState::VIEWPORT,
    vk::DynamicState::SCISSOR,
    vk::DynamicState::CULL_MODE,
    vk::DynamicState::FRONT_FACE,
    vk::DynamicState::DEPTH_COMPARE_OP,
    vk::DynamicState::DEPTH_WRITE_ENABLE,
    vk::DynamicState::STENCIL_REFERENCE,
    vk::DynamicState::BLEND_CONSTANTS,
];

//! A subpass that depends on itself: each draw reads what the draws before it have left in their target.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::image::{self, Image, Shape};
use crate::pipeline::{self, Shader};
use crate::request::Request;

const FORMAT: &str = "rgba8";
/// Everything is in one layout.
const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;
const STAGES: [vk::PipelineStageFlags; 2] =
    [vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT, vk::PipelineStageFlags::FRAGMENT_SHADER];
const ACCESS: [vk::AccessFlags; 2] =
    [vk::AccessFlags::COLOR_ATTACHMENT_WRITE, vk::AccessFlags::INPUT_ATTACHMENT_READ];

/// Draws squares and gives the target.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn run(device: &Device, request: &Request) -> Result<Vec<u8>, Error> {
    let [width, height] = request.numbers("size", [32, 32])?;
    let [again] = request.numbers("again", [1])?;
    let shape = Shape {
        format: image::format(FORMAT)?,
        size: [width, height, 1],
        layers: 1,
        levels: 1,
        samples: 1,
        view: vk::ImageViewType::TYPE_2D,
        usage: vk::ImageUsageFlags::COLOR_ATTACHMENT
            | vk::ImageUsageFlags::INPUT_ATTACHMENT
            | vk::ImageUsageFlags::TRANSFER_SRC,
        mutable: false,
        linear: false,
    };
    let target = Image::new(device, &shape)?;
    let pass = pass(device, shape.format.format)?;
    let (set_layout, set) = input(device, target.view)?;
    let shaders = pipeline::shaders(device, request)?;
    let (layout, drawn) = pipeline_of(device, &shaders, pass, [width, height], set_layout)?;
    let views = [target.view];
    let create = vk::FramebufferCreateInfo::default()
        .render_pass(pass)
        .attachments(&views)
        .width(width)
        .height(height)
        .layers(1);
    let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
    let clears = [vk::ClearValue { color: vk::ClearColorValue { float32: [0.75, 0.125, 0.5, 1.0] } }];
    let into = device.buffer(&vec![0; target.bytes() as usize])?;
    device.submit(|commands| {
        // SAFETY: handles are this device's; structures live through the calls.
        unsafe {
            let framebuffer = device.functions.create_framebuffer(&create, None)?;
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(area)
                .clear_values(&clears);
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.functions.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            device.functions.cmd_bind_pipeline(commands, point, drawn);
            device.functions.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            for _ in 0..again {
                let [from, to] = ACCESS;
                let barrier = vk::MemoryBarrier::default().src_access_mask(from).dst_access_mask(to);
                let flags = vk::DependencyFlags::BY_REGION;
                let [first, second] = STAGES;
                device.functions.cmd_pipeline_barrier(commands, first, second, flags, &[barrier], &[], &[]);
                device.functions.cmd_draw(commands, 4, 1, 0, 0);
            }
            device.functions.cmd_end_render_pass(commands);
        }
        target.download(device, commands, &into, vk::ImageAspectFlags::COLOR);
        Ok(())
    })?;
    Ok(into.read())
}

/// A pass of one subpass, which reads its target.
fn pass(device: &Device, format: vk::Format) -> Result<vk::RenderPass, Error> {
    let attachments = [vk::AttachmentDescription::default()
        .format(format)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(LAYOUT)];
    let own = [vk::AttachmentReference { attachment: 0, layout: LAYOUT }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&own).input_attachments(&own)];
    let dependencies = [vk::SubpassDependency {
        src_subpass: 0,
        dst_subpass: 0,
        src_stage_mask: STAGES[0],
        dst_stage_mask: STAGES[1],
        src_access_mask: ACCESS[0],
        dst_access_mask: ACCESS[1],
        dependency_flags: vk::DependencyFlags::BY_REGION,
    }];
    let create = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: structures live through the call.
    Ok(unsafe { device.functions.create_render_pass(&create, None)? })
}

/// A set with an input attachment.
fn input(
    device: &Device,
    view: vk::ImageView,
) -> Result<(vk::DescriptorSetLayout, vk::DescriptorSet), Error> {
    let kind = vk::DescriptorType::INPUT_ATTACHMENT;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
    let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: 1 }];
    // SAFETY: handles are this device's; structures live through the calls.
    unsafe {
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts = [device.functions.create_descriptor_set_layout(&create, None)?];
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = device.functions.create_descriptor_pool(&create, None)?;
        let create = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = device.functions.allocate_descriptor_sets(&create)?[0];
        let info = [vk::DescriptorImageInfo::default().image_view(view).image_layout(LAYOUT)];
        let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(kind).image_info(&info);
        device.functions.update_descriptor_sets(&[write], &[]);
        Ok((layouts[0], set))
    }
}

/// A pipeline that draws strips of triangles.
fn pipeline_of(
    device: &Device,
    shaders: &[Shader],
    pass: vk::RenderPass,
    [width, height]: [u32; 2],
    set: vk::DescriptorSetLayout,
) -> Result<(vk::PipelineLayout, vk::Pipeline), Error> {
    let constants: Vec<_> = shaders.iter().map(Shader::specialization).collect();
    let stages: Vec<_> =
        shaders.iter().zip(&constants).map(|(shader, constants)| shader.create(constants)).collect();
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_STRIP);
    let extent = vk::Extent2D { width, height };
    let viewports = [vk::Viewport {
        width: width as f32,
        height: height as f32,
        max_depth: 1.0,
        ..vk::Viewport::default()
    }];
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent }];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let targets =
        [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let sets = [set];
    // SAFETY: handles are this device's; structures live through the calls.
    unsafe {
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        let layout = device.functions.create_pipeline_layout(&create, None)?;
        let create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(layout)
            .render_pass(pass);
        let made = device.functions.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None);
        Ok((layout, made.map_err(|(_, error)| error)?[0]))
    }
}

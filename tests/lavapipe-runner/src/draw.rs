//! One draw: vertex and fragment shader to an image of rgba8 pixels.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::pipeline::{Mapped, allocate, barrier};
use crate::request::Reader;

/// A draw. The binary form has the fields in this order.
pub struct Draw<'a> {
    vertex: Vec<u32>,
    fragment: Vec<u32>,
    size: [u32; 2],
    /// Number of vertices.
    vertices: u32,
    /// Bytes from one vertex to the next.
    stride: u32,
    /// Location, Vulkan's number of the format, offset.
    attributes: Vec<[u32; 3]>,
    /// Vertex data.
    data: &'a [u8],
    /// The uniform buffer of binding 0.
    uniforms: &'a [u8],
    /// 0 replaces, 1 source over destination, 2 sum, 3 product with the destination.
    blend: u32,
    /// Whether depth is tested, so that the nearest triangle is visible.
    depth: u32,
    /// 0 draws both faces, 1 culls front faces, 2 back faces; front faces run counter-clockwise.
    cull: u32,
}

const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

impl<'a> Draw<'a> {
    /// Parses the binary form; `None` if it is truncated.
    pub fn parse(bytes: &'a [u8]) -> Option<Draw<'a>> {
        let mut reader = Reader(bytes);
        let module = |reader: &mut Reader<'a>| {
            let (words, _) = reader.bytes()?.as_chunks::<4>();
            Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
        };
        Some(Draw {
            vertex: module(&mut reader)?,
            fragment: module(&mut reader)?,
            size: [reader.word()?, reader.word()?],
            vertices: reader.word()?,
            stride: reader.word()?,
            attributes: reader.list(|reader| Some([reader.word()?, reader.word()?, reader.word()?]))?,
            data: reader.bytes()?,
            uniforms: reader.bytes()?,
            blend: reader.word()?,
            depth: reader.word()?,
            cull: reader.word()?,
        })
    }

    fn extent(&self) -> vk::Extent2D {
        vk::Extent2D { width: self.size[0], height: self.size[1] }
    }
}

/// An image with the size of the framebuffer.
struct Target {
    image: vk::Image,
    view: vk::ImageView,
    aspect: vk::ImageAspectFlags,
}

/// Draws, and returns the pixels.
///
/// # Errors
/// Vulkan's error.
pub fn run(device: &Device, draw: &Draw<'_>) -> Result<Vec<u8>, Error> {
    let colour = target(device, draw, COLOUR)?;
    let depth = target(device, draw, DEPTH)?;
    let data = allocate(device, draw.data, vk::BufferUsageFlags::VERTEX_BUFFER)?;
    let uniforms = allocate(device, draw.uniforms, vk::BufferUsageFlags::UNIFORM_BUFFER)?;
    let blank = vec![0; 4 * draw.size[0] as usize * draw.size[1] as usize];
    let pixels = allocate(device, &blank, vk::BufferUsageFlags::TRANSFER_SRC)?;
    let (layout, set) = uniform_set(device, &uniforms)?;
    let pipeline = pipeline(device, draw, layout)?;
    let functions = &device.functions;
    let graphics = vk::PipelineBindPoint::GRAPHICS;
    device.execute(|command| {
        [&colour, &depth]
            .iter()
            .for_each(|target| device.prepare_image(command, target.image, target.aspect));
        begin(device, command, draw, &colour, &depth);
        // SAFETY: all handles are this device's, and the command buffer is being recorded.
        unsafe {
            functions.cmd_bind_pipeline(command, graphics, pipeline);
            functions.cmd_bind_descriptor_sets(command, graphics, layout, 0, &[set], &[]);
            functions.cmd_bind_vertex_buffers(command, 0, &[data.buffer], &[0]);
            functions.cmd_draw(command, draw.vertices, 1, 0, 0);
            functions.cmd_end_rendering(command);
        }
        barrier(device, command);
        colour.read_back(device, command, draw, &pixels);
    })?;
    Ok(pixels.contents())
}

fn target(device: &Device, draw: &Draw<'_>, format: vk::Format) -> Result<Target, Error> {
    let (aspect, usage) = match format {
        DEPTH => (vk::ImageAspectFlags::DEPTH, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT),
        _ => (vk::ImageAspectFlags::COLOR, vk::ImageUsageFlags::COLOR_ATTACHMENT),
    };
    let create = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width: draw.size[0], height: draw.size[1], depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage | vk::ImageUsageFlags::TRANSFER_SRC);
    let (image, view) = device.image(&create, vk::ImageViewType::TYPE_2D, aspect)?;
    Ok(Target { image, view, aspect })
}

impl Target {
    /// Records the copy of the pixels to `pixels`.
    fn read_back(&self, device: &Device, command: vk::CommandBuffer, draw: &Draw<'_>, pixels: &Mapped) {
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(self.aspect).layer_count(1);
        let extent = vk::Extent3D { width: draw.size[0], height: draw.size[1], depth: 1 };
        let copy = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: the buffer is as long as the image's pixels.
        unsafe {
            device.functions.cmd_copy_image_to_buffer(command, self.image, layout, pixels.buffer, &[copy])
        };
    }
}

/// Records the start of rendering to cleared targets: black, and maximum depth.
fn begin(device: &Device, command: vk::CommandBuffer, draw: &Draw<'_>, colour: &Target, depth: &Target) {
    let attachment = |target: &Target, clear| {
        vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(clear)
    };
    let black = vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] };
    let colours = [attachment(colour, vk::ClearValue { color: black })];
    let far = vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 };
    let depth = attachment(depth, vk::ClearValue { depth_stencil: far });
    let rendering = vk::RenderingInfo::default()
        .render_area(vk::Rect2D::default().extent(draw.extent()))
        .layer_count(1)
        .color_attachments(&colours)
        .depth_attachment(&depth);
    // SAFETY: the views are of images in the layout named, and the structures live through the call.
    unsafe { device.functions.cmd_begin_rendering(command, &rendering) };
}

/// A set with the uniform buffer at binding 0, and the layout of pipelines that use it.
fn uniform_set(device: &Device, uniforms: &Mapped) -> Result<(vk::PipelineLayout, vk::DescriptorSet), Error> {
    let ty = vk::DescriptorType::UNIFORM_BUFFER;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(ty)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)];
    let sizes = [vk::DescriptorPoolSize::default().ty(ty).descriptor_count(1)];
    let buffers = [vk::DescriptorBufferInfo::default().buffer(uniforms.buffer).range(vk::WHOLE_SIZE)];
    let functions = &device.functions;
    // SAFETY: all handles are this device's, and the structures live through the calls.
    unsafe {
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts = [functions.create_descriptor_set_layout(&create, None)?];
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = functions.create_descriptor_pool(&create, None)?;
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let sets = functions.allocate_descriptor_sets(&allocate)?;
        let set = *sets.first().ok_or("no descriptor set")?;
        let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(ty).buffer_info(&buffers);
        functions.update_descriptor_sets(&[write], &[]);
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        Ok((functions.create_pipeline_layout(&create, None)?, set))
    }
}

fn blending(kind: u32) -> vk::PipelineColorBlendAttachmentState {
    let (source, destination) = match kind {
        1 => (vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA),
        2 => (vk::BlendFactor::ONE, vk::BlendFactor::ONE),
        _ => (vk::BlendFactor::DST_COLOR, vk::BlendFactor::ZERO),
    };
    vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(kind != 0)
        .src_color_blend_factor(source)
        .dst_color_blend_factor(destination)
        .src_alpha_blend_factor(source)
        .dst_alpha_blend_factor(destination)
        .color_write_mask(vk::ColorComponentFlags::RGBA)
}

fn stage(
    device: &Device,
    stage: vk::ShaderStageFlags,
    words: &[u32],
) -> Result<vk::PipelineShaderStageCreateInfo<'static>, Error> {
    let create = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: the module is valid SPIR-V, which the caller guarantees.
    let module = unsafe { device.functions.create_shader_module(&create, None) }?;
    Ok(vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main"))
}

fn attributes(draw: &Draw<'_>) -> Vec<vk::VertexInputAttributeDescription> {
    let attribute = |[location, format, offset]: &[u32; 3]| {
        vk::VertexInputAttributeDescription::default()
            .location(*location)
            .format(vk::Format::from_raw(*format as i32))
            .offset(*offset)
    };
    draw.attributes.iter().map(attribute).collect()
}

fn pipeline(device: &Device, draw: &Draw<'_>, layout: vk::PipelineLayout) -> Result<vk::Pipeline, Error> {
    let stages = [
        stage(device, vk::ShaderStageFlags::VERTEX, &draw.vertex)?,
        stage(device, vk::ShaderStageFlags::FRAGMENT, &draw.fragment)?,
    ];
    let bindings = [vk::VertexInputBindingDescription::default().stride(draw.stride)];
    let attributes = attributes(draw);
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let [width, height] = draw.size.map(|side| side as f32);
    let viewports = [vk::Viewport::default().width(width).height(height).max_depth(1.0)];
    let scissors = [vk::Rect2D::default().extent(draw.extent())];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let cull = [vk::CullModeFlags::NONE, vk::CullModeFlags::FRONT, vk::CullModeFlags::BACK];
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .line_width(1.0)
        .cull_mode(cull[draw.cull.min(2) as usize])
        .front_face(vk::FrontFace::COUNTER_CLOCKWISE);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(draw.depth != 0)
        .depth_write_enable(draw.depth != 0)
        .depth_compare_op(vk::CompareOp::LESS);
    let attachments = [blending(draw.blend)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
    let formats = [COLOUR];
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&formats)
        .depth_attachment_format(DEPTH);
    let create = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .layout(layout)
        .push_next(&mut rendering);
    // SAFETY: all handles are this device's, and the structures live through the call.
    let made =
        unsafe { device.functions.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) };
    made.map_err(|(_, error)| error)?.first().copied().ok_or_else(|| "no pipeline".into())
}

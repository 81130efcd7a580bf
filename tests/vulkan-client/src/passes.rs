//! Render passes of several subpasses, each with one draw: attachments with their operations, views, inputs and resolves.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::image::{self, Format, Image, Shape, aspect};
use crate::pipeline::{self, Shader};
use crate::request::Request;

/// Everything is in one layout.
const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;
const UNUSED: vk::AttachmentReference =
    vk::AttachmentReference { attachment: vk::ATTACHMENT_UNUSED, layout: LAYOUT };

/// An attachment: `attachment FORMAT LOAD STORE [SAMPLES] [LAYERS] [FORMAT OF THE VIEW]`.
struct Attachment {
    format: Format,
    shown: Format,
    load: vk::AttachmentLoadOp,
    store: vk::AttachmentStoreOp,
    samples: u32,
    layers: u32,
    integer: bool,
}

impl Attachment {
    fn new(words: &[String]) -> Result<Attachment, Error> {
        let word = |at: usize| words.get(at).map(String::as_str);
        let number = |at: usize| word(at).map_or(Ok(1), str::parse);
        let name = word(0).ok_or("`attachment` wants a format")?;
        let shown = word(5).unwrap_or(name);
        Ok(Attachment {
            format: image::format(name)?,
            shown: image::format(shown)?,
            load: match word(1) {
                Some("clear") => vk::AttachmentLoadOp::CLEAR,
                Some("load") => vk::AttachmentLoadOp::LOAD,
                _ => vk::AttachmentLoadOp::DONT_CARE,
            },
            store: match word(2) {
                Some("store") => vk::AttachmentStoreOp::STORE,
                _ => vk::AttachmentStoreOp::DONT_CARE,
            },
            samples: number(3)?,
            layers: number(4)?,
            integer: shown.ends_with('i'),
        })
    }

    fn aspect(&self) -> vk::ImageAspectFlags {
        aspect(self.format.format)
    }

    fn is_colour(&self) -> bool {
        self.aspect() == vk::ImageAspectFlags::COLOR
    }

    fn image(&self, device: &Device, [width, height]: [u32; 2]) -> Result<Image, Error> {
        use vk::ImageUsageFlags as U;
        let target = if self.is_colour() { U::COLOR_ATTACHMENT } else { U::DEPTH_STENCIL_ATTACHMENT };
        let copies = U::TRANSFER_SRC | U::TRANSFER_DST;
        Image::new(
            device,
            &Shape {
                format: self.format,
                size: [width, height, 1],
                layers: self.layers,
                levels: 1,
                samples: self.samples,
                view: vk::ImageViewType::TYPE_2D_ARRAY,
                usage: target | copies | U::INPUT_ATTACHMENT,
                mutable: self.format.format != self.shown.format,
                linear: false,
            },
        )
    }

    fn view(&self, device: &Device, image: &Image) -> Result<vk::ImageView, Error> {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect())
            .level_count(1)
            .layer_count(self.layers);
        let create = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(self.shown.format)
            .subresource_range(range);
        // SAFETY: the image is this device's; the structure lives through the call.
        Ok(unsafe { device.functions.create_image_view(&create, None)? })
    }

    fn description(&self) -> vk::AttachmentDescription {
        vk::AttachmentDescription::default()
            .format(self.shown.format)
            .samples(vk::SampleCountFlags::from_raw(self.samples))
            .load_op(self.load)
            .store_op(self.store)
            .stencil_load_op(self.load)
            .stencil_store_op(self.store)
            .initial_layout(LAYOUT)
            .final_layout(LAYOUT)
    }

    /// The value to which the pass clears it.
    fn clear(&self) -> vk::ClearValue {
        match (self.is_colour(), self.integer) {
            (true, false) => {
                vk::ClearValue { color: vk::ClearColorValue { float32: [0.75, 0.125, 0.5, 1.0] } }
            }
            (true, true) => vk::ClearValue { color: vk::ClearColorValue { uint32: [3, 7, 11, 13] } },
            _ => vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 0.25, stencil: 3 } },
        }
    }

    /// Gives the image its contents before the pass.
    fn fill(&self, device: &Device, commands: vk::CommandBuffer, image: &Image) {
        image.general(device, commands);
        let range = [vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect())
            .level_count(1)
            .layer_count(self.layers)];
        let functions = &device.functions;
        let words = [0.25_f32, 0.5, 0.75, 1.0].map(|value| if self.integer { 5 } else { value.to_bits() });
        let colour = vk::ClearColorValue { uint32: words };
        let depth = vk::ClearDepthStencilValue { depth: 0.75, stencil: 9 };
        // SAFETY: the command buffer is being recorded; the image is this device's.
        unsafe {
            match self.is_colour() {
                true => functions.cmd_clear_color_image(commands, image.image, LAYOUT, &colour, &range),
                false => {
                    functions.cmd_clear_depth_stencil_image(commands, image.image, LAYOUT, &depth, &range);
                }
            }
        }
        device.barrier(commands);
    }
}

/// A subpass: `subpass VIEWS` and attachments by number: `c0` a colour, `r1` an image to resolve the colour before it to, `d2`
/// depth and stencil, `z3` and `s3` an image to resolve depth or stencil to (the first sample), `i0` an input.
#[derive(Default)]
struct Subpass {
    views: u32,
    colours: Vec<vk::AttachmentReference>,
    resolves: Vec<vk::AttachmentReference>,
    depth: Option<vk::AttachmentReference>,
    inputs: Vec<vk::AttachmentReference>,
    /// The target of resolved depth or stencil.
    depth_target: Option<u32>,
    /// The modes for depth and for stencil.
    depth_modes: [vk::ResolveModeFlags; 2],
}

impl Subpass {
    fn new(words: &[String]) -> Result<Subpass, Error> {
        let views = words.first().ok_or("`subpass` wants views")?.parse()?;
        let mut subpass = Subpass { views, ..Subpass::default() };
        for word in &words[1..] {
            let (kind, number) = word.split_at(1);
            let reference = vk::AttachmentReference { attachment: number.parse()?, layout: LAYOUT };
            match kind {
                "c" => subpass.colours.push(reference),
                "r" => {
                    subpass.resolves.resize(subpass.colours.len().saturating_sub(1), UNUSED);
                    subpass.resolves.push(reference);
                }
                "d" => subpass.depth = Some(reference),
                "i" => subpass.inputs.push(reference),
                "z" | "s" => {
                    subpass.depth_target = Some(reference.attachment);
                    subpass.depth_modes[usize::from(kind == "s")] = vk::ResolveModeFlags::SAMPLE_ZERO;
                }
                other => return Err(format!("unknown kind of attachment `{other}`").into()),
            }
        }
        if !subpass.resolves.is_empty() {
            subpass.resolves.resize(subpass.colours.len(), UNUSED);
        }
        Ok(subpass)
    }

    fn description(&self) -> vk::SubpassDescription<'_> {
        let description = vk::SubpassDescription::default()
            .color_attachments(&self.colours)
            .resolve_attachments(&self.resolves)
            .input_attachments(&self.inputs);
        match &self.depth {
            Some(depth) => description.depth_stencil_attachment(depth),
            None => description,
        }
    }
}

/// Runs the pass and gives the contents of the attachments that are stored and have one sample.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn run(device: &Device, request: &Request) -> Result<Vec<u8>, Error> {
    let size @ [width, height] = request.numbers("size", [32, 32])?;
    let [left, top, across, down] = request.numbers("area", [0, 0, width, height])?;
    let attachments = request.all("attachment").map(Attachment::new).collect::<Result<Vec<_>, _>>()?;
    let subpasses = request.all("subpass").map(Subpass::new).collect::<Result<Vec<_>, _>>()?;
    let images = attachments.iter().map(|a| a.image(device, size)).collect::<Result<Vec<_>, _>>()?;
    let views = attachments.iter().zip(&images).map(|(a, image)| a.view(device, image));
    let views = views.collect::<Result<Vec<_>, _>>()?;
    let pass = pass(device, &attachments, &subpasses)?;
    let shaders = pipeline::shaders(device, request)?;
    let shaders = Stages::new(&shaders);
    let drawn = (0..).zip(&subpasses).map(|(number, subpass)| {
        let inputs = subpass.inputs.iter().map(|input| views[input.attachment as usize]).collect::<Vec<_>>();
        let used = subpass.colours.iter().chain(&subpass.depth);
        let samples = used.map(|used| attachments[used.attachment as usize].samples).next().unwrap_or(1);
        let set = set(device, &inputs)?;
        drawn(device, &shaders.of(number), (pass, number as u32), (subpass, samples), size, set)
    });
    let drawn = drawn.collect::<Result<Vec<_>, _>>()?;
    let layers = if subpasses.iter().any(|subpass| subpass.views != 0) { 1 } else { attachments[0].layers };
    let create = vk::FramebufferCreateInfo::default()
        .render_pass(pass)
        .attachments(&views)
        .width(width)
        .height(height)
        .layers(layers);
    let clears = attachments.iter().map(Attachment::clear).collect::<Vec<_>>();
    let area = vk::Rect2D {
        offset: vk::Offset2D { x: left as i32, y: top as i32 },
        extent: vk::Extent2D { width: across, height: down },
    };
    let mut results = Vec::new();
    device.submit(|commands| {
        attachments.iter().zip(&images).for_each(|(a, image)| a.fill(device, commands, image));
        // SAFETY: handles are this device's; structures live through the calls.
        unsafe {
            let framebuffer = device.functions.create_framebuffer(&create, None)?;
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(area)
                .clear_values(&clears);
            device.functions.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            drawn.iter().enumerate().for_each(|(number, drawn)| drawn.record(device, commands, number));
            device.functions.cmd_end_render_pass(commands);
        }
        for (attachment, image) in attachments.iter().zip(&images) {
            use vk::ImageAspectFlags as A;
            let is_read = attachment.store == vk::AttachmentStoreOp::STORE && attachment.samples == 1;
            let aspects = [A::COLOR, A::DEPTH, A::STENCIL].into_iter();
            for aspect in aspects.filter(|aspect| is_read && attachment.aspect().contains(*aspect)) {
                let into = device.buffer(&vec![0; image.bytes() as usize])?;
                image.download(device, commands, &into, aspect);
                results.push(into);
            }
        }
        Ok(())
    })?;
    Ok(results.iter().flat_map(crate::device::Buffer::read).collect())
}

/// A pass of one subpass with a resolve of depth and stencil.
fn resolving_pass(
    device: &Device,
    attachments: &[Attachment],
    subpass: &Subpass,
    target: u32,
) -> Result<vk::RenderPass, Error> {
    let second = |of: &vk::AttachmentReference| {
        vk::AttachmentReference2::default().attachment(of.attachment).layout(of.layout)
    };
    let described = attachments.iter().map(Attachment::description).map(|of| {
        vk::AttachmentDescription2::default()
            .format(of.format)
            .samples(of.samples)
            .load_op(of.load_op)
            .store_op(of.store_op)
            .stencil_load_op(of.stencil_load_op)
            .stencil_store_op(of.stencil_store_op)
            .initial_layout(of.initial_layout)
            .final_layout(of.final_layout)
    });
    let described = described.collect::<Vec<_>>();
    let colours = subpass.colours.iter().map(second).collect::<Vec<_>>();
    let depth = second(&subpass.depth.unwrap_or(UNUSED));
    let target = vk::AttachmentReference2::default().attachment(target).layout(LAYOUT);
    let [of_depth, of_stencil] = subpass.depth_modes;
    let mut resolve = vk::SubpassDescriptionDepthStencilResolve::default()
        .depth_resolve_mode(of_depth)
        .stencil_resolve_mode(of_stencil)
        .depth_stencil_resolve_attachment(&target);
    let subpasses = [vk::SubpassDescription2::default()
        .color_attachments(&colours)
        .depth_stencil_attachment(&depth)
        .push_next(&mut resolve)];
    let create = vk::RenderPassCreateInfo2::default().attachments(&described).subpasses(&subpasses);
    // SAFETY: structures live through the call.
    Ok(unsafe { device.functions.create_render_pass2(&create, None)? })
}

fn pass(device: &Device, attachments: &[Attachment], subpasses: &[Subpass]) -> Result<vk::RenderPass, Error> {
    if let [subpass @ Subpass { depth_target: Some(target), .. }] = subpasses {
        return resolving_pass(device, attachments, subpass, *target);
    }
    let described = attachments.iter().map(Attachment::description).collect::<Vec<_>>();
    let subpasses_described = subpasses.iter().map(Subpass::description).collect::<Vec<_>>();
    let views = subpasses.iter().map(|subpass| subpass.views).collect::<Vec<_>>();
    let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let dependency = |number: u32| vk::SubpassDependency {
        src_subpass: number - 1,
        dst_subpass: number,
        src_stage_mask: vk::PipelineStageFlags::ALL_GRAPHICS,
        dst_stage_mask: vk::PipelineStageFlags::ALL_GRAPHICS,
        src_access_mask: all,
        dst_access_mask: all,
        dependency_flags: vk::DependencyFlags::BY_REGION,
    };
    let dependencies = (1..subpasses.len() as u32).map(dependency).collect::<Vec<_>>();
    let mut multiview = vk::RenderPassMultiviewCreateInfo::default().view_masks(&views);
    let mut create = vk::RenderPassCreateInfo::default()
        .attachments(&described)
        .subpasses(&subpasses_described)
        .dependencies(&dependencies);
    if views.iter().any(|views| *views != 0) {
        create = create.push_next(&mut multiview);
    }
    // SAFETY: structures live through the call.
    Ok(unsafe { device.functions.create_render_pass(&create, None)? })
}

/// A set with input attachments at the bindings of their numbers.
fn set(
    device: &Device,
    inputs: &[vk::ImageView],
) -> Result<(vk::DescriptorSetLayout, vk::DescriptorSet), Error> {
    let kind = vk::DescriptorType::INPUT_ATTACHMENT;
    let bindings = (0..inputs.len() as u32)
        .map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::FRAGMENT)
        })
        .collect::<Vec<_>>();
    let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: inputs.len().max(1) as u32 }];
    // SAFETY: handles are this device's; structures live through the calls.
    unsafe {
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts = [device.functions.create_descriptor_set_layout(&create, None)?];
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = device.functions.create_descriptor_pool(&create, None)?;
        let create = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = device.functions.allocate_descriptor_sets(&create)?[0];
        for (binding, view) in (0..).zip(inputs) {
            let info = [vk::DescriptorImageInfo::default().image_view(*view).image_layout(LAYOUT)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(kind)
                .image_info(&info);
            device.functions.update_descriptor_sets(&[write], &[]);
        }
        Ok((layouts[0], set))
    }
}

/// The draw of a subpass.
struct Drawn {
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    set: vk::DescriptorSet,
}

impl Drawn {
    /// Records the subpass with this number.
    fn record(&self, device: &Device, commands: vk::CommandBuffer, number: usize) {
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: a pass has begun in the command buffer; handles are this device's.
        unsafe {
            if number > 0 {
                device.functions.cmd_next_subpass(commands, vk::SubpassContents::INLINE);
            }
            device.functions.cmd_bind_pipeline(commands, point, self.pipeline);
            device.functions.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            device.functions.cmd_draw(commands, 4, 1, 0, 0);
        }
    }
}

/// The shaders of a request: a vertex shader, and a fragment shader for each subpass.
struct Stages<'s>(Vec<&'s Shader>, Vec<&'s Shader>);

impl<'s> Stages<'s> {
    fn new(shaders: &'s [Shader]) -> Stages<'s> {
        let (fragments, others) =
            shaders.iter().partition(|shader| shader.stage == vk::ShaderStageFlags::FRAGMENT);
        Stages(others, fragments)
    }

    /// Those of a subpass; the last fragment shader is that of all later subpasses.
    fn of(&self, number: usize) -> Vec<&'s Shader> {
        let fragment = self.1.get(number).or(self.1.last());
        self.0.iter().chain(fragment).copied().collect()
    }
}

/// A pipeline that draws strips of triangles, and writes depth.
fn drawn(
    device: &Device,
    shaders: &[&Shader],
    (pass, number): (vk::RenderPass, u32),
    (subpass, samples): (&Subpass, u32),
    [width, height]: [u32; 2],
    (set_layout, set): (vk::DescriptorSetLayout, vk::DescriptorSet),
) -> Result<Drawn, Error> {
    let constants: Vec<_> = shaders.iter().map(|shader| shader.specialization()).collect();
    let stages: Vec<_> =
        shaders.iter().zip(&constants).map(|(shader, constants)| shader.create(constants)).collect();
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_STRIP);
    let extent = vk::Extent2D { width, height };
    let (width, height) = (width as f32, height as f32);
    let viewports = [vk::Viewport { width, height, max_depth: 1.0, ..vk::Viewport::default() }];
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent }];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::SampleCountFlags::from_raw(samples);
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
    let target =
        vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
    let targets = vec![target; subpass.colours.len()];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::ALWAYS);
    let sets = [set_layout];
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
            .depth_stencil_state(&depth)
            .layout(layout)
            .render_pass(pass)
            .subpass(number);
        let made = device.functions.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None);
        Ok(Drawn { layout, pipeline: made.map_err(|(_, error)| error)?[0], set })
    }
}

//! Draws: a render pass with one pipeline, whose targets, depth and counters are read back.

use ash::vk;

use crate::Error;
use crate::condition::{Condition, Scope, primary, within};
use crate::device::{Buffer, Device};
use crate::generated::Commands;
use crate::image::{Image, Shape, aspect, format};
use crate::pipeline::{Bound, shaders};
use crate::request::Request;

use feedback::Feedback;
use way::Way;

mod feedback;
mod meshes;
mod state;
mod way;

/// The render targets of a draw.
struct Targets {
    colours: Vec<Image>,
    /// Single-sample images that the colours are resolved to.
    resolved: Vec<Image>,
    depth: Option<(Image, vk::Format)>,
    size: [u32; 2],
    layers: u32,
    samples: u32,
}

impl Targets {
    fn new(device: &Device, request: &Request) -> Result<Targets, Error> {
        let [width, height] = request.numbers("size", [32, 32])?;
        let [layers] = request.numbers("layers", [1])?;
        let [samples] = request.numbers("samples", [1])?;
        let view = match layers {
            1 => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let shape = |name: &str, samples: u32, usage| {
            Ok::<_, Error>(Shape {
                format: format(name)?,
                size: [width, height, 1],
                layers,
                levels: 1,
                samples,
                view,
                usage,
                mutable: false,
                linear: false,
            })
        };
        let mut colours = Vec::new();
        let mut resolved = Vec::new();
        for words in request.all("target") {
            let name = words.first().ok_or("`target` wants a format")?;
            let colour = usage | vk::ImageUsageFlags::COLOR_ATTACHMENT;
            colours.push(Image::new(device, &shape(name, samples, colour)?)?);
            if samples > 1 {
                resolved.push(Image::new(device, &shape(name, 1, colour)?)?);
            }
        }
        let depth = match request.words("depth").or(request.words("stencil_only")) {
            Some(words) => {
                let name = words.first().ok_or("`depth` wants a format")?;
                let shape = shape(name, samples, usage | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT)?;
                Some((Image::new(device, &shape)?, shape.format.format))
            }
            None => None,
        };
        Ok(Targets { colours, resolved, depth, size: [width, height], layers, samples })
    }

    fn all(&self) -> impl Iterator<Item = &Image> {
        self.colours.iter().chain(&self.resolved).chain(self.depth.iter().map(|(image, _)| image))
    }
}

/// Buffers a draw reads, the draws that are generated, and the condition on which draws depend.
struct Inputs<'d> {
    condition: Option<Condition<'d>>,
    generated: Option<Commands<'d>>,
    vertices: Vec<Buffer>,
    indices: Option<(Buffer, vk::IndexType, u32)>,
    feedback: Option<Feedback>,
}

impl Inputs<'_> {
    fn new(device: &Device, request: &Request) -> Result<Self, Error> {
        let mut vertices = Vec::new();
        for words in request.all("vertex_data") {
            let words = words.get(2..).ok_or("`vertex_data` wants a stride and a rate")?;
            let words: Vec<u32> =
                words.iter().map(|word| crate::request::number(word)).collect::<Result<_, _>>()?;
            let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            vertices.push(device.buffer(&bytes)?);
        }
        let indices = match request.words("indices") {
            Some(words) => Some(indices(device, words)?),
            None => None,
        };
        let (generated, condition) = Default::default();
        Ok(Inputs { condition, generated, vertices, indices, feedback: Feedback::new(device, request)? })
    }
}

fn indices(device: &Device, words: &[String]) -> Result<(Buffer, vk::IndexType, u32), Error> {
    let kind = words.first().ok_or("`indices` wants a type")?;
    let numbers: Vec<u32> =
        words[1..].iter().map(|word| crate::request::number(word)).collect::<Result<_, _>>()?;
    let count = numbers.len() as u32;
    let (bytes, kind): (Vec<u8>, _) = match kind.as_str() {
        "u16" => {
            (numbers.iter().flat_map(|index| (*index as u16).to_le_bytes()).collect(), vk::IndexType::UINT16)
        }
        "u32" => (numbers.iter().flat_map(|index| index.to_le_bytes()).collect(), vk::IndexType::UINT32),
        other => return Err(format!("unknown index type `{other}`").into()),
    };
    Ok((device.buffer(&bytes)?, kind, count))
}

/// Runs a draw; gives the contents of its targets, depth and stencil, counters, buffers.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn run(device: &Device, request: &Request) -> Result<Vec<u8>, Error> {
    let bound = Bound::new(device, request)?;
    let targets = Targets::new(device, request)?;
    let inputs = Inputs::new(device, request)?;
    let modules = shaders(device, request)?;
    let way = Way::new(device, request, &modules, &bound)?;
    let query = query(device, request)?;
    let stages = modules.iter().fold(vk::ShaderStageFlags::empty(), |all, shader| all | shader.stage);
    let generated = match request.has("generated") {
        true => Some(Commands::new(device, request, &bound, (way.programs(), stages))?),
        false => None,
    };
    let inputs = Inputs { generated, condition: Condition::new(device, request, &bound)?, ..inputs };
    let commands = device.recorded(|commands| {
        for image in targets.all() {
            image.general(device, commands);
        }
        if let Some(pool) = query {
            // SAFETY: the command buffer is being recorded.
            unsafe { device.functions.cmd_reset_query_pool(commands, pool, 0, 2 * views(request)?) };
        }
        let passes = if request.has("load") || request.has("fed") { 2 } else { 1 };
        primary(inputs.condition.as_ref(), commands, || {
            for pass in 0..passes {
                begin(device, commands, request, &targets, pass)?;
                let query = query.filter(|_| pass == 0);
                let draws = |commands| record(device, commands, request, &bound, &inputs, &way, query, pass);
                match request.has("secondary") {
                    true => state::inherited(request, |inheritance| {
                        let [levels] = request.numbers("secondary", [1])?;
                        device.secondary(commands, inheritance, levels, draws)
                    })?,
                    false => draws(commands)?,
                }
                // SAFETY: the pass was begun above.
                unsafe { device.functions.cmd_end_rendering(commands) };
                device.barrier(commands);
            }
            Ok(())
        })
    })?;
    bound.write_late(device);
    device.submit_recorded(commands)?;
    results(device, request, &bound, &targets, &inputs, query)
}

/// Queries that one takes: one for each view.
fn views(request: &Request) -> Result<u32, Error> {
    let [views] = request.numbers("views", [0])?;
    Ok(views.count_ones().max(1))
}

/// Statistics of which the API leaves nothing to drivers.
const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES.as_raw()
        | vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::GEOMETRY_SHADER_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::GEOMETRY_SHADER_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::TESSELLATION_CONTROL_SHADER_PATCHES.as_raw(),
);

/// The statistics of a request.
fn statistics(request: &Request) -> vk::QueryPipelineStatisticFlags {
    match request.word("query") {
        Ok("mesh_statistics") => meshes::STATISTICS,
        _ => STATISTICS,
    }
}

fn query(device: &Device, request: &Request) -> Result<Option<vk::QueryPool>, Error> {
    if !request.has("query") {
        return Ok(None);
    }
    let count = 2 * views(request)?;
    let kind = match request.word("query") {
        Ok("feedback") => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
        Ok("drawn") => vk::QueryType::PRIMITIVES_GENERATED_EXT,
        Ok("statistics" | "mesh_statistics") => vk::QueryType::PIPELINE_STATISTICS,
        Ok("meshes") => vk::QueryType::MESH_PRIMITIVES_GENERATED_EXT,
        _ => vk::QueryType::OCCLUSION,
    };
    let create = vk::QueryPoolCreateInfo::default()
        .query_type(kind)
        .query_count(count)
        .pipeline_statistics(statistics(request));
    // SAFETY: the structure lives through the call.
    Ok(Some(unsafe { device.functions.create_query_pool(&create, None)? }))
}

/// The colour attachments of a pass.
fn colours<'t>(
    request: &Request,
    targets: &'t Targets,
    clear: [u32; 4],
    load: vk::AttachmentLoadOp,
) -> Vec<vk::RenderingAttachmentInfo<'t>> {
    let general = vk::ImageLayout::GENERAL;
    let unused = request.words("unused").map(|words| words.to_vec()).unwrap_or_default();
    let view = |at: usize| match unused.contains(&at.to_string()) {
        true => vk::ImageView::null(),
        false => targets.colours[at].view,
    };
    (0..targets.colours.len())
        .map(|at| {
            let info = vk::RenderingAttachmentInfo::default()
                .image_view(view(at))
                .image_layout(general)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(vk::ClearValue { color: vk::ClearColorValue { uint32: clear } });
            match targets.resolved.get(at) {
                Some(resolved) => info
                    .resolve_mode(match request.has("integer") {
                        true => vk::ResolveModeFlags::SAMPLE_ZERO,
                        false => vk::ResolveModeFlags::AVERAGE,
                    })
                    .resolve_image_view(resolved.view)
                    .resolve_image_layout(general),
                None => info,
            }
        })
        .collect()
}

fn begin(
    device: &Device,
    commands: vk::CommandBuffer,
    request: &Request,
    targets: &Targets,
    pass: u32,
) -> Result<(), Error> {
    let clear = request.words("clear").map_or(Ok(Vec::new()), |words| {
        words.iter().map(|word| crate::request::number(word)).collect::<Result<Vec<u32>, _>>()
    })?;
    let mut colour = [0.1_f32.to_bits(), 0.2_f32.to_bits(), 0.3_f32.to_bits(), 1.0_f32.to_bits()];
    colour.iter_mut().zip(clear).for_each(|(place, word)| *place = word);
    let load = if pass > 0 { vk::AttachmentLoadOp::LOAD } else { vk::AttachmentLoadOp::CLEAR };
    let general = vk::ImageLayout::GENERAL;
    let colours = colours(request, targets, colour, load);
    let [clear_depth] = request.floats("clear_depth", [1.0])?;
    let [clear_stencil] = request.numbers("clear_stencil", [0])?;
    let value = vk::ClearDepthStencilValue { depth: clear_depth, stencil: clear_stencil };
    let depth = targets.depth.as_ref().map(|(image, _)| {
        vk::RenderingAttachmentInfo::default()
            .image_view(image.view)
            .image_layout(general)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue { depth_stencil: value })
    });
    let [width, height] = targets.size;
    let [views] = request.numbers("views", [0])?;
    let extent = vk::Extent2D { width, height };
    let flags = match request.has("secondary") {
        true => vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS,
        false => vk::RenderingFlags::empty(),
    };
    let mut info = vk::RenderingInfo::default()
        .flags(flags)
        .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent })
        .layer_count(if views == 0 { targets.layers } else { 1 })
        .view_mask(views)
        .color_attachments(&colours);
    if let Some((depth, (_, format))) = depth.as_ref().zip(targets.depth.as_ref()) {
        if aspect(*format).contains(vk::ImageAspectFlags::DEPTH) {
            info = info.depth_attachment(depth);
        }
        if aspect(*format).contains(vk::ImageAspectFlags::STENCIL) {
            info = info.stencil_attachment(depth);
        }
    }
    // SAFETY: the command buffer is being recorded; structures live through the call.
    unsafe { device.functions.cmd_begin_rendering(commands, &info) };
    Ok(())
}

fn record(
    device: &Device,
    commands: vk::CommandBuffer,
    request: &Request,
    bound: &Bound,
    inputs: &Inputs<'_>,
    way: &Way,
    query: Option<vk::QueryPool>,
    pass: u32,
) -> Result<(), Error> {
    let functions = &device.functions;
    // SAFETY: a pass has begun in the command buffer; handles are this device's.
    unsafe {
        way.bind(device, commands, 0)?;
        for (at, buffer) in inputs.vertices.iter().enumerate() {
            functions.cmd_bind_vertex_buffers(commands, at as u32, &[buffer.buffer], &[0]);
        }
        if let Some((buffer, kind, _)) = &inputs.indices {
            functions.cmd_bind_index_buffer(commands, buffer.buffer, 0, *kind);
        }
        let precise = match request.word("query") {
            Ok("precise") => vk::QueryControlFlags::PRECISE,
            _ => vk::QueryControlFlags::empty(),
        };
        let feedback = device.feedback.as_ref().zip(inputs.feedback.as_ref());
        if let Some((_, captured)) = feedback.filter(|_| pass > 0 && request.has("fed")) {
            let [stride] = request.numbers("fed", [0])?;
            captured.draw(device, commands, stride);
            return Ok(());
        }
        if let Some((feedback, captured)) = feedback {
            captured.begin(feedback, commands, pass > 0 && request.has("resumed"));
        }
        if let Some(pool) = query {
            functions.cmd_begin_query(commands, pool, 0, precise);
        }
        within(inputs.condition.as_ref(), Scope::All, commands, || {
            draws(device, commands, (request, bound), (inputs, way))
        })?;
        if let Some(pool) = query {
            functions.cmd_end_query(commands, pool, 0);
            // Nothing is drawn while the second counts. Of several views each takes a query.
            let second = views(request)?;
            functions.cmd_begin_query(commands, pool, second, precise);
            functions.cmd_end_query(commands, pool, second);
        }
        if let Some((feedback, captured)) = feedback {
            captured.end(feedback, commands);
        }
    }
    Ok(())
}

/// Draws, with each of the pipelines, and clears.
fn draws(
    device: &Device,
    commands: vk::CommandBuffer,
    (request, bound): (&Request, &Bound),
    (inputs, way): (&Inputs<'_>, &Way),
) -> Result<(), Error> {
    let [again] = request.numbers("again", [1])?;
    let one = |number: u32| {
        let condition = inputs.condition.as_ref();
        within(condition, Scope::One(number), commands, || draw(device, commands, request, inputs))
    };
    for number in 0..again {
        let point = vk::PipelineBindPoint::GRAPHICS;
        bound.bind(device, commands, point, (again > 1).then_some(number));
        one(number)?;
    }
    for (number, at) in (again..).zip(1..way.draws()) {
        way.bind(device, commands, at)?;
        one(number)?;
    }
    clear_inside(device, commands, request)
}

/// Clears a part of the first target inside the pass: `inside X Y W H R G B A`.
fn clear_inside(device: &Device, commands: vk::CommandBuffer, request: &Request) -> Result<(), Error> {
    if !request.has("inside") {
        return Ok(());
    }
    let [x, y, width, height, colour @ ..] = request.numbers("inside", [0; 8])?;
    let clear = vk::ClearAttachment::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .clear_value(vk::ClearValue { color: vk::ClearColorValue { uint32: colour } });
    let rect = vk::Rect2D {
        offset: vk::Offset2D { x: x as i32, y: y as i32 },
        extent: vk::Extent2D { width, height },
    };
    let rect = vk::ClearRect::default().rect(rect).layer_count(1);
    // SAFETY: a pass has begun in the command buffer.
    unsafe { device.functions.cmd_clear_attachments(commands, &[clear], &[rect]) };
    Ok(())
}

fn draw(
    device: &Device,
    commands: vk::CommandBuffer,
    request: &Request,
    inputs: &Inputs<'_>,
) -> Result<(), Error> {
    let [vertices] = request.numbers("vertices", [3])?;
    let [instances] = request.numbers("instances", [1])?;
    let [vertex, instance, index] = request.numbers("first", [0; 3])?;
    let functions = &device.functions;
    let words =
        |words: &[u32]| device.buffer(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    if let Some(generated) = &inputs.generated {
        return generated.execute(commands);
    }
    if request.has("meshes") {
        return meshes::draw(device, commands, request);
    }
    if request.has("several") {
        return several(device, commands, inputs, [vertices, instances], [vertex, instance, index]);
    }
    if request.has("counted") {
        return counted(device, commands, request, inputs, [vertices, instances]);
    }
    // SAFETY: a pass has begun in the command buffer; handles are this device's.
    unsafe {
        match (&inputs.indices, request.has("indirect")) {
            (None, false) => functions.cmd_draw(commands, vertices, instances, vertex, instance),
            (None, true) => {
                let buffer = words(&[vertices, instances, vertex, instance])?;
                functions.cmd_draw_indirect(commands, buffer.buffer, 0, 1, 16);
            }
            (Some((_, _, count)), false) => {
                functions.cmd_draw_indexed(commands, *count, instances, index, vertex as i32, instance);
            }
            (Some((_, _, count)), true) => {
                let buffer = words(&[*count, instances, index, vertex, instance])?;
                functions.cmd_draw_indexed_indirect(commands, buffer.buffer, 0, 1, 20);
            }
        }
    }
    Ok(())
}

/// As many draws as a word in memory has, of at most three, each of fewer vertices than the one before.
fn counted(
    device: &Device,
    commands: vk::CommandBuffer,
    request: &Request,
    inputs: &Inputs<'_>,
    [vertices, instances]: [u32; 2],
) -> Result<(), Error> {
    let [count] = request.numbers("counted", [0])?;
    let words = |words: &[u32]| {
        device.buffer(words.iter().map(|word| word.to_le_bytes()).collect::<Vec<_>>().as_flattened())
    };
    let number = words(&[count])?.buffer;
    let functions = &device.functions;
    // SAFETY: a pass has begun in the command buffer; handles are this device's.
    unsafe {
        if let Some((_, _, count)) = &inputs.indices {
            let draws = (0..3).flat_map(|less| [count - less, instances, 0, 0, less]).collect::<Vec<_>>();
            let buffer = words(&draws)?.buffer;
            functions.cmd_draw_indexed_indirect_count(commands, buffer, 0, number, 0, 3, 20);
        } else {
            let draws = (0..3).flat_map(|less| [vertices - less, instances, 0, less]).collect::<Vec<_>>();
            let buffer = words(&draws)?.buffer;
            functions.cmd_draw_indirect_count(commands, buffer, 0, number, 0, 3, 16);
        }
    }
    Ok(())
}

/// Two draws of one command: of half of the vertices each.
fn several(
    device: &Device,
    commands: vk::CommandBuffer,
    inputs: &Inputs<'_>,
    [vertices, instances]: [u32; 2],
    [vertex, instance, index]: [u32; 3],
) -> Result<(), Error> {
    let functions = device.draws.as_ref().ok_or("the driver does not offer several draws at once")?;
    // SAFETY: a pass has begun in the command buffer.
    unsafe {
        if let Some((_, _, count)) = &inputs.indices {
            let half = count / 2;
            let draw = |first_index, index_count| vk::MultiDrawIndexedInfoEXT {
                first_index,
                index_count,
                vertex_offset: vertex as i32,
            };
            let draws = [draw(index, half), draw(index + half, count - half)];
            let (draws, none) = (draws.as_ptr(), std::ptr::null());
            let call = functions.fp().cmd_draw_multi_indexed_ext;
            call(commands, 2, draws, instances, instance, 12, none);
        } else {
            let half = vertices / 2;
            let draw = |first_vertex, vertex_count| vk::MultiDrawInfoEXT { first_vertex, vertex_count };
            let draws = [draw(vertex, half), draw(vertex + half, vertices - half)];
            (functions.fp().cmd_draw_multi_ext)(commands, 2, draws.as_ptr(), instances, instance, 8);
        }
    }
    Ok(())
}

fn results(
    device: &Device,
    request: &Request,
    bound: &Bound,
    targets: &Targets,
    inputs: &Inputs<'_>,
    query: Option<vk::QueryPool>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let colours = if targets.samples > 1 { &targets.resolved } else { &targets.colours };
    let mut copies: Vec<(&Image, vk::ImageAspectFlags)> =
        colours.iter().map(|image| (image, vk::ImageAspectFlags::COLOR)).collect();
    if let Some((image, format)) = targets.depth.as_ref().filter(|_| targets.samples == 1) {
        let parts = [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL];
        copies.extend(
            parts.into_iter().filter(|part| aspect(*format).contains(*part)).map(|part| (image, part)),
        );
    }
    for (image, part) in copies {
        let into = device.buffer(&vec![0; image.bytes() as usize])?;
        device.submit(|commands| {
            image.download(device, commands, &into, part);
            Ok(())
        })?;
        bytes.extend(into.read());
    }
    if let Some(pool) = query {
        let views = views(request)? as usize;
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        let several = match request.word("query") {
            Ok("statistics") => Some(values::<{ STATISTICS.as_raw().count_ones() as usize }>(device, pool)?),
            Ok("mesh_statistics") => Some(values::<2>(device, pool)?),
            // Primitives that were captured, and those there were, of each.
            Ok("feedback") => Some(values::<2>(device, pool)?),
            _ => None,
        };
        if let Some(several) = several {
            bytes.extend(several);
            return captured(device, inputs, bound, bytes);
        }
        let mut all = vec![0_u64; 2 * views];
        // SAFETY: the queries have ended.
        unsafe { device.functions.get_query_pool_results(pool, 0, &mut all, flags)? };
        let mut counts = [&all[..views], &all[views..]].map(|part| part.iter().sum::<u64>());
        if request.word("query").ok() == Some("boolean") {
            counts = counts.map(|count| u64::from(count > 0));
        }
        bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
    }
    captured(device, inputs, bound, bytes)
}

/// The results of two queries of `N` values.
fn values<const N: usize>(device: &Device, pool: vk::QueryPool) -> Result<Vec<u8>, Error> {
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
    let mut all = [[0_u64; N]; 2];
    // SAFETY: the queries have ended.
    unsafe { device.functions.get_query_pool_results(pool, 0, &mut all, flags)? };
    Ok(all.as_flattened().iter().flat_map(|count| count.to_le_bytes()).collect())
}

/// Adds what was captured, and the contents of buffers and images.
fn captured(
    device: &Device,
    inputs: &Inputs<'_>,
    bound: &Bound,
    mut bytes: Vec<u8>,
) -> Result<Vec<u8>, Error> {
    bytes.extend(inputs.feedback.iter().flat_map(Feedback::read));
    bytes.extend(bound.contents(device)?);
    Ok(bytes)
}

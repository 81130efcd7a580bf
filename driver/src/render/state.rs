//! State of the rasteriser, depth and stencil, as records.

use agx_abi::image_layout::depth_stride;
use agx_abi::record::{self as r, Record, render_command as command};
use agx_abi::varyings::{BindingSource, CoefficientBindings, Provoking};
use ash::vk;

use super::{DepthTarget, Graphics, Pass, PassInfo};
use crate::Error;
use crate::draw_state::DrawState;
use crate::graphics::Programs;
use crate::image::PlaneLayout;
use crate::record::Writer;
use crate::words::Words;

/// Depth and stencil of a pass.
pub(super) fn depth_words(mut writer: Writer, info: &PassInfo, layer: Option<u32>) -> Writer {
    let mut control = Writer::new(&r::zls_control::RECORD);
    let loads = |target: &DepthTarget| target.load == vk::AttachmentLoadOp::LOAD;
    let stores =
        |target: &DepthTarget| target.store == vk::AttachmentStoreOp::STORE || target.resolve.is_some();
    if let Some(target) = &info.depth {
        let [base, stride] = place(target, vk::ImageAspectFlags::DEPTH, layer);
        let unorm16 = info.has_unorm_depth();
        control = control
            .set(&r::zls_control::BIT_0, 1)
            .flag(&r::zls_control::Z_LOAD, loads(target))
            .flag(&r::zls_control::Z_STORE, stores(target))
            .set(&r::zls_control::Z_FORMAT, if unorm16 { 2 } else { 0 });
        let clear = f32::from_bits(target.clear).clamp(0.0, 1.0);
        let clear = if unorm16 { (clear * 65535.0).round() as u32 } else { clear.to_bits() };
        writer = writer
            .set(&command::DEPTH_BASE, base)
            .set(&command::DEPTH_STRIDE, depth_stride(stride))
            .set(&command::CLEAR_DEPTH, clear.into())
            .flag(&command::INTEGER_BIAS, unorm16);
    }
    if let Some(target) = &info.stencil {
        let [base, stride] = place(target, vk::ImageAspectFlags::STENCIL, layer);
        control = control
            .set(&r::zls_control::BIT_0, 1)
            .flag(&r::zls_control::S_LOAD, loads(target))
            .flag(&r::zls_control::S_STORE, stores(target));
        writer = writer
            .set(&command::STENCIL_BASE, base)
            .set(&command::STENCIL_STRIDE, depth_stride(stride))
            .set(&command::CLEAR_STENCIL, u64::from(target.clear & 0xff));
    }
    if let Some(target) = info.depth.as_ref().or(info.stencil.as_ref()) {
        let [width, height] = target.view.size();
        let pixels = Writer::new(&r::zls_pixels::RECORD)
            .set(&r::zls_pixels::WIDTH, width.into())
            .set(&r::zls_pixels::HEIGHT, height.into())
            .bytes();
        writer = writer.set(&command::ZLS_PIXELS, r::bits(&pixels, 0, 32));
    }
    writer.set(&command::ZLS_CONTROL, r::bits(&control.bytes(), 0, 64))
}

/// First byte of depth or stencil, and bytes between layers.
fn place(target: &DepthTarget, aspect: vk::ImageAspectFlags, layer: Option<u32>) -> [u64; 2] {
    let view = &target.view;
    let Some(plane) = view.image.plane(aspect) else { return [0; 2] };
    let first = u64::from(view.layers[0] + layer.unwrap_or(0));
    debug_assert!(matches!(plane.layout, PlaneLayout::Tiled(_)));
    let start = view.image.address() + plane.offset + plane.level_offset(view.levels[0]);
    [start + first * plane.layer_stride(), plane.layer_stride()]
}

/// The comparison that is always true.
const ALWAYS: u64 = vk::CompareOp::ALWAYS.as_raw() as u64;

/// The code of a comparison in records, in Vulkan's order.
fn comparison(op: vk::CompareOp) -> u64 {
    op.as_raw() as u64
}

/// The code of a stencil operation in records (`agx_abi::record::STENCIL_OPS`).
fn operation(op: vk::StencilOp) -> u64 {
    op.as_raw() as u64
}

/// The provoking vertex. For fans the first is the second vertex, since the centre belongs to every triangle.
pub(super) fn provoking(dynamic: &DrawState) -> Provoking {
    match (dynamic.raster.provoking_last, dynamic.topology) {
        (true, _) => Provoking::Third,
        (false, vk::PrimitiveTopology::TRIANGLE_FAN) => Provoking::Second,
        (false, _) => Provoking::First,
    }
}

/// The contents of an update of the rasteriser's state.
pub(super) struct Update<'u> {
    pub(super) pass: &'u Pass,
    pub(super) graphics: &'u Graphics,
    pub(super) programs: &'u Programs,
    pub(super) words: Words,
    /// Bindings of coefficients, and their address relative to the shader base.
    pub(super) coefficients: (u64, CoefficientBindings),
    /// Indices of scissor and depth bias.
    pub(super) indices: [u64; 2],
    pub(super) viewports: Vec<vk::Viewport>,
}

impl Update<'_> {
    /// The update: a header and its records in order.
    ///
    /// # Errors
    /// The vertices have more outputs than records can address.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, Error> {
        use r::ppp_header as h;
        let outputs = &self.programs.vertex.outputs;
        let mut header = Writer::new(&h::RECORD).set(&h::VIEWPORTS, self.viewports.len() as u64);
        for flag in [
            &h::CONTROL,
            &h::CONTROL_2,
            &h::FRONT_FACE,
            &h::FRONT_FACE_2,
            &h::FRONT_STENCIL,
            &h::BACK_FACE,
            &h::BACK_FACE_2,
            &h::BACK_STENCIL,
            &h::SCISSOR,
            &h::REGION_CLIP,
            &h::VIEWPORT,
            &h::W_CLAMP,
            &h::OUTPUT_SELECT,
            &h::VARYINGS_32,
            &h::VARYINGS_16,
            &h::CULL,
            &h::CULL_2,
            &h::SHADER,
            &h::OCCLUSION,
            &h::OCCLUSION_2,
            &h::OUTPUT_SIZE,
        ] {
            header = header.set(flag, 1);
        }
        let mut bytes = header.bytes();
        bytes.extend(self.controls()?);
        for face in 0..2 {
            bytes.extend(self.face(face));
        }
        let [scissor, bias] = self.indices;
        bytes.extend(
            Writer::new(&r::scissor_index::RECORD)
                .set(&r::scissor_index::SCISSOR, scissor)
                .set(&r::scissor_index::DEPTH_BIAS, bias)
                .bytes(),
        );
        bytes.extend(self.views());
        bytes.extend(Writer::new(&r::w_clamp::RECORD).float(&r::w_clamp::W, 1e-10).bytes());
        bytes.extend(outputs.output_select(&self.coefficients.1)?);
        bytes.extend(outputs.counts.to_bytes()?);
        bytes.extend(Writer::new(&r::varying_counts::RECORD).bytes());
        bytes.extend(self.cull());
        bytes.extend(self.shader());
        let (counter, _) = self.pass.query.unwrap_or_default();
        bytes.extend(Writer::new(&r::occlusion::RECORD).set(&r::occlusion::INDEX, counter).bytes());
        bytes.extend(Writer::new(&r::occlusion_2::RECORD).bytes());
        bytes.extend(
            Writer::new(&r::output_size::RECORD).set(&r::output_size::COUNT, outputs.words.into()).bytes(),
        );
        Ok(bytes)
    }

    fn controls(&self) -> Result<Vec<u8>, Error> {
        use r::fragment_control as c;
        let dynamic = &self.graphics.dynamic;
        let visibility = match self.pass.query {
            None => 0,
            Some((_, true)) => 2,
            Some((_, false)) => 3,
        };
        let first = Writer::new(&c::RECORD)
            .set(&c::BIT_9, 1)
            .set(&c::VISIBILITY, visibility)
            .set(&c::SCISSOR, 1)
            .flag(&c::DEPTH_BIAS, dynamic.raster.biased)
            .flag(&c::STENCIL, dynamic.depth.stencil && self.pass.info.stencil.is_some())
            .flag(&c::TWO_SIDED_STENCIL, dynamic.depth.stencil && self.pass.info.stencil.is_some())
            .bytes();
        let second = self.programs.fragment.info.fragment_control().to_bytes()?;
        Ok([first, second].concat())
    }

    /// Depth and stencil of a side: 0 front, 1 back.
    fn face(&self, side: usize) -> Vec<u8> {
        use r::{fragment_face as f, fragment_face_2 as g, fragment_stencil as s};
        let dynamic = &self.graphics.dynamic;
        let depth = &dynamic.depth;
        let tests = depth.test && self.pass.info.depth.is_some();
        let compare = if tests { comparison(depth.compare) } else { ALWAYS };
        let keeps = !tests || !depth.write;
        let stencil = depth.faces.get(side).copied().unwrap_or_default();
        let polygon = match dynamic.raster.polygon {
            vk::PolygonMode::LINE => 1,
            vk::PolygonMode::POINT => 2,
            _ => 0,
        };
        let object = match dynamic.topology {
            vk::PrimitiveTopology::POINT_LIST => 4,
            vk::PrimitiveTopology::LINE_LIST | vk::PrimitiveTopology::LINE_STRIP => 1,
            _ => 0,
        };
        let width = (dynamic.raster.line_width * 16.0).clamp(1.0, 256.0) as u64;
        let first = Writer::new(&f::RECORD)
            .set(&f::STENCIL_REFERENCE, u64::from(stencil.reference & 0xff))
            .set(&f::LINE_WIDTH, width)
            .set(&f::POLYGON_MODE, polygon)
            .flag(&f::NO_DEPTH_WRITE, keeps)
            .set(&f::DEPTH_COMPARE, compare)
            .bytes();
        let second = Writer::new(&g::RECORD)
            .flag(&g::NO_DEPTH_WRITE, true)
            .set(&g::CONSERVATIVE, 3)
            .set(&g::DEPTH_COMPARE, ALWAYS)
            .set(&g::OBJECT, object)
            .bytes();
        let third = Writer::new(&s::RECORD)
            .set(&s::WRITE_MASK, u64::from(stencil.write_mask & 0xff))
            .set(&s::READ_MASK, u64::from(stencil.compare_mask & 0xff))
            .set(&s::PASS, operation(stencil.pass_op))
            .set(&s::DEPTH_FAIL, operation(stencil.depth_fail_op))
            .set(&s::FAIL, operation(stencil.fail_op))
            .set(&s::COMPARE, comparison(stencil.compare_op))
            .bytes();
        [first, second, third].concat()
    }

    /// Regions of whole framebuffers, and the viewports.
    fn views(&self) -> Vec<u8> {
        use r::{region_clip as c, viewport as v};
        let [width, height] = self.pass.size.map(|side| u64::from(side.div_ceil(32)));
        let region =
            Writer::new(&c::RECORD).set(&c::MAX_X, width).set(&c::MAX_Y, height).set(&c::ENABLE, 1).bytes();
        let mut bytes: Vec<u8> = self.viewports.iter().flat_map(|_| region.clone()).collect();
        bytes.extend(Writer::new(&r::viewport_control::RECORD).bytes());
        for view in &self.viewports {
            let viewport = Writer::new(&v::RECORD)
                .float(&v::TRANSLATE_X, view.x + view.width / 2.0)
                .float(&v::SCALE_X, view.width / 2.0)
                .float(&v::TRANSLATE_Y, view.y + view.height / 2.0)
                .float(&v::SCALE_Y, view.height / 2.0)
                .float(&v::TRANSLATE_Z, view.min_depth)
                .float(&v::SCALE_Z, view.max_depth - view.min_depth);
            bytes.extend(viewport.bytes());
        }
        bytes
    }

    fn cull(&self) -> Vec<u8> {
        use r::{cull as c, cull_2 as d};
        let raster = &self.graphics.dynamic.raster;
        let bindings = &self.coefficients.1.bindings;
        let numbers = bindings.iter().any(|binding| binding.source == BindingSource::PrimitiveId);
        let first = Writer::new(&c::RECORD)
            .flag(&c::FRONT, raster.cull.contains(vk::CullModeFlags::FRONT))
            .flag(&c::BACK, raster.cull.contains(vk::CullModeFlags::BACK))
            .set(&c::PROVOKING, 1 + provoking(&self.graphics.dynamic) as u64)
            .flag(&c::DEPTH_CLIP, raster.clips())
            .flag(&c::DEPTH_CLAMP, raster.clamp)
            .flag(&c::MULTISAMPLED, self.pass.samples > 1)
            .flag(&c::FRONT_CCW, !raster.clockwise)
            .flag(&c::DISCARD, raster.discard);
        let second = Writer::new(&d::RECORD)
            .set(&d::CLAMP_W, 1)
            .flag(&d::PRIMITIVE_ID, numbers)
            .flag(&d::DISCARD, raster.discard);
        [first.bytes(), second.bytes()].concat()
    }

    fn shader(&self) -> Vec<u8> {
        use r::fragment_shader as f;
        let (address, coefficients) = &self.coefficients;
        let count = coefficients.bindings.len() as u64;
        Writer::new(&f::RECORD)
            .set(&f::UNIFORMS, self.words.uniforms.into())
            .set(&f::TEXTURES, self.words.textures.into())
            .set(&f::SAMPLERS, self.words.sampler_code())
            .set(&f::PREAMBLE_REGISTERS, self.words.preamble_halves.into())
            .set(&f::BINDINGS, count)
            .set(&f::PIPELINE, self.words.pipeline())
            .set(&f::COEFFICIENTS, *address)
            .bytes()
    }
}

/// The index of the next record in an array.
pub(super) fn index(array: &[u8], record: &Record) -> u64 {
    (array.len() / record.bytes) as u64
}

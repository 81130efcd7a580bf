//! State of the rasteriser, depth and stencil, as records.

use agx_abi::fragment::Corner;
use agx_abi::fragment::DepthLayout;
use agx_abi::image_layout::depth_stride;
use agx_abi::record::{self as r, Packed, StateUpdate, render_command as command};
use agx_abi::render::clear_stencil;
use agx_abi::words::FragmentControl;
use ash::vk;

use super::edges::{Scissor, viewports};
use super::encode::Changes;
use super::{DepthTarget, Graphics, Shown};
use crate::command::RenderCommand;
use crate::dirty::Dirty;
use crate::draw_state::DrawState;
use crate::graphics::Programs;
use crate::image::PlaneLayout;
use crate::words::Words;

/// Sets depth and stencil of a pass. They are always stored, because interrupted passes use the same words (Mesa 26.1).
pub(super) fn depth_words(command: &mut RenderCommand, pass: &Shown, layer: Option<u32>) {
    let info = &pass.info;
    let mut control = r::zls_control::new();
    let loads = |target: &DepthTarget| {
        matches!(target.load, vk::AttachmentLoadOp::LOAD | vk::AttachmentLoadOp::NONE_KHR)
    };
    if let Some(target) = &info.depth {
        let [base, stride] = place(target, vk::ImageAspectFlags::DEPTH, layer);
        let unorm16 = info.has_unorm_depth();
        control = control
            .flag(&r::zls_control::Z_LOAD, loads(target))
            .flag(&r::zls_control::Z_STORE, true)
            .set(&r::zls_control::Z_FORMAT, if unorm16 { 2 } else { 0 });
        let clear = f32::from_bits(target.clear).clamp(0.0, 1.0);
        let clear = if unorm16 { (clear * 65535.0).round() as u32 } else { clear.to_bits() };
        command
            .put(&command::DEPTH_BASE, base)
            .put(&command::DEPTH_STRIDE, depth_stride(stride))
            .put(&command::CLEAR_DEPTH, clear.into())
            .put_flag(&command::INTEGER_BIAS, pass.whole_bias.unwrap_or(unorm16));
    }
    let mut stencil = 0;
    if let Some(target) = &info.stencil {
        let [base, stride] = place(target, vk::ImageAspectFlags::STENCIL, layer);
        control = control.flag(&r::zls_control::S_LOAD, loads(target)).flag(&r::zls_control::S_STORE, true);
        command.put(&command::STENCIL_BASE, base).put(&command::STENCIL_STRIDE, depth_stride(stride));
        stencil = target.clear as u8;
    }
    let [width, height] = pass.size.map(u64::from);
    let pixels = r::zls_pixels::new().set(&r::zls_pixels::WIDTH, width).set(&r::zls_pixels::HEIGHT, height);
    command
        .put(&command::CLEAR_STENCIL, clear_stencil(stencil))
        .put(&command::ZLS_PIXELS, pixels.bits().into())
        .put(&command::ZLS_CONTROL, control.bits());
}

/// First byte of depth or stencil, and bytes between layers.
fn place(target: &DepthTarget, aspect: vk::ImageAspectFlags, layer: Option<u32>) -> [u64; 2] {
    let view = &target.view;
    let Some(plane) = view.image.plane(aspect) else { return [0; 2] };
    let first = u64::from(view.layers[0] + layer.unwrap_or(0));
    debug_assert!(matches!(plane.layout, PlaneLayout::Tiled(_)));
    let start = view.image.address(plane) + plane.level_offset(view.levels[0]);
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
pub(super) fn provoking(dynamic: &DrawState) -> Corner {
    match (dynamic.raster.provoking_last, dynamic.topology) {
        (true, _) => Corner::Third,
        (false, vk::PrimitiveTopology::TRIANGLE_FAN) => Corner::Second,
        (false, _) => Corner::First,
    }
}

/// The contents of an update of the rasteriser's state.
pub(super) struct Update<'u> {
    pub(super) pass: &'u Shown,
    pub(super) graphics: &'u Graphics,
    pub(super) programs: &'u Programs,
    /// The words of the fragment program.
    pub(super) words: Words,
    /// Indices of scissor and depth bias.
    pub(super) indices: [u64; 2],
    /// The scissor of each viewport.
    pub(super) scissors: &'u [Scissor],
}

impl Update<'_> {
    /// Writes the records of what has changed, in order.
    pub(super) fn write(&self, update: &mut StateUpdate<'_>, changes: Changes) {
        use r::ppp_header as h;
        let changed = |parts: Dirty| changes.dirty.intersects(parts);
        self.tests(update, changes);
        if changed(Dirty::VIEWS | Dirty::BIAS) {
            use r::scissor_index::{self, DEPTH_BIAS, SCISSOR};
            let [scissor, bias] = self.indices;
            update.add(&h::SCISSOR, scissor_index::new().set(&SCISSOR, scissor).set(&DEPTH_BIAS, bias));
        }
        if changed(Dirty::VIEWS) {
            self.views(update);
        }
        let vertex = &self.programs.vertex;
        if changed(Dirty::PROGRAMS) {
            update
                .add_word(&h::OUTPUT_SELECT, vertex.output_select)
                .add_word(&h::VARYINGS_32, vertex.counts)
                .add(&h::VARYINGS_16, r::varying_counts::new());
        }
        if changed(Dirty::RASTER) {
            update.add(&h::CULL, self.cull());
        }
        if changed(Dirty::PROGRAMS) {
            use r::cull_2::{CLAMP_W, PRIMITIVE_ID, new};
            update.add(&h::CULL_2, new().set(&CLAMP_W, 1).flag(&PRIMITIVE_ID, vertex.numbers_primitives));
        }
        if changes.fragment || changed(Dirty::PROGRAMS | Dirty::RASTER) {
            update.add(&h::SHADER, self.shader());
        }
        if changed(Dirty::QUERY) {
            let counter = self.pass.query.map_or(0, |(counter, _)| counter);
            update.add(&h::OCCLUSION, r::occlusion::new().set(&r::occlusion::INDEX, counter));
        }
        if changed(Dirty::PROGRAMS) {
            use r::output_size::{COUNT, new};
            update.add(&h::OUTPUT_SIZE, new().set(&COUNT, vertex.program.outputs.words.into()));
        }
    }

    /// Writes the tests of fragments, and how objects pass.
    fn tests(&self, update: &mut StateUpdate<'_>, Changes { dirty, .. }: Changes) {
        use r::ppp_header as h;
        let changed = |parts: Dirty| dirty.intersects(parts);
        if changed(Dirty::RASTER | Dirty::DEPTH | Dirty::BIAS | Dirty::QUERY) {
            update.add(&h::CONTROL, self.control());
        }
        let of_programs = changed(Dirty::PROGRAMS | Dirty::RASTER);
        if of_programs {
            update.add(&h::CONTROL_2, self.control_2());
        }
        let sides = [
            ([&h::FRONT_FACE, &h::FRONT_FACE_2, &h::FRONT_STENCIL], 0),
            ([&h::BACK_FACE, &h::BACK_FACE_2, &h::BACK_STENCIL], 1),
        ];
        for ([face, second, stencil], side) in sides {
            if changed(Dirty::DEPTH | Dirty::RASTER) {
                update.add(face, self.face(side));
            }
            if of_programs {
                update.add(second, self.face_2());
            }
            if changed(Dirty::DEPTH) {
                update.add(stencil, self.stencil(side));
            }
        }
    }

    /// The state of the draw.
    fn control(&self) -> Packed<4> {
        use r::fragment_control as c;
        let dynamic = &self.graphics.dynamic;
        let visibility = match self.pass.query {
            None => 0,
            Some((_, true)) => 2,
            Some((_, false)) => 3,
        };
        let is_triangle = object(dynamic) == TRIANGLE;
        let stencil = self.tests_stencil();
        c::new()
            .set(&c::BIT_9, 1)
            .set(&c::VISIBILITY, visibility)
            .flag(&c::SCISSOR, true)
            .flag(&c::DEPTH_BIAS, dynamic.raster.biased && is_triangle)
            .flag(&c::STENCIL, stencil)
            .flag(&c::TWO_SIDED_STENCIL, stencil)
            // Derivatives along the edges of merged points and lines would be wrong.
            .flag(&c::NO_MERGING, !is_triangle)
    }

    /// That of the fragment program.
    fn control_2(&self) -> Packed<4> {
        let control = self.programs.fragment.info.fragment_control();
        let tag_write_disable = control.tag_write_disable || self.graphics.discards();
        FragmentControl { tag_write_disable, ..control }.packed()
    }

    fn tests_stencil(&self) -> bool {
        self.graphics.dynamic.depth.stencil && self.pass.info.stencil.is_some()
    }

    /// Depth test of a side: 0 front, 1 back.
    fn face(&self, side: usize) -> Packed<4> {
        use r::fragment_face as f;
        let dynamic = &self.graphics.dynamic;
        let depth = &dynamic.depth;
        let tests = depth.test && self.pass.info.depth.is_some();
        let polygon = match dynamic.raster.polygon {
            vk::PolygonMode::LINE => 1,
            vk::PolygonMode::POINT => 2,
            _ => 0,
        };
        let width = (dynamic.raster.line_width * 16.0).clamp(1.0, 256.0) as u64;
        f::new()
            .set(&f::STENCIL_REFERENCE, u64::from(depth.faces[side].reference & 0xff))
            .set(&f::LINE_WIDTH, width)
            .set(&f::POLYGON_MODE, polygon)
            .flag(&f::NO_DEPTH_WRITE, !tests || !depth.write)
            .set(&f::DEPTH_COMPARE, if tests { comparison(depth.compare) } else { ALWAYS })
    }

    /// Stencil test of a side.
    fn stencil(&self, side: usize) -> Packed<4> {
        use r::fragment_stencil as s;
        // Without a test, the record has no effect (Mesa 26.1).
        if !self.tests_stencil() {
            return s::new().set(&s::WRITE_MASK, 0xff).set(&s::READ_MASK, 0xff).set(&s::COMPARE, ALWAYS);
        }
        let stencil = &self.graphics.dynamic.depth.faces[side];
        s::new()
            .set(&s::WRITE_MASK, u64::from(stencil.write_mask & 0xff))
            .set(&s::READ_MASK, u64::from(stencil.compare_mask & 0xff))
            .set(&s::PASS, operation(stencil.pass_op))
            .set(&s::DEPTH_FAIL, operation(stencil.depth_fail_op))
            .set(&s::FAIL, operation(stencil.fail_op))
            .set(&s::COMPARE, comparison(stencil.compare_op))
    }

    /// What is drawn, and how the fragment program changes depth.
    fn face_2(&self) -> Packed<4> {
        use r::fragment_face_2 as f;
        let info = &self.programs.fragment.info.fragment;
        let change = match (info.writes_depth, info.depth_layout) {
            (false, _) | (true, DepthLayout::Unchanged) => 3,
            (true, DepthLayout::Less) => 2,
            (true, DepthLayout::Greater) => 1,
            (true, DepthLayout::Any) => 0,
        };
        f::new()
            .flag(&f::NO_DEPTH_WRITE, true)
            .set(&f::CONSERVATIVE, change)
            .set(&f::DEPTH_COMPARE, ALWAYS)
            .set(&f::OBJECT, object(&self.graphics.dynamic))
    }

    /// The regions of the scissors, and the viewports.
    fn views(&self, update: &mut StateUpdate<'_>) {
        use r::{ppp_header as h, viewport as v};
        for scissor in self.scissors {
            update.add(&h::REGION_CLIP, scissor.region());
        }
        update.add(&h::VIEWPORT, r::viewport_control::new());
        for view in viewports(&self.graphics.dynamic) {
            let viewport = v::new()
                .float(&v::TRANSLATE_X, view.x + view.width / 2.0)
                .float(&v::SCALE_X, view.width / 2.0)
                .float(&v::TRANSLATE_Y, view.y + view.height / 2.0)
                .float(&v::SCALE_Y, view.height / 2.0)
                .float(&v::TRANSLATE_Z, view.min_depth)
                .float(&v::SCALE_Z, view.max_depth - view.min_depth);
            update.add(&h::VIEWPORT, viewport);
        }
    }

    fn cull(&self) -> Packed<4> {
        use r::cull as c;
        let raster = &self.graphics.dynamic.raster;
        c::new()
            .flag(&c::FRONT, raster.cull.contains(vk::CullModeFlags::FRONT))
            .flag(&c::BACK, raster.cull.contains(vk::CullModeFlags::BACK))
            .set(&c::PROVOKING, 1 + provoking(&self.graphics.dynamic) as u64)
            .flag(&c::DEPTH_CLIP, raster.clips())
            // The hardware has no unrestricted depth: what is not clipped is clamped (Mesa 26.1).
            .flag(&c::DEPTH_CLAMP, !raster.clips())
            .flag(&c::MULTISAMPLED, raster.bresenham && object(&self.graphics.dynamic) == LINE)
            .flag(&c::FRONT_CCW, !raster.clockwise)
            .flag(&c::DISCARD, self.graphics.discards())
    }

    fn shader(&self) -> Packed<16> {
        use r::fragment_shader as f;
        let vertex = &self.programs.vertex;
        f::new()
            .or(self.words.resources)
            .set(&f::BINDINGS, vertex.bindings)
            .set(&f::PIPELINE, self.words.pipeline)
            .set(&f::COEFFICIENTS, vertex.coefficients(provoking(&self.graphics.dynamic)))
    }
}

/// Codes of objects in fragment face 2.
const TRIANGLE: u64 = 0;
const LINE: u64 = 1;
const POINT: u64 = 4;

/// What is drawn.
fn object(dynamic: &DrawState) -> u64 {
    match dynamic.topology {
        vk::PrimitiveTopology::POINT_LIST => POINT,
        vk::PrimitiveTopology::LINE_LIST | vk::PrimitiveTopology::LINE_STRIP => LINE,
        _ => TRIANGLE,
    }
}

/// The index of the next record of `N` bytes in an array.
pub(super) fn index<const N: usize>(array: &[u8]) -> u64 {
    (array.len() / N) as u64
}

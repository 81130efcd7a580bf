//! Render passes and framebuffers, and the commands that begin and end passes.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Recorder};
use agx_driver::dirty::Dirty;
use agx_driver::render::{Clear, ColourTarget, DepthTarget, PassInfo};
use agx_driver::transfer::Resolve;
use agx_driver::view::ImageView;
use ash::vk;

use crate::generated::members;
use crate::handles::{give, object, owned, take};
use crate::objects::{Attachment, Device, Framebuffer, RenderPass, Subpass};
use crate::pointers::find;

fn used(number: u32) -> Option<u32> {
    (number != vk::ATTACHMENT_UNUSED).then_some(number)
}

/// Contents that are preserved are loaded, because an interrupted pass stores and loads them.
fn kept(load: vk::AttachmentLoadOp) -> vk::AttachmentLoadOp {
    match load {
        vk::AttachmentLoadOp::NONE_EXT => vk::AttachmentLoadOp::LOAD,
        other => other,
    }
}

pub(crate) fn create_render_pass(
    _: &Arc<Device>,
    info: &vk::RenderPassCreateInfo<'_>,
    out: &mut vk::RenderPass,
) -> Result<(), Error> {
    let of = |a: &vk::AttachmentDescription| Attachment {
        format: a.format,
        load: [a.load_op, a.stencil_load_op].map(kept),
        store: [a.store_op, a.stencil_store_op],
    };
    let attachments = members::render_pass_create_info_attachments(info).iter().map(of).collect();
    let views = find::<vk::RenderPassMultiviewCreateInfo<'_>>(info.p_next)
        .map(members::render_pass_multiview_create_info_view_masks)
        .unwrap_or_default();
    let subpasses = members::render_pass_create_info_subpasses(info).iter().enumerate();
    let of = |(at, s): (usize, &vk::SubpassDescription<'_>)| Subpass {
        colours: members::subpass_description_color_attachments(s)
            .iter()
            .map(|r| used(r.attachment))
            .collect(),
        resolves: members::subpass_description_resolve_attachments(s)
            .iter()
            .map(|r| used(r.attachment))
            .collect(),
        depth: members::subpass_description_depth_stencil_attachment(s).and_then(|r| used(r.attachment)),
        depth_resolves: [None; 2],
        inputs: members::subpass_description_input_attachments(s)
            .iter()
            .map(|r| used(r.attachment))
            .collect(),
        views: views.get(at).copied().unwrap_or(0),
    };
    *out = give(Arc::new(RenderPass { attachments, subpasses: subpasses.map(of).collect() }));
    Ok(())
}

/// The attachments to which depth and stencil are resolved: none for an aspect whose mode is none.
fn depth_resolves(info: &vk::SubpassDescriptionDepthStencilResolve<'_>) -> [Option<(u32, Resolve)>; 2] {
    let to = members::subpass_description_depth_stencil_resolve_depth_stencil_resolve_attachment(info);
    let to = to.and_then(|reference| used(reference.attachment));
    let modes = [info.depth_resolve_mode, info.stencil_resolve_mode];
    modes.map(|mode| to.zip(Resolve::from_mode(mode)))
}

pub(crate) fn create_render_pass2(
    _: &Arc<Device>,
    info: &vk::RenderPassCreateInfo2<'_>,
    out: &mut vk::RenderPass,
) -> Result<(), Error> {
    let of = |a: &vk::AttachmentDescription2<'_>| Attachment {
        format: a.format,
        load: [a.load_op, a.stencil_load_op].map(kept),
        store: [a.store_op, a.stencil_store_op],
    };
    let attachments = members::render_pass_create_info2_attachments(info).iter().map(of).collect();
    let of = |s: &vk::SubpassDescription2<'_>| {
        let resolve = find::<vk::SubpassDescriptionDepthStencilResolve<'_>>(s.p_next);
        Subpass {
            colours: members::subpass_description2_color_attachments(s)
                .iter()
                .map(|r| used(r.attachment))
                .collect(),
            resolves: members::subpass_description2_resolve_attachments(s)
                .iter()
                .map(|r| used(r.attachment))
                .collect(),
            depth: members::subpass_description2_depth_stencil_attachment(s).and_then(|r| used(r.attachment)),
            depth_resolves: resolve.map_or([None; 2], depth_resolves),
            inputs: members::subpass_description2_input_attachments(s)
                .iter()
                .map(|r| used(r.attachment))
                .collect(),
            views: s.view_mask,
        }
    };
    let subpasses = members::render_pass_create_info2_subpasses(info).iter().map(of).collect();
    *out = give(Arc::new(RenderPass { attachments, subpasses }));
    Ok(())
}

pub(crate) fn destroy_render_pass(_: &Arc<Device>, pass: vk::RenderPass) {
    drop(take(pass));
}

pub(crate) fn get_render_area_granularity(_: &Arc<Device>, _: vk::RenderPass, out: &mut vk::Extent2D) {
    *out = vk::Extent2D { width: 1, height: 1 };
}

pub(crate) fn get_rendering_area_granularity(
    _: &Arc<Device>,
    _: &vk::RenderingAreaInfoKHR<'_>,
    out: &mut vk::Extent2D,
) {
    *out = vk::Extent2D { width: 1, height: 1 };
}

pub(crate) fn create_framebuffer(
    _: &Arc<Device>,
    info: &vk::FramebufferCreateInfo<'_>,
    out: &mut vk::Framebuffer,
) -> Result<(), Error> {
    let imageless = info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS);
    let handles = if imageless { &[] } else { members::framebuffer_create_info_attachments(info) };
    let views = handles.iter().filter_map(|view| owned(*view)).collect();
    *out = give(Arc::new(Framebuffer { views, layers: info.layers }));
    Ok(())
}

pub(crate) fn destroy_framebuffer(_: &Arc<Device>, framebuffer: vk::Framebuffer) {
    drop(take(framebuffer));
}

fn area(area: vk::Rect2D) -> [u32; 4] {
    [area.offset.x.max(0) as u32, area.offset.y.max(0) as u32, area.extent.width, area.extent.height]
}

/// The aspects of a view, each with the number of its operations and its part of a clear value.
fn aspects(view: &ImageView, value: [u32; 4]) -> Vec<(vk::ImageAspectFlags, usize, [u32; 4])> {
    use vk::ImageAspectFlags as A;
    let [depth, stencil, ..] = value;
    let depth = view.format.has_depth().then_some((A::DEPTH, 0, [depth, 0, 0, 0]));
    let stencil = view.format.has_stencil().then_some((A::STENCIL, 1, [stencil, 0, 0, 0]));
    match (depth, stencil) {
        (None, None) => vec![(A::COLOR, 0, value)],
        _ => depth.into_iter().chain(stencil).collect(),
    }
}

/// The current subpass of a render pass.
pub(crate) struct Begun<'b> {
    pass: &'b RenderPass,
    views: &'b [Arc<ImageView>],
    clears: &'b [vk::ClearValue],
    area: [u32; 4],
    layers: u32,
}

impl Begun<'_> {
    /// The clear value of an attachment, as bits.
    fn clear(&self, attachment: u32) -> [u32; 4] {
        let value = self.clears.get(attachment as usize);
        // SAFETY: all members of the union are words, and all bits are valid.
        value.map_or([0; 4], |value| unsafe { value.color.uint32 })
    }

    /// Subpasses before (or after) this one that use an attachment.
    fn others(&self, number: u32, attachment: u32, before: bool) -> impl Iterator<Item = &Subpass> {
        let (at, list) = (number as usize, &self.pass.subpasses);
        let others = if before { list.get(..at) } else { list.get(at + 1..) };
        others.unwrap_or_default().iter().filter(move |subpass| subpass.uses(attachment))
    }

    /// Views of a subpass in which it is the first to use an attachment, and whether these are all its views.
    fn first_views(&self, number: u32, subpass: &Subpass, attachment: u32) -> (u32, bool) {
        let earlier = self.others(number, attachment, true).fold(0, |bits, other| bits | other.view_bits());
        let first = subpass.view_bits() & !earlier;
        (first, first == subpass.view_bits())
    }

    /// Load and store operations in a subpass. An attachment that is also an input is cleared before the subpass.
    fn ops(
        &self,
        number: u32,
        attachment: u32,
        plane: usize,
    ) -> (vk::AttachmentLoadOp, vk::AttachmentStoreOp) {
        let (subpasses, attachments) = (&self.pass.subpasses, &self.pass.attachments);
        let known = attachments.get(attachment as usize).zip(subpasses.get(number as usize));
        let load = match known {
            Some((known, subpass))
                if self.first_views(number, subpass, attachment).1
                    && !subpass.inputs.contains(&Some(attachment)) =>
            {
                known.load[plane]
            }
            _ => vk::AttachmentLoadOp::LOAD,
        };
        let store = match known {
            Some((known, _)) if self.others(number, attachment, false).next().is_none() => known.store[plane],
            _ => vk::AttachmentStoreOp::STORE,
        };
        (load, store)
    }

    /// Clears before a subpass: of inputs that it is the first to use, of targets that it is the first to use in a part
    /// of its views, and of the aspect of a resolve target to which nothing is resolved.
    fn clears_before(&self, number: u32, subpass: &Subpass) -> Vec<Clear> {
        let mut clears = Vec::new();
        for (attachment, known) in (0..).zip(&self.pass.attachments) {
            let (first, all) = self.first_views(number, subpass, attachment);
            let is_input = subpass.inputs.contains(&Some(attachment));
            let view = self.views.get(attachment as usize).filter(|_| subpass.uses(attachment) && first != 0);
            let unresolved = subpass.unresolved(attachment);
            let is_half_resolved = unresolved != [false; 2];
            let Some(view) = view.filter(|_| is_input || !all || is_half_resolved) else { continue };
            let value = self.clear(attachment);
            let views = if subpass.views == 0 { 0 } else { first };
            for (aspect, plane, value) in aspects(view, value) {
                let is_written = all && !is_input && is_half_resolved && !unresolved[plane];
                if known.load[plane] == vk::AttachmentLoadOp::CLEAR && !is_written {
                    clears.push(Clear { view: view.clone(), aspect, views, value });
                }
            }
        }
        clears
    }

    /// The pass of a subpass.
    fn info(&self, number: u32) -> PassInfo {
        let Some(subpass) = self.pass.subpasses.get(number as usize) else { return PassInfo::default() };
        let view = |attachment: u32| self.views.get(attachment as usize).cloned();
        let colour = |(at, attachment): (usize, &Option<u32>)| {
            let attachment = (*attachment)?;
            let (load, store) = self.ops(number, attachment, 0);
            let resolve =
                subpass.resolves.get(at).copied().flatten().and_then(view).map(|view| (view, Resolve::Mean));
            Some(ColourTarget {
                view: view(attachment)?,
                load,
                store,
                clear: self.clear(attachment),
                resolve,
            })
        };
        let depth = |plane: usize, has: bool| {
            let attachment = subpass.depth.filter(|_| has)?;
            let (load, store) = self.ops(number, attachment, plane);
            let value = self.clear(attachment);
            let resolve = subpass.depth_resolves[plane].and_then(|(to, mode)| Some((view(to)?, mode)));
            Some(DepthTarget { view: view(attachment)?, load, store, clear: value[plane], resolve })
        };
        let format = subpass.depth.and_then(view).map(|view| view.format);
        PassInfo {
            area: self.area,
            layers: self.layers,
            views: subpass.views,
            colours: subpass.colours.iter().enumerate().map(colour).collect(),
            depth: depth(0, format.is_some_and(|format| format.has_depth())),
            stencil: depth(1, format.is_some_and(|format| format.has_stencil())),
            samples: 1,
            clears: self.clears_before(number, subpass),
        }
    }
}

pub(crate) fn cmd_begin_render_pass(
    buffer: &mut CommandBuffer,
    info: &vk::RenderPassBeginInfo<'_>,
    _: vk::SubpassContents,
) {
    let (Some(pass), Some(framebuffer)) = (object(info.render_pass), object(info.framebuffer)) else {
        return;
    };
    let mut given = Vec::new();
    if let Some(begin) = find::<vk::RenderPassAttachmentBeginInfo<'_>>(info.p_next) {
        let handles = members::render_pass_attachment_begin_info_attachments(begin).iter();
        given.extend(handles.filter_map(|view| owned(*view)));
    }
    let views = if given.is_empty() { &framebuffer.views } else { &given };
    let clears = members::render_pass_begin_info_clear_values(info);
    let begun = Begun { pass, views, clears, area: area(info.render_area), layers: framebuffer.layers };
    let subpasses = || (0..pass.subpasses.len() as u32).map(|at| begun.info(at)).collect::<Vec<PassInfo>>();
    buffer.record_borrowed(
        |recorder| recorder.begin_subpasses(subpasses()),
        || {
            let subpasses = subpasses();
            move |recorder: &mut Recorder| recorder.begin_subpasses(subpasses.clone())
        },
    );
}

pub(crate) fn cmd_begin_render_pass2(
    buffer: &mut CommandBuffer,
    info: &vk::RenderPassBeginInfo<'_>,
    _: &vk::SubpassBeginInfo<'_>,
) {
    cmd_begin_render_pass(buffer, info, vk::SubpassContents::INLINE);
}

pub(crate) fn cmd_next_subpass(buffer: &mut CommandBuffer, _: vk::SubpassContents) {
    buffer.record(|recorder| recorder.next_subpass());
}

pub(crate) fn cmd_next_subpass2(
    buffer: &mut CommandBuffer,
    _: &vk::SubpassBeginInfo<'_>,
    _: &vk::SubpassEndInfo<'_>,
) {
    cmd_next_subpass(buffer, vk::SubpassContents::INLINE);
}

pub(crate) fn cmd_end_render_pass(buffer: &mut CommandBuffer) {
    buffer.record(|recorder| recorder.end_pass());
}

pub(crate) fn cmd_end_render_pass2(buffer: &mut CommandBuffer, _: &vk::SubpassEndInfo<'_>) {
    cmd_end_render_pass(buffer);
}

fn resolved(info: &vk::RenderingAttachmentInfo<'_>) -> Option<(Arc<ImageView>, Resolve)> {
    let mode = Resolve::from_mode(info.resolve_mode)?;
    Some((owned(info.resolve_image_view)?, mode))
}

fn colour_target(info: &vk::RenderingAttachmentInfo<'_>) -> Option<ColourTarget> {
    Some(ColourTarget {
        view: owned(info.image_view)?,
        load: kept(info.load_op),
        store: info.store_op,
        // SAFETY: all members of the union are words, and all bits are valid.
        clear: unsafe { info.clear_value.color.uint32 },
        resolve: resolved(info),
    })
}

fn depth_target(info: &vk::RenderingAttachmentInfo<'_>, word: usize) -> Option<DepthTarget> {
    let target = colour_target(info)?;
    Some(DepthTarget {
        view: target.view,
        load: target.load,
        store: target.store,
        clear: target.clear[word],
        resolve: target.resolve,
    })
}

/// The pass of dynamic rendering.
fn rendered(info: &vk::RenderingInfo<'_>) -> PassInfo {
    // Suspended and resumed passes are separate passes that store and load their targets.
    let colours = members::rendering_info_color_attachments(info).iter().map(colour_target).collect();
    let depth = members::rendering_info_depth_attachment(info).and_then(|info| depth_target(info, 0));
    let stencil = members::rendering_info_stencil_attachment(info).and_then(|info| depth_target(info, 1));
    let mut pass = PassInfo {
        area: area(info.render_area),
        layers: info.layer_count,
        views: info.view_mask,
        colours,
        depth: depth.filter(|target| target.view.format.has_depth()),
        stencil: stencil.filter(|target| target.view.format.has_stencil()),
        samples: 1,
        clears: Vec::new(),
    };
    if info.flags.contains(vk::RenderingFlags::RESUMING) {
        pass.colours.iter_mut().flatten().for_each(|target| target.load = vk::AttachmentLoadOp::LOAD);
        let depths = pass.depth.iter_mut().chain(&mut pass.stencil);
        depths.for_each(|target| target.load = vk::AttachmentLoadOp::LOAD);
    }
    if info.flags.contains(vk::RenderingFlags::SUSPENDING) {
        pass.colours.iter_mut().flatten().for_each(|target| target.store = vk::AttachmentStoreOp::STORE);
        let depths = pass.depth.iter_mut().chain(&mut pass.stencil);
        depths.for_each(|target| target.store = vk::AttachmentStoreOp::STORE);
    }
    pass
}

pub(crate) fn cmd_begin_rendering(buffer: &mut CommandBuffer, info: &vk::RenderingInfo<'_>) {
    fn begin(recorder: &mut Recorder, pass: PassInfo) -> Result<(), Error> {
        // Those of a pipeline, which may be bound before, stay.
        if recorder.graphics.shaders.pipeline.is_none() {
            let graphics = &mut recorder.graphics;
            graphics.set(Dirty::PROGRAMS, |state| &mut state.blending.sources, Default::default());
        }
        recorder.begin_pass(pass)
    }
    buffer.record_borrowed(
        |recorder| begin(recorder, rendered(info)),
        || {
            let pass = rendered(info);
            move |recorder: &mut Recorder| begin(recorder, pass.clone())
        },
    );
}

pub(crate) fn cmd_end_rendering(buffer: &mut CommandBuffer) {
    cmd_end_render_pass(buffer);
}

pub(crate) fn cmd_clear_attachments(
    buffer: &mut CommandBuffer,
    clears: &[vk::ClearAttachment],
    boxes: &[vk::ClearRect],
) {
    use vk::ImageAspectFlags as A;
    let mut list = Vec::new();
    for clear in clears {
        // SAFETY: all members of the union are words, and all bits are valid.
        let value = unsafe { clear.clear_value.color.uint32 };
        for (aspect, value) in
            [(A::COLOR, value), (A::DEPTH, [value[0], 0, 0, 0]), (A::STENCIL, [value[1], 0, 0, 0])]
        {
            if clear.aspect_mask.contains(aspect) {
                list.push((aspect, clear.color_attachment, value));
            }
        }
    }
    let of = |r: &vk::ClearRect| {
        let [left, top, width, height] = area(r.rect);
        [left, top, width, height, r.base_array_layer, r.layer_count]
    };
    let boxes: Vec<[u32; 6]> = boxes.iter().map(of).collect();
    buffer.record(move |recorder| recorder.clear_attachments(&list, &boxes));
}

pub(crate) fn cmd_begin_query(
    buffer: &mut CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    flags: vk::QueryControlFlags,
) {
    begin_query(buffer, pool, [query, 0], flags);
}

/// Begins a query of a stream.
pub(super) fn begin_query(
    buffer: &mut CommandBuffer,
    pool: vk::QueryPool,
    query: [u32; 2],
    flags: vk::QueryControlFlags,
) {
    let Some(pool) = owned(pool) else { return };
    let precise = flags.contains(vk::QueryControlFlags::PRECISE);
    buffer.record(move |recorder| recorder.begin_query(&pool, query, precise));
}

pub(crate) fn cmd_end_query(buffer: &mut CommandBuffer, pool: vk::QueryPool, query: u32) {
    end_query(buffer, pool, [query, 0]);
}

/// Ends a query of a stream.
pub(super) fn end_query(buffer: &mut CommandBuffer, pool: vk::QueryPool, query: [u32; 2]) {
    let Some(pool) = owned(pool) else { return };
    buffer.record(move |recorder| recorder.end_query(&pool, query));
}

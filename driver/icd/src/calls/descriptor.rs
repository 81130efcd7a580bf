//! Descriptor sets, their layouts, pools and update templates.

use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use agx_driver::Error;
use agx_driver::descriptor::{Kept, PipelineLayout, Pool, Put, Set, SetLayout, Sets, Writer};
use agx_driver::memory::lock;
use agx_driver::sampler::Sampler;
use ash::vk;

use crate::generated::members;
use crate::handles::{give, known, object, owned, shared, take};
use crate::objects::{DescriptorPool, Device, UpdateTemplate};
use crate::pointers::{bytes_at, find, find_mut, read_at, slice};

fn samplers(handles: &[vk::Sampler]) -> Vec<Sampler> {
    handles.iter().filter_map(|handle| object(*handle)).copied().collect()
}

/// The types of the mutable binding at a position.
fn mutable<'l>(lists: &'l vk::MutableDescriptorTypeCreateInfoEXT<'_>, at: usize) -> &'l [vk::DescriptorType] {
    let count = lists.mutable_descriptor_type_list_count as usize;
    // SAFETY: valid usage of `VkMutableDescriptorTypeCreateInfoEXT` and of its lists.
    let list = unsafe { slice(lists.p_mutable_descriptor_type_lists, count) }.get(at);
    // SAFETY: as above.
    list.map_or(&[], |list| unsafe { slice(list.p_descriptor_types, list.descriptor_type_count as usize) })
}

fn layout_of(info: &vk::DescriptorSetLayoutCreateInfo<'_>) -> SetLayout {
    let bindings = members::descriptor_set_layout_create_info_bindings(info).iter();
    let lists = find::<vk::MutableDescriptorTypeCreateInfoEXT<'_>>(info.p_next);
    let of = |(at, binding): (usize, &vk::DescriptorSetLayoutBinding<'_>)| {
        let has = matches!(
            binding.descriptor_type,
            vk::DescriptorType::SAMPLER | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
        );
        let list = if has {
            samplers(members::descriptor_set_layout_binding_immutable_samplers(binding))
        } else {
            Vec::new()
        };
        let kinds = match binding.descriptor_type {
            vk::DescriptorType::MUTABLE_EXT => lists.map_or(&[][..], |lists| mutable(lists, at)).to_vec(),
            kind => vec![kind],
        };
        (binding.binding, kinds, binding.descriptor_count, list)
    };
    let mut layout = SetLayout::new(bindings.clone().enumerate().map(of).collect());
    if let Some(flags) = find::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(info.p_next) {
        let flags = members::descriptor_set_layout_binding_flags_create_info_binding_flags(flags);
        let varies = |flags: &vk::DescriptorBindingFlags| {
            flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT)
        };
        let variable = bindings.zip(flags).find(|(_, flags)| varies(flags));
        layout.variable = variable.map(|(binding, _)| binding.binding);
    }
    layout.pushed = info.flags.contains(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
    layout
}

pub(crate) fn create_descriptor_set_layout(
    _: &Arc<Device>,
    info: &vk::DescriptorSetLayoutCreateInfo<'_>,
    out: &mut vk::DescriptorSetLayout,
) -> Result<(), Error> {
    *out = give(Arc::new(layout_of(info)));
    Ok(())
}

pub(crate) fn destroy_descriptor_set_layout(_: &Arc<Device>, layout: vk::DescriptorSetLayout) {
    drop(take(layout));
}

pub(crate) fn get_descriptor_set_layout_support(
    _: &Arc<Device>,
    info: &vk::DescriptorSetLayoutCreateInfo<'_>,
    out: &mut vk::DescriptorSetLayoutSupport<'_>,
) {
    let layout = layout_of(info);
    out.supported = vk::Bool32::from(layout.is_supported());
    if let Some(most) = find_mut::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>(out.p_next) {
        most.max_variable_descriptor_count = layout.most_variable();
    }
}

pub(crate) fn create_pipeline_layout(
    _: &Arc<Device>,
    info: &vk::PipelineLayoutCreateInfo<'_>,
    out: &mut vk::PipelineLayout,
) -> Result<(), Error> {
    let sets = members::pipeline_layout_create_info_set_layouts(info);
    let sets = sets.iter().map(|layout| owned(*layout)).collect();
    *out = give(Arc::new(PipelineLayout { sets }));
    Ok(())
}

pub(crate) fn destroy_pipeline_layout(_: &Arc<Device>, layout: vk::PipelineLayout) {
    drop(take(layout));
}

pub(crate) fn create_descriptor_pool(
    device: &Arc<Device>,
    info: &vk::DescriptorPoolCreateInfo<'_>,
    out: &mut vk::DescriptorPool,
) -> Result<(), Error> {
    let pool = Pool::new(device.sets.clone(), info.max_sets);
    *out = give(Arc::new(DescriptorPool { pool, sets: Mutex::default() }));
    Ok(())
}

pub(crate) fn reset_descriptor_pool(
    _: &Arc<Device>,
    pool: vk::DescriptorPool,
    _: vk::DescriptorPoolResetFlags,
) -> Result<(), Error> {
    let pool = known(pool)?;
    lock(&pool.sets).drain(..).for_each(|set| drop(take(set)));
    pool.pool.reset();
    Ok(())
}

pub(crate) fn destroy_descriptor_pool(device: &Arc<Device>, pool: vk::DescriptorPool) {
    if object(pool).is_some() {
        drop(reset_descriptor_pool(device, pool, vk::DescriptorPoolResetFlags::empty()));
        drop(take(pool));
    }
}

pub(crate) fn allocate_descriptor_sets(
    _: &Arc<Device>,
    info: &vk::DescriptorSetAllocateInfo<'_>,
    out: &mut [vk::DescriptorSet],
) -> Result<(), Error> {
    let pool = known(info.descriptor_pool)?;
    let counts = find::<vk::DescriptorSetVariableDescriptorCountAllocateInfo<'_>>(info.p_next)
        .map(members::descriptor_set_variable_descriptor_count_allocate_info_descriptor_counts)
        .unwrap_or_default();
    let layouts = members::descriptor_set_allocate_info_set_layouts(info).iter();
    for (at, (layout, slot)) in layouts.zip(&mut *out).enumerate() {
        // Without counts, a variable-sized binding has no elements.
        let variable = counts.get(at).copied().or(Some(0));
        match shared(*layout).and_then(|layout| pool.pool.allocate(layout, variable)) {
            Ok(set) => *slot = give(Arc::new(set)),
            Err(error) => {
                let (made, rest) = out.split_at_mut(at);
                made.iter_mut()
                    .filter_map(|slot| take(std::mem::take(slot)))
                    .for_each(|set| pool.pool.free(&set));
                rest.fill(vk::DescriptorSet::null());
                return Err(error);
            }
        }
    }
    lock(&pool.sets).extend(&*out);
    Ok(())
}

pub(crate) fn free_descriptor_sets(
    _: &Arc<Device>,
    pool: vk::DescriptorPool,
    sets: &[vk::DescriptorSet],
) -> Result<(), Error> {
    let pool = known(pool)?;
    lock(&pool.sets).retain(|set| !sets.contains(set));
    sets.iter().filter_map(|set| take(*set)).for_each(|set| pool.pool.free(&set));
    Ok(())
}

/// The contents of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Contents {
    /// Ranges of buffers.
    Buffers,
    /// Texels of buffers.
    Texels,
    /// Acceleration structures.
    Structures,
    /// Bytes.
    Inline,
    /// Textures, images and samplers.
    Images,
}

/// A write of descriptors.
pub(super) trait Given {
    /// Binding and first element.
    fn place(&self) -> (u32, u32);
    fn kind(&self) -> vk::DescriptorType;
    /// Number of elements, or of bytes.
    fn count(&self) -> u32;
    /// The first of its contents, and bytes from one to the next. Only inline contents may be missing.
    fn first(&self, contents: Contents) -> (*const c_void, usize);
}

impl Given for &vk::WriteDescriptorSet<'_> {
    #[inline(always)]
    fn place(&self) -> (u32, u32) {
        (self.dst_binding, self.dst_array_element)
    }

    #[inline(always)]
    fn kind(&self) -> vk::DescriptorType {
        self.descriptor_type
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.descriptor_count
    }

    #[inline(always)]
    fn first(&self, contents: Contents) -> (*const c_void, usize) {
        match contents {
            Contents::Buffers => (self.p_buffer_info.cast(), size_of::<vk::DescriptorBufferInfo>()),
            Contents::Texels => (self.p_texel_buffer_view.cast(), size_of::<vk::BufferView>()),
            Contents::Structures => {
                let list = find::<vk::WriteDescriptorSetAccelerationStructureKHR<'_>>(self.p_next);
                let first = list.map_or(std::ptr::null(), |list| list.p_acceleration_structures);
                (first.cast(), size_of::<vk::AccelerationStructureKHR>())
            }
            Contents::Inline => {
                let block = find::<vk::WriteDescriptorSetInlineUniformBlock<'_>>(self.p_next);
                (block.map_or(std::ptr::null(), |block| block.p_data), 1)
            }
            Contents::Images => (self.p_image_info.cast(), size_of::<vk::DescriptorImageInfo>()),
        }
    }
}

/// An entry of a template, and the data.
pub(super) struct Entry<'t>(&'t vk::DescriptorUpdateTemplateEntry, *const c_void);

impl Given for Entry<'_> {
    #[inline(always)]
    fn place(&self) -> (u32, u32) {
        (self.0.dst_binding, self.0.dst_array_element)
    }

    #[inline(always)]
    fn kind(&self) -> vk::DescriptorType {
        self.0.descriptor_type
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.0.descriptor_count
    }

    #[inline(always)]
    fn first(&self, _: Contents) -> (*const c_void, usize) {
        (self.1.wrapping_byte_add(self.0.offset), self.0.stride)
    }
}

/// The writes of a template.
pub(super) fn of_template(template: &UpdateTemplate, data: *const c_void) -> impl Iterator<Item = Entry<'_>> {
    template.entries.iter().map(move |entry| Entry(entry, data))
}

/// Writes descriptors.
#[inline(always)]
fn put<P: Put>(writer: &mut Writer<'_, P>, given: &impl Given) {
    use vk::DescriptorType as T;
    let (place, kind) = (given.place(), given.kind());
    let all = |contents| {
        let (first, stride) = given.first(contents);
        (first, (0..given.count() as usize).map(move |number| number * stride))
    };
    match kind {
        T::UNIFORM_BUFFER | T::STORAGE_BUFFER | T::UNIFORM_BUFFER_DYNAMIC | T::STORAGE_BUFFER_DYNAMIC => {
            let (first, offsets) = all(Contents::Buffers);
            writer.buffers(place, offsets.map(|at| range(&read_at(first, at))));
        }
        T::UNIFORM_TEXEL_BUFFER | T::STORAGE_TEXEL_BUFFER => {
            let (first, offsets) = all(Contents::Texels);
            writer.texels(place, kind, offsets.map(|at| object(read_at::<vk::BufferView>(first, at))));
        }
        T::ACCELERATION_STRUCTURE_KHR => {
            let (first, offsets) = all(Contents::Structures);
            let structures = offsets.map(|at| object(read_at::<vk::AccelerationStructureKHR>(first, at)));
            writer.buffers(place, structures.map(|found| found.map(|found| (found.address(), found.bytes))));
        }
        T::INLINE_UNIFORM_BLOCK => {
            let (first, offsets) = all(Contents::Inline);
            writer.inline(place, bytes_at(first, 0, offsets.len()));
        }
        _ => {
            let (first, offsets) = all(Contents::Images);
            let infos = offsets.map(|at| read_at::<vk::DescriptorImageInfo>(first, at));
            writer.images(place, kind, infos, (|info| object(info.image_view), |info| object(info.sampler)));
        }
    }
}

/// The range of a buffer; `None` without buffer.
#[inline(always)]
fn range(info: &vk::DescriptorBufferInfo) -> Option<(u64, u64)> {
    object(info.buffer).map(|buffer| buffer.range(info.offset, info.range))
}

pub(crate) fn update_descriptor_sets(
    _: &Arc<Device>,
    writes: &[vk::WriteDescriptorSet<'_>],
    copies: &[vk::CopyDescriptorSet<'_>],
) {
    for writes in writes.chunk_by(|one, other| one.dst_set == other.dst_set) {
        let Some(set) = writes.first().and_then(|first| object(first.dst_set)) else { continue };
        let mut writer = set.writer();
        writes.iter().for_each(|write| put(&mut writer, &write));
    }
    for copy in copies {
        let (Some(from), Some(to)) = (object(copy.src_set), object(copy.dst_set)) else { continue };
        let places = [(copy.src_binding, copy.src_array_element), (copy.dst_binding, copy.dst_array_element)];
        to.copy(from, places, copy.descriptor_count);
    }
}

/// Writes descriptors to a set.
#[inline]
pub(super) fn write<G: Given>(set: &Set, given: impl Iterator<Item = G>) {
    let mut writer = set.writer();
    for given in given {
        put(&mut writer, &given);
    }
}

/// Keeps descriptors for sets of a layout, to be written later.
pub(super) fn kept<G: Given>(given: impl Iterator<Item = G>, sets: &Sets, layout: &SetLayout) -> Kept {
    let mut kept = Kept::default();
    let mut writer = Writer::new(sets, layout, &mut kept);
    given.for_each(|given| put(&mut writer, &given));
    kept
}

pub(crate) fn create_descriptor_update_template(
    _: &Arc<Device>,
    info: &vk::DescriptorUpdateTemplateCreateInfo<'_>,
    out: &mut vk::DescriptorUpdateTemplate,
) -> Result<(), Error> {
    let entries = members::descriptor_update_template_create_info_descriptor_update_entries(info).to_vec();
    *out = give(Arc::new(UpdateTemplate { entries, point: info.pipeline_bind_point }));
    Ok(())
}

pub(crate) fn destroy_descriptor_update_template(_: &Arc<Device>, template: vk::DescriptorUpdateTemplate) {
    drop(take(template));
}

pub(crate) fn update_descriptor_set_with_template(
    _: &Arc<Device>,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    let (Some(set), Some(template)) = (object(set), object(template)) else { return };
    write(set, of_template(template, data));
}

//! Shader modules, pipeline caches, pipelines.

use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agx_driver::cache::{Known, PipelineCache};
use agx_driver::graphics::GraphicsPipeline;
use agx_driver::pipeline::{ComputePipeline, Module, PipelineRobustness, ShaderSource};
use agx_driver::render::Shaders;
use agx_driver::{Bounds, Error, FIGURES, Statistics, physical};
use ash::vk;

use super::identifier::Modules;
use super::pipeline_binary;
use crate::generated::members;
use crate::handles::{give, object, shared, take};
use crate::newer::CAPTURE_DATA;
use crate::objects::{Device, Pipeline, PipelineKind, ShaderModule};
use crate::pointers::{Fill, find, slice_mut};

/// The bytes of a module.
pub(super) fn code(info: &vk::ShaderModuleCreateInfo<'_>) -> Arc<Module> {
    // SAFETY: valid usage of `VkShaderModuleCreateInfo`: the size is in bytes.
    let words = unsafe { crate::pointers::slice(info.p_code, info.code_size / 4) };
    Module::new(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

pub(crate) fn create_shader_module(
    _: &Arc<Device>,
    info: &vk::ShaderModuleCreateInfo<'_>,
    out: &mut vk::ShaderModule,
) -> Result<(), Error> {
    let code = code(info);
    crate::keep_module(&code);
    *out = give(Arc::new(ShaderModule { code }));
    Ok(())
}

pub(crate) fn destroy_shader_module(_: &Arc<Device>, module: vk::ShaderModule) {
    drop(take(module));
}

/// The module of a stage.
fn module(info: &vk::PipelineShaderStageCreateInfo<'_>, modules: Modules<'_>) -> Result<Arc<Module>, Error> {
    let given = object(info.module).map(|module| module.code.clone());
    let given = given.or_else(|| find::<vk::ShaderModuleCreateInfo<'_>>(info.p_next).map(code));
    let identifier = find::<vk::PipelineShaderStageModuleIdentifierCreateInfoEXT<'_>>(info.p_next);
    match (given, identifier.filter(|identifier| identifier.identifier_size > 0)) {
        (Some(given), _) => {
            modules.keep(info.stage, &given);
            Ok(given)
        }
        (None, Some(identifier)) => modules.find(identifier),
        (None, None) => modules.of_stage(info.stage),
    }
}

/// The shader of a stage, of a pipeline with a layout.
pub(super) fn source(
    info: &vk::PipelineShaderStageCreateInfo<'_>,
    layout: vk::PipelineLayout,
    modules: Modules<'_>,
) -> Result<ShaderSource, Error> {
    let code = module(info, modules)?;
    let name = members::pipeline_shader_stage_create_info_name(info);
    let entry_point = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let special = members::pipeline_shader_stage_create_info_specialization_info(info);
    let constants = special.map(constants).unwrap_or_default();
    let robustness = robustness(info.p_next).unwrap_or_default();
    let conversions = object(layout).map(|layout| layout.conversions()).unwrap_or_default();
    Ok(ShaderSource { code, entry_point, constants, robustness, conversions, ..ShaderSource::default() })
}

/// The robustness of a pipeline or a stage.
pub(super) fn robustness(next: *const c_void) -> Option<PipelineRobustness> {
    use vk::PipelineRobustnessBufferBehaviorEXT as B;
    use vk::PipelineRobustnessImageBehaviorEXT as I;
    let wanted = find::<vk::PipelineRobustnessCreateInfoEXT<'_>>(next)?;
    let buffers = |behaviour| match behaviour {
        B::DISABLED => Some(Bounds::Unchecked),
        B::ROBUST_BUFFER_ACCESS => Some(Bounds::Clamped),
        B::ROBUST_BUFFER_ACCESS_2 => Some(Bounds::Exact),
        _ => None,
    };
    let image = match wanted.images {
        I::DISABLED => Some(Bounds::Unchecked),
        I::ROBUST_IMAGE_ACCESS | I::ROBUST_IMAGE_ACCESS_2 => Some(Bounds::Exact),
        _ => None,
    };
    let wanted = [wanted.uniform_buffers, wanted.storage_buffers, wanted.vertex_inputs];
    let [uniform, storage, vertex] = wanted.map(buffers);
    Some(PipelineRobustness { uniform, storage, image, vertex })
}

/// Specialization constants by id, as raw bits.
pub(super) fn constants(special: &vk::SpecializationInfo<'_>) -> Vec<(u32, u64)> {
    let data = members::specialization_info_data(special);
    let value = |entry: &vk::SpecializationMapEntry| {
        let bytes = data.get(entry.offset as usize..entry.offset as usize + entry.size).unwrap_or(&[]);
        bytes.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    let entries = members::specialization_info_map_entries(special).iter();
    entries.map(|entry| (entry.constant_id, value(entry))).collect()
}

/// Writes the duration of a pipeline's creation, if requested; that of its stages is not available.
fn feedback(next: *const c_void, duration: Duration) {
    let Some(wanted) = find::<vk::PipelineCreationFeedbackCreateInfo<'_>>(next) else { return };
    let flags = vk::PipelineCreationFeedbackFlags::VALID;
    let whole = vk::PipelineCreationFeedback { flags, duration: duration.as_nanos() as u64 };
    // SAFETY: valid usage of `VkPipelineCreationFeedbackCreateInfo`: the pointers are to arrays of this length.
    unsafe {
        *wanted.p_pipeline_creation_feedback = whole;
        let stages = wanted.pipeline_stage_creation_feedback_count as usize;
        slice_mut(wanted.p_pipeline_stage_creation_feedbacks, stages)
            .fill(vk::PipelineCreationFeedback::default());
    }
}

/// The parameters of a pipeline.
pub(crate) trait Makes {
    /// Its flags and its structure chain.
    fn about(&self) -> (vk::PipelineCreateFlags, *const c_void);

    /// Creates the pipeline.
    fn make(&self, device: &Device, known: Known<'_>) -> Result<PipelineKind, Error>;
}

/// Flags of a pipeline. 64-bit flags replace the 32-bit ones (`VK_KHR_maintenance5`) and have the same values.
pub(super) fn all_flags(flags: vk::PipelineCreateFlags, next: *const c_void) -> vk::PipelineCreateFlags {
    let more = find::<vk::PipelineCreateFlags2CreateInfoKHR<'_>>(next);
    more.map_or(flags, |more| vk::PipelineCreateFlags::from_raw(more.flags.as_raw() as u32))
}

/// Creates pipelines one after the other. Failed ones are null, and the command returns the last error.
pub(crate) fn create_pipelines<I: Makes>(
    device: &Arc<Device>,
    cache: vk::PipelineCache,
    infos: &[I],
    out: &mut [vk::Pipeline],
) -> Result<(), Error> {
    use vk::PipelineCreateFlags as F;
    let cache = object(cache);
    let mut result = Ok(());
    out.fill(vk::Pipeline::null());
    for (info, slot) in infos.iter().zip(out) {
        let (flags, next) = info.about();
        let flags = all_flags(flags, next);
        let start = Instant::now();
        let only = flags.contains(F::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
        let binaries = pipeline_binary::given(next);
        let captured = flags.contains(CAPTURE_DATA).then(Box::<PipelineCache>::default);
        let known = Known { cache: binaries.as_ref().or(cache), only, captured: captured.as_deref() };
        let made = info.make(device, known);
        feedback(next, start.elapsed());
        match made {
            Ok(kind) => *slot = give(Arc::new(Pipeline { kind, captured: Mutex::new(captured) })),
            Err(error) => {
                result = Err(error);
                if flags.contains(F::EARLY_RETURN_ON_FAILURE) {
                    break;
                }
            }
        }
    }
    result
}

pub(crate) use create_pipelines as create_compute_pipelines;

impl Makes for vk::ComputePipelineCreateInfo<'_> {
    fn about(&self) -> (vk::PipelineCreateFlags, *const c_void) {
        (self.flags, self.p_next)
    }

    fn make(&self, device: &Device, known: Known<'_>) -> Result<PipelineKind, Error> {
        let source = compute_source(self, Modules::new(device, known))?;
        Ok(PipelineKind::Compute(ComputePipeline::new(device, source, known)?))
    }
}

/// The shader of a compute pipeline.
pub(super) fn compute_source(
    info: &vk::ComputePipelineCreateInfo<'_>,
    modules: Modules<'_>,
) -> Result<ShaderSource, Error> {
    let mut source = source(&info.stage, info.layout, modules)?.or(robustness(info.p_next));
    source.has_base = all_flags(info.flags, info.p_next).contains(vk::PipelineCreateFlags::DISPATCH_BASE);
    Ok(source)
}

pub(crate) fn destroy_pipeline(_: &Arc<Device>, pipeline: vk::Pipeline) {
    drop(take(pipeline));
}

/// The header of pipeline caches (`VkPipelineCacheHeaderVersionOne`).
pub(super) fn cache_header() -> Vec<u8> {
    let properties = physical::properties();
    let words = [32, 1, properties.vendor_id, properties.device_id];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    bytes.extend(properties.pipeline_cache_uuid);
    bytes
}

pub(crate) fn create_pipeline_cache(
    _: &Arc<Device>,
    info: &vk::PipelineCacheCreateInfo<'_>,
    out: &mut vk::PipelineCache,
) -> Result<(), Error> {
    let data = members::pipeline_cache_create_info_initial_data(info);
    // Data of other drivers is ignored.
    let own = data.strip_prefix(cache_header().as_slice()).unwrap_or_default();
    *out = give(Arc::new(PipelineCache::from_data(own)));
    Ok(())
}

pub(crate) fn destroy_pipeline_cache(_: &Arc<Device>, cache: vk::PipelineCache) {
    drop(take(cache));
}

pub(crate) fn get_pipeline_cache_data(
    _: &Arc<Device>,
    cache: vk::PipelineCache,
    fill: Fill<usize, std::ffi::c_void>,
) -> Result<vk::Result, Error> {
    let mut data = cache_header();
    data.extend(shared(cache)?.data());
    Ok(fill.bytes(&data))
}

pub(crate) fn merge_pipeline_caches(
    _: &Arc<Device>,
    cache: vk::PipelineCache,
    others: &[vk::PipelineCache],
) -> Result<(), Error> {
    let cache = shared(cache)?;
    others.iter().filter_map(|other| object(*other)).for_each(|other| cache.merge(other));
    Ok(())
}

/// Name, stage and statistics of a program.
type Shown = (&'static str, vk::ShaderStageFlags, Statistics);

/// The programs of a pipeline.
fn programs(pipeline: vk::Pipeline) -> Vec<Shown> {
    match object(pipeline).map(|pipeline| &pipeline.kind) {
        Some(PipelineKind::Compute(pipeline)) => {
            vec![("compute", vk::ShaderStageFlags::COMPUTE, pipeline.program.statistics)]
        }
        Some(PipelineKind::Graphics(pipeline)) => graphics_programs(pipeline),
        Some(PipelineKind::Library(_)) | None => Vec::new(),
    }
}

fn graphics_programs(pipeline: &GraphicsPipeline) -> Vec<Shown> {
    let Shaders { vertex, control, evaluation, geometry, task, mesh, fragment, .. } = &*pipeline.made.shaders;
    let vertex = vertex.as_ref().and_then(|vertex| vertex.statistics());
    let control = control.as_ref().map(|control| control.program.statistics);
    let evaluation = evaluation.as_ref().and_then(|evaluation| evaluation.statistics());
    let geometry = geometry.as_ref().and_then(|geometry| geometry.statistics());
    let fragment = fragment.as_ref().and_then(|fragment| fragment.statistics());
    let stages = [
        ("vertex", vk::ShaderStageFlags::VERTEX, vertex),
        ("tessellation control", vk::ShaderStageFlags::TESSELLATION_CONTROL, control),
        ("tessellation evaluation", vk::ShaderStageFlags::TESSELLATION_EVALUATION, evaluation),
        ("geometry", vk::ShaderStageFlags::GEOMETRY, geometry),
        ("task", vk::ShaderStageFlags::TASK_EXT, task.as_ref().map(|task| task.program.statistics)),
        ("mesh", vk::ShaderStageFlags::MESH_EXT, mesh.as_ref().map(|mesh| mesh.program.statistics)),
        ("fragment", vk::ShaderStageFlags::FRAGMENT, fragment),
    ];
    stages.into_iter().filter_map(|(name, stage, figures)| Some((name, stage, figures?))).collect()
}

pub(crate) fn get_pipeline_executable_properties_khr(
    _: &Arc<Device>,
    info: &vk::PipelineInfoKHR<'_>,
    fill: Fill<u32, vk::PipelineExecutablePropertiesKHR<'_>>,
) -> vk::Result {
    fill.fill(&programs(info.pipeline), |(name, stage, _), slot| {
        slot.stages = *stage;
        slot.name = physical::characters(name);
        slot.description = physical::characters("Linked program");
        slot.subgroup_size = 32;
    })
}

pub(crate) fn get_pipeline_executable_statistics_khr(
    _: &Arc<Device>,
    info: &vk::PipelineExecutableInfoKHR<'_>,
    fill: Fill<u32, vk::PipelineExecutableStatisticKHR<'_>>,
) -> vk::Result {
    let list = programs(info.pipeline);
    let Some((_, _, statistics)) = list.get(info.executable_index as usize) else {
        return fill.fill::<()>(&[], |_, _| {});
    };
    fill.fill(FIGURES, |figure, slot| {
        slot.name = physical::characters(figure.title);
        slot.description = physical::characters(figure.description);
        slot.format = vk::PipelineExecutableStatisticFormatKHR::UINT64;
        slot.value = vk::PipelineExecutableStatisticValueKHR { u64: (figure.value)(statistics).into() };
    })
}

pub(crate) fn get_pipeline_executable_internal_representations_khr(
    _: &Arc<Device>,
    _: &vk::PipelineExecutableInfoKHR<'_>,
    fill: Fill<u32, vk::PipelineExecutableInternalRepresentationKHR<'_>>,
) -> vk::Result {
    fill.fill::<()>(&[], |_, _| {})
}

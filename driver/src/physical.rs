//! What the device can do, as Vulkan asks for it.

use agx_abi::fragment::MAX_TARGETS;
use ash::vk;

use crate::format;

/// The version of Vulkan.
pub const API_VERSION: u32 = vk::make_api_version(0, 1, 3, 281);
/// Name of the device.
const NAME: &str = "AGX on a reference machine (agxc)";
/// Bytes of the heap.
const HEAP: u64 = 8 << 30;
/// Invocations of a subgroup.
const SUBGROUP: u32 = 32;
/// Texels of an image along an axis, and layers.
const SIDE: u32 = 16384;
const LAYERS: u32 = 2048;
/// Descriptors of a set that shaders can reach.
const DESCRIPTORS: u32 = 1 << 16;

/// Extensions of devices, with their versions.
pub static DEVICE_EXTENSIONS: &[(&str, u32)] = &[
    ("VK_KHR_16bit_storage", 1),
    ("VK_KHR_8bit_storage", 1),
    ("VK_KHR_bind_memory2", 1),
    ("VK_KHR_buffer_device_address", 1),
    ("VK_KHR_copy_commands2", 1),
    ("VK_KHR_create_renderpass2", 1),
    ("VK_KHR_dedicated_allocation", 3),
    ("VK_KHR_depth_stencil_resolve", 1),
    ("VK_KHR_descriptor_update_template", 1),
    ("VK_KHR_device_group", 4),
    ("VK_KHR_draw_indirect_count", 1),
    ("VK_KHR_driver_properties", 1),
    ("VK_KHR_dynamic_rendering", 1),
    ("VK_KHR_format_feature_flags2", 2),
    ("VK_KHR_get_memory_requirements2", 1),
    ("VK_KHR_image_format_list", 1),
    ("VK_KHR_imageless_framebuffer", 1),
    ("VK_KHR_maintenance1", 2),
    ("VK_KHR_maintenance2", 1),
    ("VK_KHR_maintenance3", 1),
    ("VK_KHR_maintenance4", 2),
    ("VK_KHR_multiview", 1),
    ("VK_KHR_pipeline_executable_properties", 1),
    ("VK_KHR_push_descriptor", 2),
    ("VK_KHR_relaxed_block_layout", 1),
    ("VK_KHR_sampler_mirror_clamp_to_edge", 3),
    ("VK_KHR_separate_depth_stencil_layouts", 1),
    ("VK_KHR_shader_draw_parameters", 1),
    ("VK_KHR_shader_float16_int8", 1),
    ("VK_KHR_shader_float_controls", 4),
    ("VK_KHR_shader_integer_dot_product", 1),
    ("VK_KHR_shader_non_semantic_info", 1),
    ("VK_KHR_shader_subgroup_extended_types", 1),
    ("VK_KHR_shader_terminate_invocation", 1),
    ("VK_KHR_spirv_1_4", 1),
    ("VK_KHR_storage_buffer_storage_class", 1),
    ("VK_KHR_swapchain", 70),
    ("VK_KHR_swapchain_mutable_format", 1),
    ("VK_KHR_synchronization2", 1),
    ("VK_KHR_timeline_semaphore", 2),
    ("VK_KHR_uniform_buffer_standard_layout", 1),
    ("VK_KHR_variable_pointers", 1),
    ("VK_KHR_vertex_attribute_divisor", 1),
    ("VK_KHR_vulkan_memory_model", 3),
    ("VK_KHR_zero_initialize_workgroup_memory", 1),
    ("VK_EXT_4444_formats", 1),
    ("VK_EXT_depth_clip_enable", 1),
    ("VK_EXT_descriptor_indexing", 2),
    ("VK_EXT_extended_dynamic_state", 1),
    ("VK_EXT_host_query_reset", 1),
    ("VK_EXT_index_type_uint8", 1),
    ("VK_EXT_image_robustness", 1),
    ("VK_EXT_inline_uniform_block", 1),
    ("VK_EXT_private_data", 1),
    ("VK_EXT_robustness2", 1),
    ("VK_EXT_scalar_block_layout", 1),
    ("VK_EXT_separate_stencil_usage", 1),
    ("VK_EXT_shader_demote_to_helper_invocation", 1),
    ("VK_EXT_shader_subgroup_ballot", 1),
    ("VK_EXT_shader_subgroup_vote", 1),
    ("VK_EXT_subgroup_size_control", 2),
    ("VK_EXT_tooling_info", 1),
    ("VK_EXT_vertex_attribute_divisor", 3),
];

/// Extensions of instances, with their versions.
pub static INSTANCE_EXTENSIONS: &[(&str, u32)] = &[
    ("VK_KHR_device_group_creation", 1),
    ("VK_KHR_external_fence_capabilities", 1),
    ("VK_KHR_external_memory_capabilities", 1),
    ("VK_KHR_external_semaphore_capabilities", 1),
    ("VK_KHR_get_physical_device_properties2", 2),
    ("VK_KHR_get_surface_capabilities2", 1),
    ("VK_KHR_surface", 25),
    ("VK_KHR_xcb_surface", 6),
    ("VK_KHR_xlib_surface", 6),
    ("VK_EXT_headless_surface", 1),
];

/// Copies a string into an array of characters.
pub fn characters<const N: usize>(text: &str) -> [std::ffi::c_char; N] {
    let mut out = [0; N];
    out.iter_mut().zip(text.bytes().take(N - 1)).for_each(|(to, from)| *to = from as std::ffi::c_char);
    out
}

/// Features of version 1.0.
pub fn features() -> vk::PhysicalDeviceFeatures {
    vk::PhysicalDeviceFeatures::default()
        .robust_buffer_access(true)
        .full_draw_index_uint32(true)
        .image_cube_array(true)
        .independent_blend(true)
        .sample_rate_shading(true)
        .dual_src_blend(true)
        .logic_op(true)
        .multi_draw_indirect(true)
        .draw_indirect_first_instance(true)
        .depth_clamp(true)
        .depth_bias_clamp(true)
        .fill_mode_non_solid(true)
        .wide_lines(true)
        .large_points(true)
        .alpha_to_one(true)
        .multi_viewport(true)
        .sampler_anisotropy(true)
        .texture_compression_etc2(true)
        .texture_compression_astc_ldr(true)
        .texture_compression_bc(true)
        .occlusion_query_precise(true)
        .vertex_pipeline_stores_and_atomics(true)
        .fragment_stores_and_atomics(true)
        .shader_image_gather_extended(true)
        .shader_storage_image_extended_formats(true)
        .shader_storage_image_read_without_format(true)
        .shader_storage_image_write_without_format(true)
        .shader_uniform_buffer_array_dynamic_indexing(true)
        .shader_sampled_image_array_dynamic_indexing(true)
        .shader_storage_buffer_array_dynamic_indexing(true)
        .shader_storage_image_array_dynamic_indexing(true)
        .shader_clip_distance(true)
        .shader_cull_distance(true)
        .shader_float64(true)
        .shader_int64(true)
        .shader_int16(true)
        .inherited_queries(true)
}

/// Features of version 1.1.
pub fn features_11() -> vk::PhysicalDeviceVulkan11Features<'static> {
    vk::PhysicalDeviceVulkan11Features::default()
        .storage_buffer16_bit_access(true)
        .uniform_and_storage_buffer16_bit_access(true)
        .storage_push_constant16(true)
        .multiview(true)
        .variable_pointers_storage_buffer(true)
        .variable_pointers(true)
        .shader_draw_parameters(true)
}

/// Features of version 1.2.
pub fn features_12() -> vk::PhysicalDeviceVulkan12Features<'static> {
    vk::PhysicalDeviceVulkan12Features::default()
        .sampler_mirror_clamp_to_edge(true)
        .storage_buffer8_bit_access(true)
        .uniform_and_storage_buffer8_bit_access(true)
        .storage_push_constant8(true)
        .shader_float16(true)
        .shader_int8(true)
        .descriptor_indexing(true)
        .shader_input_attachment_array_dynamic_indexing(true)
        .shader_uniform_texel_buffer_array_dynamic_indexing(true)
        .shader_storage_texel_buffer_array_dynamic_indexing(true)
        .shader_uniform_buffer_array_non_uniform_indexing(true)
        .shader_sampled_image_array_non_uniform_indexing(true)
        .shader_storage_buffer_array_non_uniform_indexing(true)
        .shader_storage_image_array_non_uniform_indexing(true)
        .shader_input_attachment_array_non_uniform_indexing(true)
        .shader_uniform_texel_buffer_array_non_uniform_indexing(true)
        .shader_storage_texel_buffer_array_non_uniform_indexing(true)
        .descriptor_binding_uniform_buffer_update_after_bind(true)
        .descriptor_binding_sampled_image_update_after_bind(true)
        .descriptor_binding_storage_image_update_after_bind(true)
        .descriptor_binding_storage_buffer_update_after_bind(true)
        .descriptor_binding_uniform_texel_buffer_update_after_bind(true)
        .descriptor_binding_storage_texel_buffer_update_after_bind(true)
        .descriptor_binding_update_unused_while_pending(true)
        .descriptor_binding_partially_bound(true)
        .descriptor_binding_variable_descriptor_count(true)
        .runtime_descriptor_array(true)
        .scalar_block_layout(true)
        .imageless_framebuffer(true)
        .uniform_buffer_standard_layout(true)
        .shader_subgroup_extended_types(true)
        .separate_depth_stencil_layouts(true)
        .host_query_reset(true)
        .timeline_semaphore(true)
        .buffer_device_address(true)
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(true)
        .vulkan_memory_model_availability_visibility_chains(true)
        .draw_indirect_count(true)
        .shader_output_viewport_index(true)
        .shader_output_layer(true)
        .subgroup_broadcast_dynamic_id(true)
}

/// Features of version 1.3.
pub fn features_13() -> vk::PhysicalDeviceVulkan13Features<'static> {
    vk::PhysicalDeviceVulkan13Features::default()
        .robust_image_access(true)
        .inline_uniform_block(true)
        .descriptor_binding_inline_uniform_block_update_after_bind(true)
        .pipeline_creation_cache_control(true)
        .private_data(true)
        .shader_demote_to_helper_invocation(true)
        .shader_terminate_invocation(true)
        .subgroup_size_control(true)
        .compute_full_subgroups(true)
        .synchronization2(true)
        .texture_compression_astc_hdr(false)
        .shader_zero_initialize_workgroup_memory(true)
        .dynamic_rendering(true)
        .shader_integer_dot_product(true)
        .maintenance4(true)
}

const SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::from_raw(1 | 2 | 4);

/// Limits of images, descriptors and stages.
fn resource_limits(limits: vk::PhysicalDeviceLimits) -> vk::PhysicalDeviceLimits {
    limits
        .max_image_dimension1_d(SIDE)
        .max_image_dimension2_d(SIDE)
        .max_image_dimension3_d(2048)
        .max_image_dimension_cube(SIDE)
        .max_image_array_layers(LAYERS)
        .max_texel_buffer_elements(1 << 24)
        .max_uniform_buffer_range(1 << 16)
        .max_storage_buffer_range(u32::MAX)
        .max_push_constants_size(crate::words::PUSH_BYTES as u32)
        .max_memory_allocation_count(100_000)
        .max_sampler_allocation_count(1 << 16)
        .buffer_image_granularity(1)
        .max_bound_descriptor_sets(crate::words::MAX_SETS as u32)
        .max_per_stage_descriptor_samplers(16)
        .max_per_stage_descriptor_uniform_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_storage_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_sampled_images(DESCRIPTORS)
        .max_per_stage_descriptor_storage_images(DESCRIPTORS)
        .max_per_stage_descriptor_input_attachments(DESCRIPTORS)
        .max_per_stage_resources(DESCRIPTORS)
        .max_descriptor_set_samplers(DESCRIPTORS)
        .max_descriptor_set_uniform_buffers(DESCRIPTORS)
        .max_descriptor_set_uniform_buffers_dynamic(64)
        .max_descriptor_set_storage_buffers(DESCRIPTORS)
        .max_descriptor_set_storage_buffers_dynamic(64)
        .max_descriptor_set_sampled_images(DESCRIPTORS)
        .max_descriptor_set_storage_images(DESCRIPTORS)
        .max_descriptor_set_input_attachments(DESCRIPTORS)
        .min_memory_map_alignment(4096)
        .min_texel_buffer_offset_alignment(16)
        .min_uniform_buffer_offset_alignment(16)
        .min_storage_buffer_offset_alignment(16)
        .optimal_buffer_copy_offset_alignment(16)
        .optimal_buffer_copy_row_pitch_alignment(16)
        .non_coherent_atom_size(64)
}

/// Limits of draws and dispatches.
fn draw_limits(limits: vk::PhysicalDeviceLimits) -> vk::PhysicalDeviceLimits {
    limits
        .max_vertex_input_attributes(32)
        .max_vertex_input_bindings(32)
        .max_vertex_input_attribute_offset(2047)
        .max_vertex_input_binding_stride(2048)
        .max_vertex_output_components(128)
        .max_fragment_input_components(124)
        .max_fragment_output_attachments(MAX_TARGETS)
        .max_fragment_dual_src_attachments(1)
        .max_fragment_combined_output_resources(DESCRIPTORS)
        .max_compute_shared_memory_size(32768)
        .max_compute_work_group_count([65535; 3])
        .max_compute_work_group_invocations(1024)
        .max_compute_work_group_size([1024, 1024, 1024])
        .sub_pixel_precision_bits(8)
        .sub_texel_precision_bits(8)
        .mipmap_precision_bits(8)
        .max_draw_indexed_index_value(u32::MAX)
        .max_draw_indirect_count(u32::MAX)
        .max_sampler_lod_bias(15.0)
        .max_sampler_anisotropy(16.0)
        .max_viewports(16)
        .max_viewport_dimensions([SIDE; 2])
        .viewport_bounds_range([-32768.0, 32767.0])
        .viewport_sub_pixel_bits(8)
        .min_texel_offset(-8)
        .max_texel_offset(7)
        .min_texel_gather_offset(-8)
        .max_texel_gather_offset(7)
        .min_interpolation_offset(-0.5)
        .max_interpolation_offset(0.4375)
        .sub_pixel_interpolation_offset_bits(4)
        .max_framebuffer_width(SIDE)
        .max_framebuffer_height(SIDE)
        .max_framebuffer_layers(LAYERS)
        .framebuffer_color_sample_counts(SAMPLES)
        .framebuffer_depth_sample_counts(SAMPLES)
        .framebuffer_stencil_sample_counts(SAMPLES)
        .framebuffer_no_attachments_sample_counts(SAMPLES)
        .max_color_attachments(MAX_TARGETS)
        .sampled_image_color_sample_counts(SAMPLES)
        .sampled_image_integer_sample_counts(SAMPLES)
        .sampled_image_depth_sample_counts(SAMPLES)
        .sampled_image_stencil_sample_counts(SAMPLES)
        .storage_image_sample_counts(vk::SampleCountFlags::TYPE_1)
        .max_sample_mask_words(1)
        .timestamp_compute_and_graphics(true)
        .timestamp_period(1.0)
        .max_clip_distances(8)
        .max_cull_distances(8)
        .max_combined_clip_and_cull_distances(8)
        .discrete_queue_priorities(2)
        .point_size_range([1.0, 511.95])
        .line_width_range([0.0, 16.0])
        .point_size_granularity(1.0 / 16.0)
        .line_width_granularity(1.0 / 16.0)
        .strict_lines(false)
        .standard_sample_locations(true)
}

/// Properties of version 1.0.
pub fn properties() -> vk::PhysicalDeviceProperties {
    vk::PhysicalDeviceProperties {
        api_version: API_VERSION,
        driver_version: vk::make_api_version(0, 0, 1, 0),
        // Mesa's number for its own drivers of hardware without a PCI vendor.
        vendor_id: 0x10005,
        device_id: 0x8103,
        device_type: vk::PhysicalDeviceType::INTEGRATED_GPU,
        device_name: characters(NAME),
        pipeline_cache_uuid: UUID,
        limits: draw_limits(resource_limits(vk::PhysicalDeviceLimits::default())),
        sparse_properties: vk::PhysicalDeviceSparseProperties::default(),
    }
}

/// What tells caches of this driver from others.
pub const UUID: [u8; 16] = *b"agxc-driver-0001";

/// Properties of version 1.1.
pub fn properties_11() -> vk::PhysicalDeviceVulkan11Properties<'static> {
    use vk::SubgroupFeatureFlags as S;
    vk::PhysicalDeviceVulkan11Properties::default()
        .device_uuid(UUID)
        .driver_uuid(UUID)
        .subgroup_size(SUBGROUP)
        .subgroup_supported_stages(
            vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::COMPUTE,
        )
        .subgroup_supported_operations(
            S::BASIC
                | S::VOTE
                | S::ARITHMETIC
                | S::BALLOT
                | S::SHUFFLE
                | S::SHUFFLE_RELATIVE
                | S::CLUSTERED
                | S::QUAD,
        )
        .subgroup_quad_operations_in_all_stages(true)
        .point_clipping_behavior(vk::PointClippingBehavior::ALL_CLIP_PLANES)
        .max_multiview_view_count(6)
        .max_multiview_instance_index((1 << 27) - 1)
        .protected_no_fault(false)
        .max_per_set_descriptors(DESCRIPTORS)
        .max_memory_allocation_size(2 << 30)
}

/// Properties of version 1.2.
pub fn properties_12() -> vk::PhysicalDeviceVulkan12Properties<'static> {
    vk::PhysicalDeviceVulkan12Properties::default()
        .driver_id(vk::DriverId::from_raw(0))
        .driver_name_text("agxc")
        .conformance_version(vk::ConformanceVersion { major: 0, minor: 0, subminor: 0, patch: 0 })
        .denorm_behavior_independence(vk::ShaderFloatControlsIndependence::ALL)
        .rounding_mode_independence(vk::ShaderFloatControlsIndependence::ALL)
        .shader_signed_zero_inf_nan_preserve_float16(true)
        .shader_signed_zero_inf_nan_preserve_float32(true)
        .shader_signed_zero_inf_nan_preserve_float64(true)
        .shader_denorm_flush_to_zero_float32(true)
        .shader_denorm_preserve_float16(true)
        .shader_denorm_preserve_float64(true)
        .shader_rounding_mode_rte_float16(true)
        .shader_rounding_mode_rte_float32(true)
        .shader_rounding_mode_rte_float64(true)
        .robust_buffer_access_update_after_bind(true)
        .max_update_after_bind_descriptors_in_all_pools(1 << 20)
        .max_per_stage_descriptor_update_after_bind_samplers(16)
        .max_per_stage_descriptor_update_after_bind_uniform_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_storage_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_sampled_images(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_storage_images(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_input_attachments(DESCRIPTORS)
        .max_per_stage_update_after_bind_resources(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_samplers(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_uniform_buffers(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_uniform_buffers_dynamic(64)
        .max_descriptor_set_update_after_bind_storage_buffers(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_storage_buffers_dynamic(64)
        .max_descriptor_set_update_after_bind_sampled_images(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_storage_images(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_input_attachments(DESCRIPTORS)
        .supported_depth_resolve_modes(vk::ResolveModeFlags::SAMPLE_ZERO)
        .supported_stencil_resolve_modes(vk::ResolveModeFlags::SAMPLE_ZERO)
        .independent_resolve_none(true)
        .independent_resolve(true)
        .max_timeline_semaphore_value_difference(u64::MAX)
        .framebuffer_integer_color_sample_counts(SAMPLES)
}

/// A builder that ash lacks.
trait DriverName {
    fn driver_name_text(self, name: &str) -> Self;
}

impl DriverName for vk::PhysicalDeviceVulkan12Properties<'_> {
    fn driver_name_text(mut self, name: &str) -> Self {
        self.driver_name = characters(name);
        self.driver_info = characters(env!("CARGO_PKG_VERSION"));
        self
    }
}

/// Properties of version 1.3.
pub fn properties_13() -> vk::PhysicalDeviceVulkan13Properties<'static> {
    vk::PhysicalDeviceVulkan13Properties::default()
        .min_subgroup_size(SUBGROUP)
        .max_subgroup_size(SUBGROUP)
        .max_compute_workgroup_subgroups(32)
        .required_subgroup_size_stages(vk::ShaderStageFlags::COMPUTE)
        .max_inline_uniform_block_size(4096)
        .max_per_stage_descriptor_inline_uniform_blocks(16)
        .max_per_stage_descriptor_update_after_bind_inline_uniform_blocks(16)
        .max_descriptor_set_inline_uniform_blocks(16)
        .max_descriptor_set_update_after_bind_inline_uniform_blocks(16)
        .max_inline_uniform_total_size(1 << 16)
        .storage_texel_buffer_offset_alignment_bytes(16)
        .uniform_texel_buffer_offset_alignment_bytes(16)
        .max_buffer_size(2 << 30)
}

/// Memory: one heap, of which everything is seen by the processor.
pub fn memory() -> vk::PhysicalDeviceMemoryProperties {
    use vk::MemoryPropertyFlags as M;
    let mut memory = vk::PhysicalDeviceMemoryProperties {
        memory_type_count: 1,
        memory_heap_count: 1,
        ..Default::default()
    };
    if let Some(kind) = memory.memory_types.first_mut() {
        kind.property_flags = M::DEVICE_LOCAL | M::HOST_VISIBLE | M::HOST_COHERENT | M::HOST_CACHED;
    }
    if let Some(heap) = memory.memory_heaps.first_mut() {
        *heap = vk::MemoryHeap { size: HEAP, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    }
    memory
}

/// The family of queues.
pub fn queues() -> vk::QueueFamilyProperties {
    vk::QueueFamilyProperties {
        queue_flags: vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        queue_count: 1,
        timestamp_valid_bits: 64,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

/// What a format can be used for: linear images, other images, buffers.
pub fn format_features(format: vk::Format) -> [vk::FormatFeatureFlags2; 3] {
    use vk::FormatFeatureFlags2 as F;
    let mut features = [F::empty(); 3];
    if let Some(desc) = format::find(format) {
        let optimal = desc.features();
        let linear = match desc.is_compressed() || desc.is_depth_stencil() {
            true => F::empty(),
            false => {
                optimal & !(F::COLOR_ATTACHMENT | F::COLOR_ATTACHMENT_BLEND | F::DEPTH_STENCIL_ATTACHMENT)
            }
        };
        features = [linear, optimal, desc.buffer_features()];
    }
    if format::vertex(format).is_some() {
        features[2] |= F::VERTEX_BUFFER;
    }
    features
}

/// What images of a format, kind and usage can be; `None` where there are none.
pub fn image_format(
    format: vk::Format,
    kind: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Option<vk::ImageFormatProperties> {
    use vk::{FormatFeatureFlags2 as F, ImageUsageFlags as U};
    let [linear, optimal, _] = format_features(format);
    let features = if tiling == vk::ImageTiling::LINEAR { linear } else { optimal };
    let wanted = [
        (U::SAMPLED, F::SAMPLED_IMAGE),
        (U::STORAGE, F::STORAGE_IMAGE),
        (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
        (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
        (U::TRANSFER_SRC, F::TRANSFER_SRC),
        (U::TRANSFER_DST, F::TRANSFER_DST),
    ];
    let lacking = wanted.iter().any(|(used, feature)| usage.contains(*used) && !features.contains(*feature));
    let extended = flags.contains(vk::ImageCreateFlags::EXTENDED_USAGE);
    let refused = vk::ImageCreateFlags::SPARSE_BINDING
        | vk::ImageCreateFlags::PROTECTED
        | vk::ImageCreateFlags::DISJOINT
        | vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE;
    let desc = format::find(format)?;
    if features.is_empty() || (lacking && !extended) || flags.intersects(refused) {
        return None;
    }
    if kind != vk::ImageType::TYPE_2D && (desc.is_depth_stencil() || desc.is_compressed()) {
        return None;
    }
    let is_linear = tiling == vk::ImageTiling::LINEAR;
    let side = if kind == vk::ImageType::TYPE_3D { 2048 } else { SIDE };
    let [height, depth] = match kind {
        vk::ImageType::TYPE_1D => [1, 1],
        vk::ImageType::TYPE_3D => [2048, 2048],
        _ => [SIDE, 1],
    };
    let several = kind == vk::ImageType::TYPE_2D
        && !is_linear
        && !desc.is_compressed()
        && !usage.contains(U::STORAGE)
        && !flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE)
        && (desc.is_depth_stencil() || desc.colour().is_some());
    let levels = if is_linear { 1 } else { 32 - side.leading_zeros() };
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width: side, height, depth },
        max_mip_levels: levels,
        max_array_layers: if kind == vk::ImageType::TYPE_3D || is_linear { 1 } else { LAYERS },
        sample_counts: if several { SAMPLES } else { vk::SampleCountFlags::TYPE_1 },
        max_resource_size: 2 << 30,
    })
}

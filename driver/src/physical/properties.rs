//! Properties and limits.

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::tessellation::{MAX_LEVEL, MAX_PATCH_VERTICES};
use agx_abi::textures::BUFFER_ROW_TEXELS;
use ash::vk;

use crate::gpu::HIGH;

use super::{
    API_VERSION, DESCRIPTORS, LAYERS, MAX_DYNAMIC_BUFFERS, MAX_INLINE_BYTES, NAME, SAMPLES, SIDE, SUBGROUP,
    characters,
};

/// Stages whose invocations are in workgroups.
const WORKGROUP_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::COMPUTE.as_raw()
        | vk::ShaderStageFlags::TASK_EXT.as_raw()
        | vk::ShaderStageFlags::MESH_EXT.as_raw(),
);

/// Stages with operations on subgroups.
const SUBGROUP_STAGES: vk::ShaderStageFlags = super::STAGES;

/// Limits of images, descriptors and stages.
fn resource_limits(limits: vk::PhysicalDeviceLimits) -> vk::PhysicalDeviceLimits {
    limits
        .max_image_dimension1_d(SIDE)
        .max_image_dimension2_d(SIDE)
        .max_image_dimension3_d(SIDE)
        .max_image_dimension_cube(SIDE)
        .max_image_array_layers(LAYERS)
        .max_texel_buffer_elements(BUFFER_ROW_TEXELS * SIDE)
        .max_uniform_buffer_range(1 << 16)
        .max_storage_buffer_range(u32::MAX - 63)
        .max_push_constants_size(4 * crate::words::PUSH_WORDS as u32)
        .max_memory_allocation_count(100_000)
        .max_sampler_allocation_count(1 << 16)
        .buffer_image_granularity(1)
        .max_bound_descriptor_sets(crate::words::MAX_SETS as u32)
        .max_per_stage_descriptor_samplers(DESCRIPTORS)
        .max_per_stage_descriptor_uniform_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_storage_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_sampled_images(DESCRIPTORS)
        .max_per_stage_descriptor_storage_images(DESCRIPTORS)
        .max_per_stage_descriptor_input_attachments(DESCRIPTORS)
        .max_per_stage_resources(DESCRIPTORS)
        .max_descriptor_set_samplers(DESCRIPTORS)
        .max_descriptor_set_uniform_buffers(DESCRIPTORS)
        .max_descriptor_set_uniform_buffers_dynamic(MAX_DYNAMIC_BUFFERS)
        .max_descriptor_set_storage_buffers(DESCRIPTORS)
        .max_descriptor_set_storage_buffers_dynamic(MAX_DYNAMIC_BUFFERS)
        .max_descriptor_set_sampled_images(DESCRIPTORS)
        .max_descriptor_set_storage_images(DESCRIPTORS)
        .max_descriptor_set_input_attachments(DESCRIPTORS)
        .min_memory_map_alignment(4096)
        .min_texel_buffer_offset_alignment(16)
        .min_uniform_buffer_offset_alignment(64)
        .min_storage_buffer_offset_alignment(16)
        .optimal_buffer_copy_offset_alignment(16)
        .optimal_buffer_copy_row_pitch_alignment(16)
        .sparse_address_space_size(HIGH[1] - HIGH[0])
        .non_coherent_atom_size(64)
}

/// Limits of the inputs and outputs of stages.
fn stage_limits(limits: vk::PhysicalDeviceLimits) -> vk::PhysicalDeviceLimits {
    limits
        .max_vertex_input_attributes(32)
        .max_vertex_input_bindings(32)
        .max_vertex_input_attribute_offset(65535)
        .max_vertex_input_binding_stride(2048)
        .max_vertex_output_components(116)
        .max_tessellation_generation_level(MAX_LEVEL)
        .max_tessellation_patch_size(MAX_PATCH_VERTICES)
        .max_tessellation_control_per_vertex_input_components(128)
        .max_tessellation_control_per_vertex_output_components(128)
        .max_tessellation_control_per_patch_output_components(120)
        .max_tessellation_control_total_output_components(4216)
        .max_tessellation_evaluation_input_components(128)
        .max_tessellation_evaluation_output_components(128)
        .max_geometry_shader_invocations(64)
        .max_geometry_input_components(128)
        .max_geometry_output_components(128)
        .max_geometry_output_vertices(256)
        .max_geometry_total_output_components(4096)
        .max_fragment_input_components(116)
        .max_fragment_output_attachments(MAX_TARGETS)
        .max_fragment_dual_src_attachments(1)
        .max_fragment_combined_output_resources(DESCRIPTORS)
        .max_compute_shared_memory_size(32768)
        .max_compute_work_group_count([65535; 3])
        .max_compute_work_group_invocations(1024)
        .max_compute_work_group_size([1024, 1024, 64])
}

/// Limits of draws.
fn draw_limits(limits: vk::PhysicalDeviceLimits) -> vk::PhysicalDeviceLimits {
    limits
        .sub_pixel_precision_bits(8)
        .sub_texel_precision_bits(8)
        .mipmap_precision_bits(8)
        .max_draw_indexed_index_value(u32::MAX)
        .max_draw_indirect_count(u32::MAX)
        .max_sampler_lod_bias(crate::sampler::MAX_BIAS)
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
        .storage_image_sample_counts(SAMPLES)
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
        // The PCI vendor of the hardware. With Mesa's number, programs would interpret the version as one of Mesa's.
        vendor_id: 0x106b,
        device_id: 0x8103,
        device_type: vk::PhysicalDeviceType::INTEGRATED_GPU,
        device_name: characters(NAME),
        pipeline_cache_uuid: UUID,
        limits: draw_limits(stage_limits(resource_limits(vk::PhysicalDeviceLimits::default()))),
        sparse_properties: vk::PhysicalDeviceSparseProperties::default()
            .residency_standard2_d_block_shape(true),
    }
}

/// Identifies the caches of this driver: the build of the compiler.
pub const UUID: [u8; 16] = agx_compiler::BUILD_ID.to_le_bytes();

/// Properties of version 1.1.
pub fn properties_11() -> vk::PhysicalDeviceVulkan11Properties<'static> {
    use vk::SubgroupFeatureFlags as S;
    vk::PhysicalDeviceVulkan11Properties::default()
        .device_uuid(UUID)
        .driver_uuid(UUID)
        .subgroup_size(SUBGROUP)
        .subgroup_supported_stages(SUBGROUP_STAGES)
        .subgroup_supported_operations(
            S::BASIC
                | S::VOTE
                | S::ARITHMETIC
                | S::BALLOT
                | S::SHUFFLE
                | S::SHUFFLE_RELATIVE
                | S::CLUSTERED
                | S::QUAD
                | S::ROTATE_KHR
                | S::ROTATE_CLUSTERED_KHR,
        )
        .subgroup_quad_operations_in_all_stages(true)
        .point_clipping_behavior(vk::PointClippingBehavior::USER_CLIP_PLANES_ONLY)
        .max_multiview_view_count(32)
        .max_multiview_instance_index((1 << 27) - 1)
        .protected_no_fault(false)
        .max_per_set_descriptors(DESCRIPTORS)
        .max_memory_allocation_size(2 << 30)
}

/// Properties of version 1.2.
pub fn properties_12() -> vk::PhysicalDeviceVulkan12Properties<'static> {
    use vk::ResolveModeFlags as R;
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
        .max_per_stage_descriptor_update_after_bind_samplers(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_uniform_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_storage_buffers(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_sampled_images(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_storage_images(DESCRIPTORS)
        .max_per_stage_descriptor_update_after_bind_input_attachments(DESCRIPTORS)
        .max_per_stage_update_after_bind_resources(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_samplers(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_uniform_buffers(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_uniform_buffers_dynamic(MAX_DYNAMIC_BUFFERS)
        .max_descriptor_set_update_after_bind_storage_buffers(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_storage_buffers_dynamic(MAX_DYNAMIC_BUFFERS)
        .max_descriptor_set_update_after_bind_sampled_images(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_storage_images(DESCRIPTORS)
        .max_descriptor_set_update_after_bind_input_attachments(DESCRIPTORS)
        .supported_depth_resolve_modes(R::SAMPLE_ZERO | R::AVERAGE | R::MIN | R::MAX)
        .supported_stencil_resolve_modes(R::SAMPLE_ZERO | R::MIN | R::MAX)
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
        .required_subgroup_size_stages(WORKGROUP_STAGES)
        .max_inline_uniform_block_size(MAX_INLINE_BYTES)
        .max_per_stage_descriptor_inline_uniform_blocks(16)
        .max_per_stage_descriptor_update_after_bind_inline_uniform_blocks(16)
        .max_descriptor_set_inline_uniform_blocks(16)
        .max_descriptor_set_update_after_bind_inline_uniform_blocks(16)
        .max_inline_uniform_total_size(1 << 16)
        .storage_texel_buffer_offset_alignment_bytes(16)
        .uniform_texel_buffer_offset_alignment_bytes(16)
        .max_buffer_size(2 << 30)
}

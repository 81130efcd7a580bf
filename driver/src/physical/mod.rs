//! Features, limits, formats and extensions of the physical device.

mod features;
mod formats;
mod matrices;
mod properties;

use ash::vk;

pub use agx_abi::fragment::MAX_TARGETS;
pub use features::{features, features_11, features_12, features_13};
pub use formats::{format_features, former_features, image_format};
pub use matrices::{MatrixProduct, cooperative_matrices};
pub use properties::{UUID, properties, properties_11, properties_12, properties_13};

/// The version of Vulkan.
pub const API_VERSION: u32 = vk::make_api_version(0, 1, 4, 309);
/// Name of the device.
const NAME: &str = "AGX on a reference machine (agxc)";
/// Bytes of the heap.
const HEAP: u64 = 8 << 30;
/// Invocations of a subgroup.
const SUBGROUP: u32 = 32;
/// Texels of an image along an axis.
const SIDE: u32 = 16384;
/// Layers of an image or a framebuffer.
pub const LAYERS: u32 = 2048;
/// Descriptors of a kind in a set.
pub const DESCRIPTORS: u32 = 1 << 20;
/// Buffers with dynamic offsets in a set.
pub const MAX_DYNAMIC_BUFFERS: u32 = 64;
/// Bytes of an inline uniform block.
pub(crate) const MAX_INLINE_BYTES: u32 = 4096;

/// Buffers that vertices are captured in.
pub const FEEDBACK_BUFFERS: u32 = agx_abi::feedback::MAX_BUFFERS as u32;

/// Streams of geometry shaders.
pub const FEEDBACK_STREAMS: u32 = agx_abi::geometry::MAX_STREAMS;

/// Samples of a texel.
pub(crate) const SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::from_raw(1 | 2 | 4);

/// Stages of graphics pipelines.
pub const GRAPHICS_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::ALL_GRAPHICS.as_raw()
        | vk::ShaderStageFlags::TASK_EXT.as_raw()
        | vk::ShaderStageFlags::MESH_EXT.as_raw(),
);

/// All stages.
pub const STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(GRAPHICS_STAGES.as_raw() | vk::ShaderStageFlags::COMPUTE.as_raw());

/// Maximum number of workgroups of a draw of meshes.
pub const MESH_GROUPS: u32 = 1 << 22;
/// Maximum number of invocations of a workgroup of a task or mesh shader.
pub const MESH_INVOCATIONS: u32 = 1024;
/// Maximum number of bytes of a payload.
pub const MESH_PAYLOAD: u32 = agx_abi::mesh::MAX_PAYLOAD_BYTES;
/// Maximum number of bytes of workgroup memory of a task shader.
pub const TASK_SHARED: u32 = 32768;
/// Maximum number of bytes of workgroup memory of a mesh shader: the compiler takes some of it.
pub const MESH_SHARED: u32 = 28672;
/// Maximum number of bytes of all outputs of a workgroup.
pub const MESH_OUTPUT: u32 = 32768;
/// Maximum number of components of the outputs of a vertex, or of a primitive.
pub const MESH_COMPONENTS: u32 = 128;
/// Maximum number of vertices of a workgroup.
pub const MESH_VERTICES: u32 = agx_abi::mesh::MAX_VERTICES;
/// Maximum number of primitives of a workgroup.
pub const MESH_PRIMITIVES: u32 = agx_abi::mesh::MAX_PRIMITIVES;

/// Samples of a pixel that can be placed.
pub const PLACED_SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::from_raw(2 | 4);

/// Pixels after which the positions of samples repeat.
pub const SAMPLE_GRID: vk::Extent2D = vk::Extent2D { width: 1, height: 1 };

/// Extensions of devices, with their versions.
pub static DEVICE_EXTENSIONS: &[(&str, u32)] = &[
    ("VK_KHR_16bit_storage", 1),
    ("VK_KHR_8bit_storage", 1),
    ("VK_KHR_acceleration_structure", 13),
    ("VK_KHR_bind_memory2", 1),
    ("VK_KHR_buffer_device_address", 1),
    ("VK_KHR_calibrated_timestamps", 1),
    ("VK_KHR_cooperative_matrix", 2),
    ("VK_KHR_copy_commands2", 1),
    ("VK_KHR_create_renderpass2", 1),
    ("VK_KHR_dedicated_allocation", 3),
    ("VK_KHR_deferred_host_operations", 4),
    ("VK_KHR_depth_stencil_resolve", 1),
    ("VK_KHR_descriptor_update_template", 1),
    ("VK_KHR_device_group", 4),
    ("VK_KHR_draw_indirect_count", 1),
    ("VK_KHR_driver_properties", 1),
    ("VK_KHR_dynamic_rendering", 1),
    ("VK_KHR_dynamic_rendering_local_read", 1),
    ("VK_KHR_external_fence", 1),
    ("VK_KHR_external_fence_fd", 1),
    ("VK_KHR_external_memory", 1),
    ("VK_KHR_external_memory_fd", 1),
    ("VK_KHR_external_semaphore", 1),
    ("VK_KHR_external_semaphore_fd", 1),
    ("VK_KHR_format_feature_flags2", 2),
    ("VK_KHR_fragment_shader_barycentric", 1),
    ("VK_KHR_get_memory_requirements2", 1),
    ("VK_KHR_global_priority", 1),
    ("VK_KHR_image_format_list", 1),
    ("VK_KHR_imageless_framebuffer", 1),
    ("VK_KHR_incremental_present", 2),
    ("VK_KHR_index_type_uint8", 1),
    ("VK_KHR_line_rasterization", 1),
    ("VK_KHR_load_store_op_none", 1),
    ("VK_KHR_maintenance1", 2),
    ("VK_KHR_maintenance2", 1),
    ("VK_KHR_maintenance3", 1),
    ("VK_KHR_maintenance4", 2),
    ("VK_KHR_maintenance5", 1),
    ("VK_KHR_maintenance6", 1),
    ("VK_KHR_maintenance7", 1),
    ("VK_KHR_maintenance8", 1),
    ("VK_KHR_maintenance9", 1),
    ("VK_KHR_map_memory2", 1),
    ("VK_KHR_multiview", 1),
    ("VK_KHR_pipeline_binary", 1),
    ("VK_KHR_pipeline_executable_properties", 1),
    ("VK_KHR_pipeline_library", 1),
    ("VK_KHR_present_id", 1),
    ("VK_KHR_present_id2", 1),
    ("VK_KHR_present_wait", 1),
    ("VK_KHR_present_wait2", 1),
    ("VK_KHR_push_descriptor", 2),
    ("VK_KHR_ray_query", 1),
    ("VK_KHR_ray_tracing_position_fetch", 1),
    ("VK_KHR_relaxed_block_layout", 1),
    ("VK_KHR_robustness2", 1),
    ("VK_KHR_sampler_mirror_clamp_to_edge", 3),
    ("VK_KHR_sampler_ycbcr_conversion", 14),
    ("VK_KHR_separate_depth_stencil_layouts", 1),
    ("VK_KHR_shader_bfloat16", 1),
    ("VK_KHR_shader_draw_parameters", 1),
    ("VK_KHR_shader_expect_assume", 1),
    ("VK_KHR_shader_float16_int8", 1),
    ("VK_KHR_shader_float_controls", 4),
    ("VK_KHR_shader_float_controls2", 1),
    ("VK_KHR_shader_integer_dot_product", 1),
    ("VK_KHR_shader_maximal_reconvergence", 1),
    ("VK_KHR_shader_non_semantic_info", 1),
    ("VK_KHR_shader_quad_control", 1),
    ("VK_KHR_shader_relaxed_extended_instruction", 1),
    ("VK_KHR_shader_subgroup_extended_types", 1),
    ("VK_KHR_shader_subgroup_rotate", 2),
    ("VK_KHR_shader_subgroup_uniform_control_flow", 1),
    ("VK_KHR_shader_terminate_invocation", 1),
    ("VK_KHR_spirv_1_4", 1),
    ("VK_KHR_storage_buffer_storage_class", 1),
    ("VK_KHR_swapchain", 70),
    ("VK_KHR_swapchain_maintenance1", 1),
    ("VK_KHR_swapchain_mutable_format", 1),
    ("VK_KHR_synchronization2", 1),
    ("VK_KHR_timeline_semaphore", 2),
    ("VK_KHR_uniform_buffer_standard_layout", 1),
    ("VK_KHR_variable_pointers", 1),
    ("VK_KHR_vertex_attribute_divisor", 1),
    ("VK_KHR_vulkan_memory_model", 3),
    ("VK_KHR_workgroup_memory_explicit_layout", 1),
    ("VK_KHR_zero_initialize_workgroup_memory", 1),
    ("VK_EXT_4444_formats", 1),
    ("VK_EXT_attachment_feedback_loop_layout", 2),
    ("VK_EXT_blend_operation_advanced", 2),
    ("VK_EXT_border_color_swizzle", 1),
    ("VK_EXT_buffer_device_address", 2),
    ("VK_EXT_calibrated_timestamps", 2),
    ("VK_EXT_color_write_enable", 1),
    ("VK_EXT_conditional_rendering", 2),
    ("VK_EXT_custom_border_color", 12),
    ("VK_EXT_depth_bias_control", 1),
    ("VK_EXT_depth_clip_enable", 1),
    ("VK_EXT_descriptor_indexing", 2),
    ("VK_EXT_device_generated_commands", 1),
    ("VK_EXT_dynamic_rendering_unused_attachments", 1),
    ("VK_EXT_extended_dynamic_state", 1),
    ("VK_EXT_extended_dynamic_state2", 1),
    ("VK_EXT_extended_dynamic_state3", 2),
    ("VK_EXT_global_priority", 2),
    ("VK_EXT_global_priority_query", 1),
    ("VK_EXT_graphics_pipeline_library", 1),
    ("VK_EXT_host_image_copy", 1),
    ("VK_EXT_host_query_reset", 1),
    ("VK_EXT_image_2d_view_of_3d", 1),
    ("VK_EXT_image_drm_format_modifier", 2),
    ("VK_EXT_image_robustness", 1),
    ("VK_EXT_index_type_uint8", 1),
    ("VK_EXT_inline_uniform_block", 1),
    ("VK_EXT_line_rasterization", 1),
    ("VK_EXT_load_store_op_none", 1),
    ("VK_EXT_mesh_shader", 1),
    ("VK_EXT_multi_draw", 1),
    ("VK_EXT_mutable_descriptor_type", 1),
    ("VK_EXT_nested_command_buffer", 1),
    ("VK_EXT_non_seamless_cube_map", 1),
    ("VK_EXT_physical_device_drm", 1),
    ("VK_EXT_pipeline_creation_cache_control", 3),
    ("VK_EXT_pipeline_creation_feedback", 1),
    ("VK_EXT_pipeline_protected_access", 1),
    ("VK_EXT_pipeline_robustness", 1),
    ("VK_EXT_present_timing", 3),
    ("VK_EXT_primitive_topology_list_restart", 1),
    ("VK_EXT_primitives_generated_query", 1),
    ("VK_EXT_private_data", 1),
    ("VK_EXT_provoking_vertex", 1),
    ("VK_EXT_queue_family_foreign", 1),
    ("VK_EXT_robustness2", 1),
    ("VK_EXT_sample_locations", 1),
    ("VK_EXT_scalar_block_layout", 1),
    ("VK_EXT_separate_stencil_usage", 1),
    ("VK_EXT_shader_demote_to_helper_invocation", 1),
    ("VK_EXT_shader_module_identifier", 1),
    ("VK_EXT_shader_object", 1),
    ("VK_EXT_shader_replicated_composites", 1),
    ("VK_EXT_shader_stencil_export", 1),
    ("VK_EXT_shader_subgroup_ballot", 1),
    ("VK_EXT_shader_subgroup_vote", 1),
    ("VK_EXT_shader_uniform_buffer_unsized_array", 1),
    ("VK_EXT_shader_viewport_index_layer", 1),
    ("VK_EXT_subgroup_size_control", 2),
    ("VK_EXT_swapchain_maintenance1", 1),
    ("VK_EXT_texel_buffer_alignment", 1),
    ("VK_EXT_tooling_info", 1),
    ("VK_EXT_transform_feedback", 1),
    ("VK_EXT_vertex_attribute_divisor", 3),
    ("VK_EXT_vertex_input_dynamic_state", 2),
    ("VK_GOOGLE_decorate_string", 1),
    ("VK_GOOGLE_hlsl_functionality1", 1),
    ("VK_GOOGLE_user_type", 1),
    ("VK_VALVE_mutable_descriptor_type", 1),
];

/// Extensions that devices have in addition on a render node.
pub static NODE_EXTENSIONS: &[(&str, u32)] =
    &[("VK_EXT_external_memory_dma_buf", 1), ("VK_EXT_map_memory_placed", 1)];

/// Extensions of instances, with their versions.
pub static INSTANCE_EXTENSIONS: &[(&str, u32)] = &[
    ("VK_KHR_device_group_creation", 1),
    ("VK_KHR_external_fence_capabilities", 1),
    ("VK_KHR_external_memory_capabilities", 1),
    ("VK_KHR_external_semaphore_capabilities", 1),
    ("VK_KHR_get_physical_device_properties2", 2),
    ("VK_KHR_get_surface_capabilities2", 1),
    ("VK_KHR_surface", 25),
    ("VK_KHR_surface_maintenance1", 1),
    ("VK_KHR_wayland_surface", 6),
    ("VK_KHR_xcb_surface", 6),
    ("VK_KHR_xlib_surface", 6),
    ("VK_EXT_headless_surface", 1),
    ("VK_EXT_surface_maintenance1", 1),
    ("VK_EXT_swapchain_colorspace", 5),
];

/// Copies a string into an array of characters.
pub fn characters<const N: usize>(text: &str) -> [std::ffi::c_char; N] {
    let mut out = [0; N];
    out.iter_mut().zip(text.bytes().take(N - 1)).for_each(|(to, from)| *to = from as std::ffi::c_char);
    out
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
        queue_flags: vk::QueueFlags::GRAPHICS
            | vk::QueueFlags::COMPUTE
            | vk::QueueFlags::TRANSFER
            | vk::QueueFlags::SPARSE_BINDING,
        queue_count: 1,
        timestamp_valid_bits: 64,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

//! Structures of features and properties that were extensions before they became parts of versions.

use std::ffi::c_void;

use agx_driver::acceleration;
use agx_driver::command::MAX_NESTED_LEVELS;
use agx_driver::gpu::PAGE;
use agx_driver::physical::{self, MAX_TARGETS};
use agx_driver::sequences;
use ash::vk;

use super::Next;
use super::version_14::{features_14, properties_14};
use crate::generated::members;
use crate::newer;
use crate::pointers::{each, find, slice};

/// Defines a function that fills structures of a chain: whole ones, and those that take members of a whole one.
macro_rules! filled {
    ($name:ident, whole { $($whole:ident $tag:ident $(to $last:ident)? = $value:expr;)* }
        parts { $($part:ident $part_tag:ident: $from:expr => $($member:ident)*;)* }
        own { $($own:ident $own_tag:ident { $($field:ident: $constant:expr),* };)* }
        newer { $($newer:ident { $($newer_field:ident: $newer_constant:expr),* };)* }
        newest { $($newest:ident to $newest_last:ident = $newest_value:expr;)? }) => {
        /// Fills a structure of a chain; others stay as they are.
        pub(super) fn $name(kind: vk::StructureType, next: Next) {
            match kind {
                $(vk::StructureType::$tag => {
                    // SAFETY: by its tag, it is this structure, which the command writes.
                    let out = unsafe { &mut *next.cast::<vk::$whole<'_>>() };
                    *out = vk::$whole { p_next: out.p_next, ..$value };
                })*
                $(vk::StructureType::$part_tag => {
                    // SAFETY: as above.
                    let out = unsafe { &mut *next.cast::<vk::$part<'_>>() };
                    let from = $from;
                    $(out.$member = from.$member;)*
                })*
                $(vk::StructureType::$own_tag => {
                    // SAFETY: as above.
                    let out = unsafe { &mut *next.cast::<vk::$own<'_>>() };
                    $(out.$field = $constant;)*
                })*
                $(<newer::$newer as vk::TaggedStructure>::STRUCTURE_TYPE => {
                    // SAFETY: as above.
                    let out = unsafe { &mut *next.cast::<newer::$newer>() };
                    $(out.$newer_field = $newer_constant;)*
                })*
                $(<newer::$newest as vk::TaggedStructure>::STRUCTURE_TYPE => {
                    // SAFETY: as above.
                    let out = unsafe { &mut *next.cast::<newer::$newest>() };
                    *out = newer::$newest { p_next: out.p_next, ..$newest_value };
                })?
                _ => {}
            }
        }
    };
}

/// Passes the structures of features to a macro. Whole ones are named with their last member.
macro_rules! features {
    ($make:ident, $name:ident) => { $make! { $name,
    whole {
        PhysicalDeviceVulkan11Features PHYSICAL_DEVICE_VULKAN_1_1_FEATURES to shader_draw_parameters =
            physical::features_11();
        PhysicalDeviceVulkan12Features PHYSICAL_DEVICE_VULKAN_1_2_FEATURES to subgroup_broadcast_dynamic_id =
            physical::features_12();
        PhysicalDeviceVulkan13Features PHYSICAL_DEVICE_VULKAN_1_3_FEATURES to maintenance4 = physical::features_13();
    }
    parts {
        PhysicalDevice16BitStorageFeatures PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES: physical::features_11() =>
            storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access storage_push_constant16
            storage_input_output16;
        PhysicalDeviceMultiviewFeatures PHYSICAL_DEVICE_MULTIVIEW_FEATURES: physical::features_11() =>
            multiview multiview_geometry_shader multiview_tessellation_shader;
        PhysicalDeviceVariablePointersFeatures PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES: physical::features_11() =>
            variable_pointers_storage_buffer variable_pointers;
        PhysicalDeviceProtectedMemoryFeatures PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES: physical::features_11() =>
            protected_memory;
        PhysicalDeviceSamplerYcbcrConversionFeatures PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES:
            physical::features_11() => sampler_ycbcr_conversion;
        PhysicalDeviceShaderDrawParametersFeatures PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES:
            physical::features_11() => shader_draw_parameters;
        PhysicalDevice8BitStorageFeatures PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES: physical::features_12() =>
            storage_buffer8_bit_access uniform_and_storage_buffer8_bit_access storage_push_constant8;
        PhysicalDeviceShaderAtomicInt64Features PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES: physical::features_12() =>
            shader_buffer_int64_atomics shader_shared_int64_atomics;
        PhysicalDeviceShaderFloat16Int8Features PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES: physical::features_12() =>
            shader_float16 shader_int8;
        PhysicalDeviceDescriptorIndexingFeatures PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES: physical::features_12() =>
            shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing
            shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing
            shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing
            shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing
            shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing
            descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind
            descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind
            descriptor_binding_uniform_texel_buffer_update_after_bind
            descriptor_binding_storage_texel_buffer_update_after_bind descriptor_binding_update_unused_while_pending
            descriptor_binding_partially_bound descriptor_binding_variable_descriptor_count runtime_descriptor_array;
        PhysicalDeviceScalarBlockLayoutFeatures PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES: physical::features_12() =>
            scalar_block_layout;
        PhysicalDeviceImagelessFramebufferFeatures PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES:
            physical::features_12() => imageless_framebuffer;
        PhysicalDeviceUniformBufferStandardLayoutFeatures PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES:
            physical::features_12() => uniform_buffer_standard_layout;
        PhysicalDeviceShaderSubgroupExtendedTypesFeatures PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES:
            physical::features_12() => shader_subgroup_extended_types;
        PhysicalDeviceSeparateDepthStencilLayoutsFeatures PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES:
            physical::features_12() => separate_depth_stencil_layouts;
        PhysicalDeviceHostQueryResetFeatures PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES: physical::features_12() =>
            host_query_reset;
        PhysicalDeviceTimelineSemaphoreFeatures PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES: physical::features_12() =>
            timeline_semaphore;
        PhysicalDeviceBufferDeviceAddressFeatures PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
            physical::features_12() =>
            buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device;
        PhysicalDeviceVulkanMemoryModelFeatures PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES: physical::features_12() =>
            vulkan_memory_model vulkan_memory_model_device_scope vulkan_memory_model_availability_visibility_chains;
        PhysicalDeviceInlineUniformBlockFeatures PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES: physical::features_13() =>
            inline_uniform_block descriptor_binding_inline_uniform_block_update_after_bind;
        PhysicalDevicePipelineCreationCacheControlFeatures PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES:
            physical::features_13() => pipeline_creation_cache_control;
        PhysicalDevicePrivateDataFeatures PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES: physical::features_13() => private_data;
        PhysicalDeviceShaderDemoteToHelperInvocationFeatures
            PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES: physical::features_13() =>
            shader_demote_to_helper_invocation;
        PhysicalDeviceShaderTerminateInvocationFeatures PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES:
            physical::features_13() => shader_terminate_invocation;
        PhysicalDeviceSubgroupSizeControlFeatures PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES:
            physical::features_13() => subgroup_size_control compute_full_subgroups;
        PhysicalDeviceSynchronization2Features PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES: physical::features_13() =>
            synchronization2;
        PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES:
            physical::features_13() => shader_zero_initialize_workgroup_memory;
        PhysicalDeviceDynamicRenderingFeatures PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES: physical::features_13() =>
            dynamic_rendering;
        PhysicalDeviceShaderIntegerDotProductFeatures PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES:
            physical::features_13() => shader_integer_dot_product;
        PhysicalDeviceImageRobustnessFeatures PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES: physical::features_13() =>
            robust_image_access;
        PhysicalDeviceTextureCompressionASTCHDRFeatures PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES:
            physical::features_13() => texture_compression_astc_hdr;
        PhysicalDeviceMaintenance4Features PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES: physical::features_13() =>
            maintenance4;
        PhysicalDeviceIndexTypeUint8FeaturesEXT PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT: features_14() =>
            index_type_uint8;
        PhysicalDeviceVertexAttributeDivisorFeaturesKHR PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_KHR: features_14() =>
            vertex_attribute_instance_rate_divisor vertex_attribute_instance_rate_zero_divisor;
        PhysicalDeviceMaintenance5FeaturesKHR PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR: features_14() =>
            maintenance5;
        PhysicalDeviceMaintenance6FeaturesKHR PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR: features_14() =>
            maintenance6;
        PhysicalDeviceLineRasterizationFeaturesKHR PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_KHR: features_14() =>
            rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines;
        PhysicalDeviceShaderExpectAssumeFeaturesKHR PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR: features_14() =>
            shader_expect_assume;
        PhysicalDeviceShaderFloatControls2FeaturesKHR PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR: features_14() =>
            shader_float_controls2;
        PhysicalDeviceShaderSubgroupRotateFeaturesKHR PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR: features_14() =>
            shader_subgroup_rotate shader_subgroup_rotate_clustered;
        PhysicalDeviceHostImageCopyFeaturesEXT PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT: features_14() =>
            host_image_copy;
        PhysicalDevicePipelineProtectedAccessFeaturesEXT PHYSICAL_DEVICE_PIPELINE_PROTECTED_ACCESS_FEATURES_EXT: features_14() =>
            pipeline_protected_access;
        PhysicalDevicePipelineRobustnessFeaturesEXT PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT: features_14() =>
            pipeline_robustness;
        PhysicalDeviceGlobalPriorityQueryFeaturesKHR PHYSICAL_DEVICE_GLOBAL_PRIORITY_QUERY_FEATURES_KHR: features_14() =>
            global_priority_query;
        PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR: features_14() =>
            dynamic_rendering_local_read;
    }
    own {
        PhysicalDeviceMapMemoryPlacedFeaturesEXT PHYSICAL_DEVICE_MAP_MEMORY_PLACED_FEATURES_EXT {
            memory_map_placed: on_node(), memory_map_range_placed: vk::FALSE, memory_unmap_reserve: on_node()
        };
        PhysicalDeviceSwapchainMaintenance1FeaturesEXT PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT
            { swapchain_maintenance1: vk::TRUE };
        PhysicalDeviceShaderModuleIdentifierFeaturesEXT PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT
            { shader_module_identifier: vk::TRUE };
        PhysicalDeviceExtendedDynamicStateFeaturesEXT PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT
            { extended_dynamic_state: vk::TRUE };
        PhysicalDeviceRobustness2FeaturesEXT PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT
            { robust_buffer_access2: vk::TRUE, robust_image_access2: vk::TRUE, null_descriptor: vk::TRUE };
        PhysicalDeviceBufferDeviceAddressFeaturesEXT PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT
            { buffer_device_address: vk::TRUE };
        PhysicalDeviceDepthClipEnableFeaturesEXT PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT
            { depth_clip_enable: vk::TRUE };
        PhysicalDevice4444FormatsFeaturesEXT PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT
            { format_a4r4g4b4: vk::TRUE, format_a4b4g4r4: vk::TRUE };
        PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT
            { graphics_pipeline_library: vk::TRUE };
        PhysicalDeviceProvokingVertexFeaturesEXT PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT
            { provoking_vertex_last: vk::TRUE, transform_feedback_preserves_provoking_vertex: vk::TRUE };
        PhysicalDeviceCustomBorderColorFeaturesEXT PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT
            { custom_border_colors: vk::TRUE, custom_border_color_without_format: vk::TRUE };
        PhysicalDeviceBorderColorSwizzleFeaturesEXT PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT
            { border_color_swizzle: vk::TRUE, border_color_swizzle_from_image: vk::TRUE };
        PhysicalDeviceNestedCommandBufferFeaturesEXT PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT {
            nested_command_buffer: vk::TRUE,
            nested_command_buffer_rendering: vk::TRUE,
            nested_command_buffer_simultaneous_use: vk::TRUE
        };
        PhysicalDeviceConditionalRenderingFeaturesEXT PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT
            { conditional_rendering: vk::TRUE, inherited_conditional_rendering: vk::TRUE };
        PhysicalDeviceTransformFeedbackFeaturesEXT PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT
            { transform_feedback: vk::TRUE, geometry_streams: vk::TRUE };
        PhysicalDeviceExtendedDynamicState2FeaturesEXT PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT {
            extended_dynamic_state2: vk::TRUE,
            extended_dynamic_state2_logic_op: vk::TRUE,
            extended_dynamic_state2_patch_control_points: vk::TRUE
        };
        PhysicalDeviceExtendedDynamicState3FeaturesEXT PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT {
            extended_dynamic_state3_depth_clamp_enable: vk::TRUE,
            extended_dynamic_state3_depth_clip_enable: vk::TRUE,
            extended_dynamic_state3_polygon_mode: vk::TRUE,
            extended_dynamic_state3_provoking_vertex_mode: vk::TRUE,
            extended_dynamic_state3_line_rasterization_mode: vk::TRUE,
            extended_dynamic_state3_rasterization_samples: vk::TRUE,
            extended_dynamic_state3_sample_mask: vk::TRUE,
            extended_dynamic_state3_alpha_to_coverage_enable: vk::TRUE,
            extended_dynamic_state3_alpha_to_one_enable: vk::TRUE,
            extended_dynamic_state3_logic_op_enable: vk::TRUE,
            extended_dynamic_state3_color_blend_enable: vk::TRUE,
            extended_dynamic_state3_color_blend_equation: vk::TRUE,
            extended_dynamic_state3_color_write_mask: vk::TRUE,
            extended_dynamic_state3_tessellation_domain_origin: vk::TRUE,
            extended_dynamic_state3_rasterization_stream: vk::TRUE,
            extended_dynamic_state3_conservative_rasterization_mode: vk::FALSE,
            extended_dynamic_state3_extra_primitive_overestimation_size: vk::FALSE,
            extended_dynamic_state3_sample_locations_enable: vk::TRUE,
            extended_dynamic_state3_color_blend_advanced: vk::TRUE,
            extended_dynamic_state3_line_stipple_enable: vk::FALSE,
            extended_dynamic_state3_depth_clip_negative_one_to_one: vk::FALSE,
            extended_dynamic_state3_viewport_w_scaling_enable: vk::FALSE,
            extended_dynamic_state3_viewport_swizzle: vk::FALSE,
            extended_dynamic_state3_coverage_to_color_enable: vk::FALSE,
            extended_dynamic_state3_coverage_to_color_location: vk::FALSE,
            extended_dynamic_state3_coverage_modulation_mode: vk::FALSE,
            extended_dynamic_state3_coverage_modulation_table_enable: vk::FALSE,
            extended_dynamic_state3_coverage_modulation_table: vk::FALSE,
            extended_dynamic_state3_coverage_reduction_mode: vk::FALSE,
            extended_dynamic_state3_representative_fragment_test_enable: vk::FALSE,
            extended_dynamic_state3_shading_rate_image_enable: vk::FALSE
        };
        PhysicalDeviceVertexInputDynamicStateFeaturesEXT
            PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT { vertex_input_dynamic_state: vk::TRUE };
        PhysicalDeviceBlendOperationAdvancedFeaturesEXT PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_FEATURES_EXT
            { advanced_blend_coherent_operations: vk::TRUE };
        PhysicalDeviceColorWriteEnableFeaturesEXT PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT
            { color_write_enable: vk::TRUE };
        PhysicalDeviceShaderObjectFeaturesEXT PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT
            { shader_object: vk::TRUE };
        PhysicalDeviceCooperativeMatrixFeaturesKHR PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR
            { cooperative_matrix: vk::TRUE, cooperative_matrix_robust_buffer_access: vk::TRUE };
        PhysicalDeviceAccelerationStructureFeaturesKHR PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR {
            acceleration_structure: vk::TRUE,
            acceleration_structure_capture_replay: vk::FALSE,
            acceleration_structure_indirect_build: vk::FALSE,
            acceleration_structure_host_commands: vk::FALSE,
            descriptor_binding_acceleration_structure_update_after_bind: vk::TRUE
        };
        PhysicalDeviceRayQueryFeaturesKHR PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR { ray_query: vk::TRUE };
        PhysicalDeviceRayTracingPositionFetchFeaturesKHR PHYSICAL_DEVICE_RAY_TRACING_POSITION_FETCH_FEATURES_KHR
            { ray_tracing_position_fetch: vk::TRUE };
        PhysicalDeviceFragmentShaderBarycentricFeaturesKHR PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR
            { fragment_shader_barycentric: vk::TRUE };
        PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR
            { shader_maximal_reconvergence: vk::TRUE };
        PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR
            PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR
            { shader_subgroup_uniform_control_flow: vk::TRUE };
        PhysicalDeviceImage2DViewOf3DFeaturesEXT PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT
            { image2_d_view_of3_d: vk::TRUE, sampler2_d_view_of3_d: vk::TRUE };
        PhysicalDeviceMutableDescriptorTypeFeaturesEXT PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT
            { mutable_descriptor_type: vk::TRUE };
        PhysicalDeviceMultiDrawFeaturesEXT PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT { multi_draw: vk::TRUE };
        PhysicalDeviceMeshShaderFeaturesEXT PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT {
            task_shader: vk::TRUE,
            mesh_shader: vk::TRUE,
            multiview_mesh_shader: vk::FALSE,
            primitive_fragment_shading_rate_mesh_shader: vk::FALSE,
            mesh_shader_queries: vk::TRUE
        };
        PhysicalDeviceNonSeamlessCubeMapFeaturesEXT PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT
            { non_seamless_cube_map: vk::TRUE };
        PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT
            PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT
            { primitive_topology_list_restart: vk::TRUE, primitive_topology_patch_list_restart: vk::TRUE };
        PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT {
            primitives_generated_query: vk::TRUE,
            primitives_generated_query_with_rasterizer_discard: vk::TRUE,
            primitives_generated_query_with_non_zero_streams: vk::TRUE
        };
        PhysicalDevicePresentIdFeaturesKHR PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR { present_id: vk::TRUE };
        PhysicalDevicePresentWaitFeaturesKHR PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR { present_wait: vk::TRUE };
        PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT
            PHYSICAL_DEVICE_DYNAMIC_RENDERING_UNUSED_ATTACHMENTS_FEATURES_EXT
            { dynamic_rendering_unused_attachments: vk::TRUE };
        PhysicalDeviceDepthBiasControlFeaturesEXT PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT {
            depth_bias_control: vk::TRUE,
            least_representable_value_force_unorm_representation: vk::TRUE,
            float_representation: vk::FALSE,
            depth_bias_exact: vk::TRUE
        };
        PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR
            PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR {
            workgroup_memory_explicit_layout: vk::TRUE,
            workgroup_memory_explicit_layout_scalar_block_layout: vk::TRUE,
            workgroup_memory_explicit_layout8_bit_access: vk::TRUE,
            workgroup_memory_explicit_layout16_bit_access: vk::TRUE
        };
        PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT
            PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT
            { attachment_feedback_loop_layout: vk::TRUE };
        PhysicalDeviceTexelBufferAlignmentFeaturesEXT PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT
            { texel_buffer_alignment: vk::TRUE };
        PhysicalDevicePipelineExecutablePropertiesFeaturesKHR
            PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR { pipeline_executable_info: vk::TRUE };
        PhysicalDeviceShaderQuadControlFeaturesKHR PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR
            { shader_quad_control: vk::TRUE };
    }
    newer {
        PhysicalDeviceShaderRelaxedExtendedInstructionFeatures { shader_relaxed_extended_instruction: vk::TRUE };
        PhysicalDeviceShaderReplicatedCompositesFeatures { shader_replicated_composites: vk::TRUE };
        PhysicalDeviceShaderUniformBufferUnsizedArrayFeatures { shader_uniform_buffer_unsized_array: vk::TRUE };
        PhysicalDeviceMaintenance7Features { maintenance7: vk::TRUE };
        PhysicalDeviceMaintenance8Features { maintenance8: vk::TRUE };
        PhysicalDeviceShaderBfloat16Features {
            shader_b_float16_type: vk::TRUE,
            shader_b_float16_dot_product: vk::FALSE,
            shader_b_float16_cooperative_matrix: vk::TRUE
        };
        PhysicalDeviceMaintenance9Features { maintenance9: vk::TRUE };
        PhysicalDevicePipelineBinaryFeatures { pipeline_binaries: vk::TRUE };
        PhysicalDeviceDeviceGeneratedCommandsFeatures
            { device_generated_commands: vk::TRUE, dynamic_generated_pipeline_layout: vk::TRUE };
        PhysicalDevicePresentId2Features { present_id2: vk::TRUE };
        PhysicalDevicePresentWait2Features { present_wait2: vk::TRUE };
        PhysicalDevicePresentTimingFeatures {
            present_timing: vk::TRUE,
            present_at_absolute_time: vk::FALSE,
            present_at_relative_time: vk::FALSE
        };
    }
    newest { PhysicalDeviceVulkan14Features to push_descriptor = features_14(); }
    } };
}

/// Defines a function that compares the features that an application wants with those that the driver has.
macro_rules! lacking {
    ($name:ident, whole { $($whole:ident $tag:ident to $last:ident = $value:expr;)* }
        parts { $($part:ident $part_tag:ident: $from:expr => $($member:ident)*;)* }
        own { $($own:ident $own_tag:ident { $($field:ident: $constant:expr),* };)* }
        newer { $($newer:ident { $($newer_field:ident: $newer_constant:expr),* };)* }
        newest { $($newest:ident to $newest_last:ident = $newest_value:expr;)? }) => {
        /// Whether a structure of a chain wants a feature that the driver lacks.
        fn $name(kind: vk::StructureType, next: *const c_void) -> bool {
            match kind {
                $(vk::StructureType::$tag => {
                    // SAFETY: by its tag, it is this structure.
                    let wanted = unsafe { &*next.cast::<vk::$whole<'_>>() };
                    let bytes = std::mem::offset_of!(vk::$whole<'_>, $last) + size_of::<vk::Bool32>();
                    wants_more(flags(wanted, HEADER, bytes), flags(&$value, HEADER, bytes))
                })*
                $(vk::StructureType::$part_tag => {
                    // SAFETY: as above.
                    let wanted = unsafe { &*next.cast::<vk::$part<'_>>() };
                    let from = $from;
                    wants_more(&[$(wanted.$member),*], &[$(from.$member),*])
                })*
                $(vk::StructureType::$own_tag => {
                    // SAFETY: as above.
                    let wanted = unsafe { &*next.cast::<vk::$own<'_>>() };
                    wants_more(&[$(wanted.$field),*], &[$($constant),*])
                })*
                $(<newer::$newer as vk::TaggedStructure>::STRUCTURE_TYPE => {
                    // SAFETY: as above.
                    let wanted = unsafe { &*next.cast::<newer::$newer>() };
                    wants_more(&[$(wanted.$newer_field),*], &[$($newer_constant),*])
                })*
                $(<newer::$newest as vk::TaggedStructure>::STRUCTURE_TYPE => {
                    // SAFETY: as above.
                    let wanted = unsafe { &*next.cast::<newer::$newest>() };
                    let bytes = std::mem::offset_of!(newer::$newest, $newest_last) + size_of::<vk::Bool32>();
                    wants_more(flags(wanted, HEADER, bytes), flags(&$newest_value, HEADER, bytes))
                })?
                _ => false,
            }
        }
    };
}

/// Whether the memory of devices can be mapped again: that of a process cannot.
fn on_node() -> vk::Bool32 {
    crate::environment::node().is_some().into()
}

features! { filled, feature }
features! { lacking, is_lacking }

/// Bytes of the type and the link of a structure.
const HEADER: usize = size_of::<vk::BaseInStructure<'_>>();

/// The features of a structure, from one byte to another.
fn flags<T>(structure: &T, first: usize, end: usize) -> &[vk::Bool32] {
    let end = end.min(size_of::<T>());
    let words = std::ptr::from_ref(structure).cast::<u8>().wrapping_add(first).cast::<vk::Bool32>();
    // SAFETY: structures of features consist of a header and of words, and `end` is in the structure.
    unsafe { slice(words, end.saturating_sub(first) / size_of::<vk::Bool32>()) }
}

/// Whether `wanted` has a feature that `has` lacks.
fn wants_more(wanted: &[vk::Bool32], has: &[vk::Bool32]) -> bool {
    wanted.iter().zip(has).any(|(wanted, has)| *wanted != vk::FALSE && *has == vk::FALSE)
}

/// Whether a device is to have features that the driver lacks.
pub(super) fn are_lacking(info: &vk::DeviceCreateInfo<'_>) -> bool {
    let chained = find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next).map(|all| &all.features);
    let end = size_of::<vk::PhysicalDeviceFeatures>();
    let mut lacks = chained
        .or(members::device_create_info_enabled_features(info))
        .is_some_and(|wanted| wants_more(flags(wanted, 0, end), flags(&physical::features(), 0, end)));
    each(info.p_next, |kind, structure| lacks |= is_lacking(kind, structure));
    lacks
}

/// Properties of version 1.2. The driver claims no conformance. Some programs hide such drivers; for them, the environment can set a
/// conformance version.
fn properties_12() -> vk::PhysicalDeviceVulkan12Properties<'static> {
    let [major, minor, subminor, patch] = crate::environment::conformance();
    physical::properties_12().conformance_version(vk::ConformanceVersion { major, minor, subminor, patch })
}

filled! { property,
    whole {
        PhysicalDeviceVulkan11Properties PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES = physical::properties_11();
        PhysicalDeviceVulkan12Properties PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES = properties_12();
        PhysicalDeviceVulkan13Properties PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES = physical::properties_13();
    }
    parts {
        PhysicalDeviceIDProperties PHYSICAL_DEVICE_ID_PROPERTIES: physical::properties_11() =>
            device_uuid driver_uuid device_luid device_node_mask device_luid_valid;
        PhysicalDevicePointClippingProperties PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES: physical::properties_11() =>
            point_clipping_behavior;
        PhysicalDeviceMultiviewProperties PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES: physical::properties_11() =>
            max_multiview_view_count max_multiview_instance_index;
        PhysicalDeviceProtectedMemoryProperties PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES:
            physical::properties_11() => protected_no_fault;
        PhysicalDeviceSamplerFilterMinmaxProperties PHYSICAL_DEVICE_SAMPLER_FILTER_MINMAX_PROPERTIES:
            properties_12() => filter_minmax_single_component_formats filter_minmax_image_component_mapping;
        PhysicalDeviceMaintenance3Properties PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES: physical::properties_11() =>
            max_per_set_descriptors max_memory_allocation_size;
        PhysicalDeviceDriverProperties PHYSICAL_DEVICE_DRIVER_PROPERTIES: properties_12() =>
            driver_id driver_name driver_info conformance_version;
        PhysicalDeviceFloatControlsProperties PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES: properties_12() =>
            denorm_behavior_independence rounding_mode_independence shader_signed_zero_inf_nan_preserve_float16
            shader_signed_zero_inf_nan_preserve_float32 shader_signed_zero_inf_nan_preserve_float64
            shader_denorm_preserve_float16 shader_denorm_preserve_float32 shader_denorm_preserve_float64
            shader_denorm_flush_to_zero_float16 shader_denorm_flush_to_zero_float32
            shader_denorm_flush_to_zero_float64 shader_rounding_mode_rte_float16 shader_rounding_mode_rte_float32
            shader_rounding_mode_rte_float64 shader_rounding_mode_rtz_float16 shader_rounding_mode_rtz_float32
            shader_rounding_mode_rtz_float64;
        PhysicalDeviceDescriptorIndexingProperties PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES:
            properties_12() => max_update_after_bind_descriptors_in_all_pools
            robust_buffer_access_update_after_bind
            max_per_stage_descriptor_update_after_bind_samplers
            max_per_stage_descriptor_update_after_bind_uniform_buffers
            max_per_stage_descriptor_update_after_bind_storage_buffers
            max_per_stage_descriptor_update_after_bind_sampled_images
            max_per_stage_descriptor_update_after_bind_storage_images
            max_per_stage_descriptor_update_after_bind_input_attachments max_per_stage_update_after_bind_resources
            max_descriptor_set_update_after_bind_samplers max_descriptor_set_update_after_bind_uniform_buffers
            max_descriptor_set_update_after_bind_uniform_buffers_dynamic
            max_descriptor_set_update_after_bind_storage_buffers
            max_descriptor_set_update_after_bind_storage_buffers_dynamic
            max_descriptor_set_update_after_bind_sampled_images max_descriptor_set_update_after_bind_storage_images
            max_descriptor_set_update_after_bind_input_attachments;
        PhysicalDeviceDepthStencilResolveProperties PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES:
            properties_12() => supported_depth_resolve_modes supported_stencil_resolve_modes
            independent_resolve_none independent_resolve;
        PhysicalDeviceTimelineSemaphoreProperties PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES:
            properties_12() => max_timeline_semaphore_value_difference;
        PhysicalDeviceSubgroupSizeControlProperties PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES:
            physical::properties_13() => min_subgroup_size max_subgroup_size max_compute_workgroup_subgroups
            required_subgroup_size_stages;
        PhysicalDeviceInlineUniformBlockProperties PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES:
            physical::properties_13() => max_inline_uniform_block_size
            max_per_stage_descriptor_inline_uniform_blocks
            max_per_stage_descriptor_update_after_bind_inline_uniform_blocks
            max_descriptor_set_inline_uniform_blocks max_descriptor_set_update_after_bind_inline_uniform_blocks;
        PhysicalDeviceMaintenance4Properties PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES: physical::properties_13() =>
            max_buffer_size;
        PhysicalDeviceVertexAttributeDivisorPropertiesEXT PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_EXT: properties_14() =>
            max_vertex_attrib_divisor;
        PhysicalDeviceVertexAttributeDivisorPropertiesKHR PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_KHR: properties_14() =>
            max_vertex_attrib_divisor supports_non_zero_first_instance;
        PhysicalDevicePipelineRobustnessPropertiesEXT PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_PROPERTIES_EXT: properties_14() =>
            default_robustness_storage_buffers default_robustness_uniform_buffers default_robustness_vertex_inputs default_robustness_images;
        PhysicalDeviceMaintenance5PropertiesKHR PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES_KHR: properties_14() =>
            early_fragment_multisample_coverage_after_sample_counting early_fragment_sample_mask_test_before_sample_counting depth_stencil_swizzle_one_support polygon_mode_point_size non_strict_single_pixel_wide_lines_use_parallelogram non_strict_wide_lines_use_parallelogram;
        PhysicalDeviceMaintenance6PropertiesKHR PHYSICAL_DEVICE_MAINTENANCE_6_PROPERTIES_KHR: properties_14() =>
            block_texel_view_compatible_multiple_layers max_combined_image_sampler_descriptor_count fragment_shading_rate_clamp_combiner_inputs;
        PhysicalDeviceLineRasterizationPropertiesKHR PHYSICAL_DEVICE_LINE_RASTERIZATION_PROPERTIES_KHR: properties_14() =>
            line_sub_pixel_precision_bits;
        PhysicalDevicePushDescriptorPropertiesKHR PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR: properties_14() =>
            max_push_descriptors;
    }
    own {
        PhysicalDeviceMapMemoryPlacedPropertiesEXT PHYSICAL_DEVICE_MAP_MEMORY_PLACED_PROPERTIES_EXT
            { min_placed_memory_map_alignment: PAGE };
        PhysicalDeviceShaderModuleIdentifierPropertiesEXT
            PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_PROPERTIES_EXT
            { shader_module_identifier_algorithm_uuid: physical::UUID };
        PhysicalDeviceSubgroupProperties PHYSICAL_DEVICE_SUBGROUP_PROPERTIES {
            subgroup_size: physical::properties_11().subgroup_size,
            supported_stages: physical::properties_11().subgroup_supported_stages,
            supported_operations: physical::properties_11().subgroup_supported_operations,
            quad_operations_in_all_stages: vk::TRUE
        };
        PhysicalDeviceRobustness2PropertiesEXT PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT
            { robust_storage_buffer_access_size_alignment: 1, robust_uniform_buffer_access_size_alignment: 64 };
        PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_PROPERTIES_EXT
            { graphics_pipeline_library_fast_linking: vk::TRUE, graphics_pipeline_library_independent_interpolation_decoration: vk::TRUE };
        PhysicalDeviceProvokingVertexPropertiesEXT PHYSICAL_DEVICE_PROVOKING_VERTEX_PROPERTIES_EXT
            { provoking_vertex_mode_per_pipeline: vk::TRUE,
              transform_feedback_preserves_triangle_fan_provoking_vertex: vk::TRUE };
        PhysicalDeviceFragmentShaderBarycentricPropertiesKHR PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_PROPERTIES_KHR
            { tri_strip_vertex_order_independent_of_provoking_vertex: vk::FALSE };
        PhysicalDeviceMultiDrawPropertiesEXT PHYSICAL_DEVICE_MULTI_DRAW_PROPERTIES_EXT
            { max_multi_draw_count: u32::MAX };
        PhysicalDeviceTexelBufferAlignmentPropertiesEXT PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES_EXT {
            storage_texel_buffer_offset_alignment_bytes: 16,
            storage_texel_buffer_offset_single_texel_alignment: vk::FALSE,
            uniform_texel_buffer_offset_alignment_bytes: 16,
            uniform_texel_buffer_offset_single_texel_alignment: vk::FALSE
        };
        PhysicalDeviceBlendOperationAdvancedPropertiesEXT PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_PROPERTIES_EXT {
            advanced_blend_max_color_attachments: MAX_TARGETS,
            advanced_blend_independent_blend: vk::TRUE,
            advanced_blend_non_premultiplied_src_color: vk::TRUE,
            advanced_blend_non_premultiplied_dst_color: vk::TRUE,
            advanced_blend_correlated_overlap: vk::TRUE,
            advanced_blend_all_operations: vk::TRUE
        };
        PhysicalDeviceNestedCommandBufferPropertiesEXT PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT
            { max_command_buffer_nesting_level: MAX_NESTED_LEVELS };
        PhysicalDeviceCustomBorderColorPropertiesEXT PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT
            { max_custom_border_color_samplers: 1 << 16 };
        PhysicalDeviceExtendedDynamicState3PropertiesEXT PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT
            { dynamic_primitive_topology_unrestricted: vk::TRUE };
        PhysicalDeviceShaderObjectPropertiesEXT PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT
            { shader_binary_uuid: physical::UUID, shader_binary_version: 0 };
        PhysicalDeviceTransformFeedbackPropertiesEXT PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT {
            max_transform_feedback_streams: physical::FEEDBACK_STREAMS,
            max_transform_feedback_buffers: physical::FEEDBACK_BUFFERS,
            max_transform_feedback_buffer_size: u64::from(u32::MAX),
            max_transform_feedback_stream_data_size: 512,
            max_transform_feedback_buffer_data_size: 512,
            max_transform_feedback_buffer_data_stride: 2048,
            transform_feedback_queries: vk::TRUE,
            transform_feedback_streams_lines_triangles: vk::TRUE,
            transform_feedback_rasterization_stream_select: vk::TRUE,
            transform_feedback_draw: vk::TRUE
        };
        PhysicalDeviceMeshShaderPropertiesEXT PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT {
            max_task_work_group_total_count: physical::MESH_GROUPS,
            max_task_work_group_count: [65535; 3],
            max_task_work_group_invocations: physical::MESH_INVOCATIONS,
            max_task_work_group_size: [physical::MESH_INVOCATIONS; 3],
            max_task_payload_size: physical::MESH_PAYLOAD,
            max_task_shared_memory_size: physical::TASK_SHARED,
            max_task_payload_and_shared_memory_size: physical::MESH_PAYLOAD + physical::TASK_SHARED,
            max_mesh_work_group_total_count: physical::MESH_GROUPS,
            max_mesh_work_group_count: [65535; 3],
            max_mesh_work_group_invocations: physical::MESH_INVOCATIONS,
            max_mesh_work_group_size: [physical::MESH_INVOCATIONS; 3],
            max_mesh_shared_memory_size: physical::MESH_SHARED,
            max_mesh_payload_and_shared_memory_size: physical::MESH_PAYLOAD + physical::MESH_SHARED,
            max_mesh_output_memory_size: physical::MESH_OUTPUT,
            max_mesh_payload_and_output_memory_size: physical::MESH_PAYLOAD + physical::MESH_OUTPUT,
            max_mesh_output_components: physical::MESH_COMPONENTS,
            max_mesh_output_vertices: physical::MESH_VERTICES,
            max_mesh_output_primitives: physical::MESH_PRIMITIVES,
            max_mesh_output_layers: physical::LAYERS,
            max_mesh_multiview_view_count: 1,
            mesh_output_per_vertex_granularity: 1,
            mesh_output_per_primitive_granularity: 1,
            max_preferred_task_work_group_invocations: 128,
            max_preferred_mesh_work_group_invocations: 128,
            prefers_local_invocation_vertex_output: vk::FALSE,
            prefers_local_invocation_primitive_output: vk::FALSE,
            prefers_compact_vertex_output: vk::FALSE,
            prefers_compact_primitive_output: vk::FALSE
        };
        PhysicalDeviceAccelerationStructurePropertiesKHR PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR {
            max_geometry_count: acceleration::MOST_GEOMETRIES,
            max_instance_count: acceleration::MOST_GEOMETRIES,
            max_primitive_count: acceleration::MOST_PRIMITIVES,
            max_per_stage_descriptor_acceleration_structures: physical::DESCRIPTORS,
            max_per_stage_descriptor_update_after_bind_acceleration_structures: physical::DESCRIPTORS,
            max_descriptor_set_acceleration_structures: physical::DESCRIPTORS,
            max_descriptor_set_update_after_bind_acceleration_structures: physical::DESCRIPTORS,
            min_acceleration_structure_scratch_offset_alignment: acceleration::SCRATCH_ALIGNMENT
        };
        PhysicalDeviceCooperativeMatrixPropertiesKHR PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR
            { cooperative_matrix_supported_stages: vk::ShaderStageFlags::COMPUTE };
        PhysicalDeviceSampleLocationsPropertiesEXT PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT {
            sample_location_sample_counts: physical::PLACED_SAMPLES,
            max_sample_location_grid_size: physical::SAMPLE_GRID,
            sample_location_coordinate_range: [0.0, 15.0 / 16.0],
            sample_location_sub_pixel_bits: 4,
            variable_sample_locations: vk::TRUE
        };
    }
    newer {
        PhysicalDeviceMaintenance7Properties {
            robust_fragment_shading_rate_attachment_access: vk::FALSE,
            separate_depth_stencil_attachment_access: vk::TRUE,
            max_descriptor_set_total_uniform_buffers_dynamic: physical::MAX_DYNAMIC_BUFFERS,
            max_descriptor_set_total_storage_buffers_dynamic: physical::MAX_DYNAMIC_BUFFERS,
            max_descriptor_set_total_buffers_dynamic: physical::MAX_DYNAMIC_BUFFERS,
            max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic: physical::MAX_DYNAMIC_BUFFERS,
            max_descriptor_set_update_after_bind_total_storage_buffers_dynamic: physical::MAX_DYNAMIC_BUFFERS,
            max_descriptor_set_update_after_bind_total_buffers_dynamic: physical::MAX_DYNAMIC_BUFFERS
        };
        PhysicalDeviceLayeredApiPropertiesList { layered_api_count: 0 };
        PhysicalDeviceMaintenance9Properties
            { image2_d_view_of3_d_sparse: vk::FALSE, default_vertex_attribute_value: 0 };
        PhysicalDevicePipelineBinaryProperties {
            pipeline_binary_internal_cache: vk::FALSE,
            pipeline_binary_internal_cache_control: vk::FALSE,
            pipeline_binary_prefers_internal_cache: vk::FALSE,
            pipeline_binary_precompiled_internal_cache: vk::FALSE,
            pipeline_binary_compressed_data: vk::FALSE
        };
        PhysicalDeviceDeviceGeneratedCommandsProperties {
            max_indirect_pipeline_count: sequences::MAX_PROGRAMS,
            max_indirect_shader_object_count: sequences::MAX_PROGRAMS,
            max_indirect_sequence_count: sequences::MAX_SEQUENCES,
            max_indirect_commands_token_count: sequences::MAX_TOKENS,
            max_indirect_commands_token_offset: sequences::MAX_OFFSET,
            max_indirect_commands_indirect_stride: sequences::MAX_STRIDE,
            supported_indirect_commands_input_modes: newer::INDEX_BUFFER_MODES,
            supported_indirect_commands_shader_stages: physical::STAGES,
            supported_indirect_commands_shader_stages_pipeline_binding: physical::STAGES,
            supported_indirect_commands_shader_stages_shader_binding: physical::STAGES,
            device_generated_commands_transform_feedback: vk::TRUE,
            device_generated_commands_multi_draw_indirect_count: vk::TRUE
        };
    }
    newest {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_no_features_that_the_driver_lacks() {
        let core = |features: vk::PhysicalDeviceFeatures| {
            let info = vk::DeviceCreateInfo::default().enabled_features(&features);
            let mut chained = vk::PhysicalDeviceFeatures2::default().features(features);
            let both =
                [are_lacking(&info), are_lacking(&vk::DeviceCreateInfo::default().push_next(&mut chained))];
            assert_eq!(both[0], both[1]);
            both[0]
        };
        assert!(!core(physical::features()));
        assert!(core(physical::features().depth_bounds(true)));
        assert!(core(
            vk::PhysicalDeviceFeatures::default().inherited_queries(true).sparse_residency2_samples(true)
        ));
        fn chained<T: vk::ExtendsDeviceCreateInfo>(mut features: T) -> bool {
            are_lacking(&vk::DeviceCreateInfo::default().push_next(&mut features))
        }
        let (f11, f12, f13) = (physical::features_11(), physical::features_12(), physical::features_13());
        assert!(!chained(f11) && !chained(f12) && !chained(f13));
        assert!(chained(f11.protected_memory(true)) && chained(f12.shader_shared_int64_atomics(true)));
        assert!(chained(f13.texture_compression_astc_hdr(true)));
        assert!(!is_lacking(features_14().s_type, std::ptr::from_ref(&features_14()).cast()));
        let stippled =
            newer::PhysicalDeviceVulkan14Features { stippled_smooth_lines: vk::TRUE, ..features_14() };
        assert!(is_lacking(stippled.s_type, std::ptr::from_ref(&stippled).cast()));
        let lines = vk::PhysicalDeviceLineRasterizationFeaturesKHR::default();
        assert!(!chained(lines.bresenham_lines(true)) && chained(lines.smooth_lines(true)));
        let parts = vk::PhysicalDeviceMultiviewFeatures::default().multiview(true);
        assert!(!chained(parts) && chained(parts.multiview_geometry_shader(true)));
    }
}

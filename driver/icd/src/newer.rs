//! Structures of extensions that are newer than the crate `ash`.

use std::ffi::c_void;

use ash::vk;

/// Defines structures, each with the number of its type.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident $number:literal { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            pub(crate) struct $name {
                pub(crate) s_type: vk::StructureType,
                pub(crate) p_next: *mut c_void,
                $($(#[$field_doc])* pub(crate) $field: $kind,)*
            }

            impl Default for $name {
                fn default() -> $name {
                    // SAFETY: structures consist of numbers and pointers, which zeros are values of.
                    let zeros = unsafe { std::mem::zeroed() };
                    $name { s_type: <$name as vk::TaggedStructure>::STRUCTURE_TYPE, ..zeros }
                }
            }

            // SAFETY: the structure begins with its type and the link of the chain.
            unsafe impl vk::TaggedStructure for $name {
                const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
            }
        )*
    };
}

structures! {
    /// Features of Vulkan 1.4.
    PhysicalDeviceVulkan14Features 55 {
        global_priority_query: vk::Bool32,
        shader_subgroup_rotate: vk::Bool32,
        shader_subgroup_rotate_clustered: vk::Bool32,
        shader_float_controls2: vk::Bool32,
        shader_expect_assume: vk::Bool32,
        rectangular_lines: vk::Bool32,
        bresenham_lines: vk::Bool32,
        smooth_lines: vk::Bool32,
        stippled_rectangular_lines: vk::Bool32,
        stippled_bresenham_lines: vk::Bool32,
        stippled_smooth_lines: vk::Bool32,
        vertex_attribute_instance_rate_divisor: vk::Bool32,
        vertex_attribute_instance_rate_zero_divisor: vk::Bool32,
        index_type_uint8: vk::Bool32,
        dynamic_rendering_local_read: vk::Bool32,
        maintenance5: vk::Bool32,
        maintenance6: vk::Bool32,
        pipeline_protected_access: vk::Bool32,
        pipeline_robustness: vk::Bool32,
        host_image_copy: vk::Bool32,
        push_descriptor: vk::Bool32,
    }
    /// Properties of Vulkan 1.4.
    PhysicalDeviceVulkan14Properties 56 {
        line_sub_pixel_precision_bits: u32,
        max_vertex_attrib_divisor: u32,
        supports_non_zero_first_instance: vk::Bool32,
        max_push_descriptors: u32,
        dynamic_rendering_local_read_depth_stencil_attachments: vk::Bool32,
        dynamic_rendering_local_read_multisampled_attachments: vk::Bool32,
        early_fragment_multisample_coverage_after_sample_counting: vk::Bool32,
        early_fragment_sample_mask_test_before_sample_counting: vk::Bool32,
        depth_stencil_swizzle_one_support: vk::Bool32,
        polygon_mode_point_size: vk::Bool32,
        non_strict_single_pixel_wide_lines_use_parallelogram: vk::Bool32,
        non_strict_wide_lines_use_parallelogram: vk::Bool32,
        block_texel_view_compatible_multiple_layers: vk::Bool32,
        max_combined_image_sampler_descriptor_count: u32,
        fragment_shading_rate_clamp_combiner_inputs: vk::Bool32,
        default_robustness_storage_buffers: vk::PipelineRobustnessBufferBehaviorEXT,
        default_robustness_uniform_buffers: vk::PipelineRobustnessBufferBehaviorEXT,
        default_robustness_vertex_inputs: vk::PipelineRobustnessBufferBehaviorEXT,
        default_robustness_images: vk::PipelineRobustnessImageBehaviorEXT,
        copy_src_layout_count: u32,
        p_copy_src_layouts: *mut vk::ImageLayout,
        copy_dst_layout_count: u32,
        p_copy_dst_layouts: *mut vk::ImageLayout,
        optimal_tiling_layout_uuid: [u8; vk::UUID_SIZE],
        identical_memory_type_requirements: vk::Bool32,
    }
    /// Features of `VK_KHR_shader_bfloat16`.
    PhysicalDeviceShaderBfloat16Features 1_000_141_000 {
        shader_b_float16_type: vk::Bool32,
        shader_b_float16_dot_product: vk::Bool32,
        shader_b_float16_cooperative_matrix: vk::Bool32,
    }
    /// Features of `VK_KHR_shader_relaxed_extended_instruction`.
    PhysicalDeviceShaderRelaxedExtendedInstructionFeatures 1_000_558_000 {
        shader_relaxed_extended_instruction: vk::Bool32,
    }
    /// Features of `VK_KHR_maintenance7`.
    PhysicalDeviceMaintenance7Features 1_000_562_000 { maintenance7: vk::Bool32, }
    /// Properties of `VK_KHR_maintenance7`.
    PhysicalDeviceMaintenance7Properties 1_000_562_001 {
        robust_fragment_shading_rate_attachment_access: vk::Bool32,
        separate_depth_stencil_attachment_access: vk::Bool32,
        max_descriptor_set_total_uniform_buffers_dynamic: u32,
        max_descriptor_set_total_storage_buffers_dynamic: u32,
        max_descriptor_set_total_buffers_dynamic: u32,
        max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic: u32,
        max_descriptor_set_update_after_bind_total_storage_buffers_dynamic: u32,
        max_descriptor_set_update_after_bind_total_buffers_dynamic: u32,
    }
    /// Interfaces below the driver (`VK_KHR_maintenance7`).
    PhysicalDeviceLayeredApiPropertiesList 1_000_562_002 {
        layered_api_count: u32,
        layered_apis: *mut c_void,
    }
    /// Features of `VK_EXT_shader_replicated_composites`.
    PhysicalDeviceShaderReplicatedCompositesFeatures 1_000_564_000 { shader_replicated_composites: vk::Bool32, }
    /// Features of `VK_KHR_maintenance8`.
    PhysicalDeviceMaintenance8Features 1_000_574_000 { maintenance8: vk::Bool32, }
    /// Features of `VK_KHR_maintenance9`.
    PhysicalDeviceMaintenance9Features 1_000_584_000 { maintenance9: vk::Bool32, }
    /// Properties of `VK_KHR_maintenance9`.
    PhysicalDeviceMaintenance9Properties 1_000_584_001 {
        image2_d_view_of3_d_sparse: vk::Bool32,
        /// What shaders read for attributes that a pipeline does not have: 0 for four zeros, 1 for three zeros and one.
        default_vertex_attribute_value: u32,
    }
    /// Features of `VK_EXT_shader_uniform_buffer_unsized_array`.
    PhysicalDeviceShaderUniformBufferUnsizedArrayFeatures 1_000_642_000 {
        shader_uniform_buffer_unsized_array: vk::Bool32,
    }
    /// Features of `VK_KHR_pipeline_binary`.
    PhysicalDevicePipelineBinaryFeatures 1_000_483_000 { pipeline_binaries: vk::Bool32, }
    /// What binaries are made of: exactly one member is set.
    PipelineBinaryCreateInfo 1_000_483_001 {
        p_keys_and_data_info: *const PipelineBinaryKeysAndData,
        /// A pipeline that captured its data.
        pipeline: vk::Pipeline,
        p_pipeline_create_info: *const PipelineCreateInfo,
    }
    /// The binaries of a pipeline that is created.
    PipelineBinaryInfo 1_000_483_002 {
        binary_count: u32,
        p_pipeline_binaries: *const PipelineBinaryHandle,
    }
    /// The name of a binary or of a pipeline.
    PipelineBinaryKey 1_000_483_003 {
        /// Bytes of the key.
        key_size: u32,
        key: [u8; MAX_PIPELINE_BINARY_KEY_SIZE],
    }
    /// Properties of `VK_KHR_pipeline_binary`.
    PhysicalDevicePipelineBinaryProperties 1_000_483_004 {
        pipeline_binary_internal_cache: vk::Bool32,
        pipeline_binary_internal_cache_control: vk::Bool32,
        pipeline_binary_prefers_internal_cache: vk::Bool32,
        pipeline_binary_precompiled_internal_cache: vk::Bool32,
        pipeline_binary_compressed_data: vk::Bool32,
    }
    /// The pipeline whose captured data is released.
    ReleaseCapturedPipelineDataInfo 1_000_483_005 { pipeline: vk::Pipeline, }
    /// The binary whose data is read.
    PipelineBinaryDataInfo 1_000_483_006 { pipeline_binary: PipelineBinaryHandle, }
    /// The head of a chain with the parameters of a pipeline.
    PipelineCreateInfo 1_000_483_007 {}
    /// Where handles of binaries are stored.
    PipelineBinaryHandlesInfo 1_000_483_009 {
        pipeline_binary_count: u32,
        p_pipeline_binaries: *mut PipelineBinaryHandle,
    }
    /// Features of `VK_EXT_present_timing`.
    PhysicalDevicePresentTimingFeatures 1_000_208_000 {
        present_timing: vk::Bool32,
        present_at_absolute_time: vk::Bool32,
        present_at_relative_time: vk::Bool32,
    }
    /// The refreshes of a swapchain's display.
    SwapchainTimingProperties 1_000_208_001 {
        /// Nanoseconds between refreshes.
        refresh_duration: u64,
        /// Nanoseconds of which times between refreshes are multiples.
        refresh_interval: u64,
    }
    /// The clocks of a swapchain.
    SwapchainTimeDomainProperties 1_000_208_002 {
        time_domain_count: u32,
        p_time_domains: *mut vk::TimeDomainKHR,
        p_time_domain_ids: *mut u64,
    }
    /// What is asked of presentations, for each swapchain.
    PresentTimingsInfo 1_000_208_003 {
        swapchain_count: u32,
        p_timing_infos: *const PresentTimingInfo,
    }
    /// What is asked of a presentation.
    PresentTimingInfo 1_000_208_004 {
        flags: vk::Flags,
        target_time: u64,
        time_domain_id: u64,
        /// Stages whose times are asked for.
        present_stage_queries: vk::Flags,
        target_time_domain_present_stage: vk::Flags,
    }
    /// Whose timings are taken.
    PastPresentationTimingInfo 1_000_208_005 {
        flags: vk::Flags,
        swapchain: vk::SwapchainKHR,
    }
    /// Where timings are stored.
    PastPresentationTimingProperties 1_000_208_006 {
        timing_properties_counter: u64,
        time_domains_counter: u64,
        presentation_timing_count: u32,
        p_presentation_timings: *mut PastPresentationTiming,
    }
    /// The timing of a presentation.
    PastPresentationTiming 1_000_208_007 {
        present_id: u64,
        target_time: u64,
        present_stage_count: u32,
        p_present_stages: *mut PresentStageTime,
        time_domain: vk::TimeDomainKHR,
        time_domain_id: u64,
        report_complete: vk::Bool32,
    }
    /// What a surface tells of presentations.
    PresentTimingSurfaceCapabilities 1_000_208_008 {
        present_timing_supported: vk::Bool32,
        present_at_absolute_time_supported: vk::Bool32,
        present_at_relative_time_supported: vk::Bool32,
        present_stage_queries: vk::Flags,
    }
    /// Whether presentations have numbers (`VK_KHR_present_id2`).
    SurfaceCapabilitiesPresentId2 1_000_479_000 { present_id2_supported: vk::Bool32, }
    /// The numbers of presentations, for each swapchain.
    PresentId2 1_000_479_001 {
        swapchain_count: u32,
        p_present_ids: *const u64,
    }
    /// Features of `VK_KHR_present_id2`.
    PhysicalDevicePresentId2Features 1_000_479_002 { present_id2: vk::Bool32, }
    /// Whether presentations can be awaited (`VK_KHR_present_wait2`).
    SurfaceCapabilitiesPresentWait2 1_000_480_000 { present_wait2_supported: vk::Bool32, }
    /// Features of `VK_KHR_present_wait2`.
    PhysicalDevicePresentWait2Features 1_000_480_001 { present_wait2: vk::Bool32, }
    /// A presentation that is awaited.
    PresentWait2Info 1_000_480_002 {
        present_id: u64,
        /// In nanoseconds.
        timeout: u64,
    }
    /// What transfers between queue families need (`VK_KHR_maintenance9`).
    QueueFamilyOwnershipTransferProperties 1_000_584_002 {
        /// Families to which images need no transfer, a bit for each.
        optimal_image_transfer_to_queue_families: u32,
    }
    /// Features of `VK_EXT_device_generated_commands`.
    PhysicalDeviceDeviceGeneratedCommandsFeatures 1_000_572_000 {
        device_generated_commands: vk::Bool32,
        dynamic_generated_pipeline_layout: vk::Bool32,
    }
    /// Properties of `VK_EXT_device_generated_commands`.
    PhysicalDeviceDeviceGeneratedCommandsProperties 1_000_572_001 {
        max_indirect_pipeline_count: u32,
        max_indirect_shader_object_count: u32,
        max_indirect_sequence_count: u32,
        max_indirect_commands_token_count: u32,
        max_indirect_commands_token_offset: u32,
        max_indirect_commands_indirect_stride: u32,
        supported_indirect_commands_input_modes: vk::Flags,
        supported_indirect_commands_shader_stages: vk::ShaderStageFlags,
        supported_indirect_commands_shader_stages_pipeline_binding: vk::ShaderStageFlags,
        supported_indirect_commands_shader_stages_shader_binding: vk::ShaderStageFlags,
        device_generated_commands_transform_feedback: vk::Bool32,
        device_generated_commands_multi_draw_indirect_count: vk::Bool32,
    }
    /// The commands whose memory is asked for.
    GeneratedCommandsMemoryRequirementsInfo 1_000_572_002 {
        indirect_execution_set: IndirectExecutionSetHandle,
        indirect_commands_layout: IndirectCommandsLayoutHandle,
        max_sequence_count: u32,
        max_draw_count: u32,
    }
    /// A set of pipelines or shaders.
    IndirectExecutionSetCreateInfo 1_000_572_003 {
        /// 0 for pipelines, 1 for shaders.
        kind: u32,
        info: IndirectExecutionSetInfo,
    }
    /// Commands to generate.
    GeneratedCommandsInfo 1_000_572_004 {
        shader_stages: vk::ShaderStageFlags,
        indirect_execution_set: IndirectExecutionSetHandle,
        indirect_commands_layout: IndirectCommandsLayoutHandle,
        indirect_address: u64,
        indirect_address_size: u64,
        preprocess_address: u64,
        preprocess_size: u64,
        max_sequence_count: u32,
        sequence_count_address: u64,
        max_draw_count: u32,
    }
    /// The tokens of sequences.
    IndirectCommandsLayoutCreateInfo 1_000_572_006 {
        flags: vk::Flags,
        shader_stages: vk::ShaderStageFlags,
        indirect_stride: u32,
        pipeline_layout: vk::PipelineLayout,
        token_count: u32,
        p_tokens: *const IndirectCommandsLayoutToken,
    }
    /// A token.
    IndirectCommandsLayoutToken 1_000_572_007 {
        /// One of [`token`].
        kind: u32,
        data: IndirectCommandsTokenData,
        offset: u32,
    }
    /// A pipeline that is put into a set.
    WriteIndirectExecutionSetPipeline 1_000_572_008 {
        index: u32,
        pipeline: vk::Pipeline,
    }
    /// A shader that is put into a set.
    WriteIndirectExecutionSetShader 1_000_572_009 {
        index: u32,
        shader: vk::ShaderEXT,
    }
    /// A set of pipelines.
    IndirectExecutionSetPipelineInfo 1_000_572_010 {
        initial_pipeline: vk::Pipeline,
        max_pipeline_count: u32,
    }
    /// A set of shaders.
    IndirectExecutionSetShaderInfo 1_000_572_011 {
        shader_count: u32,
        p_initial_shaders: *const vk::ShaderEXT,
        p_set_layout_infos: *const IndirectExecutionSetShaderLayoutInfo,
        max_shader_count: u32,
        push_constant_range_count: u32,
        p_push_constant_ranges: *const vk::PushConstantRange,
    }
    /// The descriptor sets of a shader of a set.
    IndirectExecutionSetShaderLayoutInfo 1_000_572_012 {
        set_layout_count: u32,
        p_set_layouts: *const vk::DescriptorSetLayout,
    }
    /// The shaders of generated commands.
    GeneratedCommandsShaderInfo 1_000_572_014 {
        shader_count: u32,
        p_shaders: *const vk::ShaderEXT,
    }
}

/// Bytes of the longest key of a binary (`VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR`).
pub(crate) const MAX_PIPELINE_BINARY_KEY_SIZE: usize = 32;

/// Flag of a pipeline whose data is captured (`VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR`).
pub(crate) const CAPTURE_DATA: vk::PipelineCreateFlags = vk::PipelineCreateFlags::from_raw(1 << 31);

/// The result if the driver's own cache does not have the binaries of a pipeline (`VK_PIPELINE_BINARY_MISSING_KHR`).
pub(crate) const PIPELINE_BINARY_MISSING: vk::Result = vk::Result::from_raw(1_000_483_000);

/// The result if memory is too small for data (`VK_ERROR_NOT_ENOUGH_SPACE_KHR`).
pub(crate) const NOT_ENOUGH_SPACE: vk::Result = vk::Result::from_raw(-1_000_483_000);

/// The time of a stage of a presentation.
#[repr(C)]
pub(crate) struct PresentStageTime {
    pub(crate) stage: vk::Flags,
    /// In nanoseconds.
    pub(crate) time: u64,
}

/// The stage in which the first pixel of an image goes to the display (`VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT`).
pub(crate) const FIRST_PIXEL_OUT: vk::Flags = 1 << 2;

/// Timings may be taken before those of earlier presentations (`VK_PAST_PRESENTATION_TIMING_ALLOW_OUT_OF_ORDER_RESULTS_BIT_EXT`).
pub(crate) const OUT_OF_ORDER: vk::Flags = 1 << 1;

/// The data of a binary.
#[repr(C)]
pub(crate) struct PipelineBinaryData {
    /// In bytes.
    pub(crate) data_size: usize,
    pub(crate) p_data: *mut c_void,
}

/// Keys and data of binaries.
#[repr(C)]
pub(crate) struct PipelineBinaryKeysAndData {
    pub(crate) binary_count: u32,
    pub(crate) p_pipeline_binary_keys: *const PipelineBinaryKey,
    pub(crate) p_pipeline_binary_data: *const PipelineBinaryData,
}

/// Kinds of tokens (`VkIndirectCommandsTokenTypeEXT`).
pub(crate) mod token {
    pub(crate) const EXECUTION_SET: u32 = 0;
    pub(crate) const PUSH_CONSTANT: u32 = 1;
    pub(crate) const SEQUENCE_INDEX: u32 = 2;
    pub(crate) const INDEX_BUFFER: u32 = 3;
    pub(crate) const VERTEX_BUFFER: u32 = 4;
    pub(crate) const DRAW_INDEXED: u32 = 5;
    pub(crate) const DRAW: u32 = 6;
    pub(crate) const DRAW_INDEXED_COUNT: u32 = 7;
    pub(crate) const DRAW_COUNT: u32 = 8;
    pub(crate) const DISPATCH: u32 = 9;
    pub(crate) const DRAW_MESH_TASKS: u32 = 1_000_328_000;
    pub(crate) const DRAW_MESH_TASKS_COUNT: u32 = 1_000_328_001;
}

/// The forms of index buffers in memory: types of Vulkan, and formats of DXGI (`VkIndirectCommandsInputModeFlagBitsEXT`).
pub(crate) const INDEX_BUFFER_MODES: vk::Flags = 1 | 1 << 1;

/// What a set is made of.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) union IndirectExecutionSetInfo {
    pub(crate) p_pipeline_info: *const IndirectExecutionSetPipelineInfo,
    pub(crate) p_shader_info: *const IndirectExecutionSetShaderInfo,
}

/// The details of a token, by its kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) union IndirectCommandsTokenData {
    pub(crate) p_push_constant: *const IndirectCommandsPushConstantToken,
    pub(crate) p_vertex_buffer: *const IndirectCommandsVertexBufferToken,
    pub(crate) p_index_buffer: *const IndirectCommandsIndexBufferToken,
    pub(crate) p_execution_set: *const IndirectCommandsExecutionSetToken,
}

/// The push constants of a token.
#[repr(C)]
pub(crate) struct IndirectCommandsPushConstantToken {
    pub(crate) update_range: vk::PushConstantRange,
}

/// The vertex buffer of a token.
#[repr(C)]
pub(crate) struct IndirectCommandsVertexBufferToken {
    pub(crate) vertex_binding_unit: u32,
}

/// The form of an index buffer of a token.
#[repr(C)]
pub(crate) struct IndirectCommandsIndexBufferToken {
    pub(crate) mode: vk::Flags,
}

/// The programs of a token.
#[repr(C)]
pub(crate) struct IndirectCommandsExecutionSetToken {
    pub(crate) kind: u32,
    pub(crate) shader_stages: vk::ShaderStageFlags,
}

/// Defines handles with the numbers of their types.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident $number:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            #[repr(transparent)]
            pub(crate) struct $name(u64);

            impl vk::Handle for $name {
                const TYPE: vk::ObjectType = vk::ObjectType::from_raw($number);

                fn as_raw(self) -> u64 {
                    self.0
                }

                fn from_raw(raw: u64) -> $name {
                    $name(raw)
                }
            }
        )*
    };
}

handles! {
    /// A handle of a pipeline binary (`VK_KHR_pipeline_binary`).
    PipelineBinaryHandle 1_000_483_000;
    /// A handle of the tokens of sequences (`VK_EXT_device_generated_commands`).
    IndirectCommandsLayoutHandle 1_000_572_000;
    /// A handle of a set of programs (`VK_EXT_device_generated_commands`).
    IndirectExecutionSetHandle 1_000_572_001;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<PhysicalDeviceVulkan14Features>(), 104);
        assert_eq!(size_of::<PhysicalDeviceVulkan14Properties>(), 144);
        assert_eq!(size_of::<PhysicalDeviceMaintenance8Features>(), 24);
        assert_eq!(size_of::<PhysicalDeviceMaintenance7Properties>(), 48);
        assert_eq!(size_of::<PhysicalDeviceLayeredApiPropertiesList>(), 32);
        assert_eq!(size_of::<PipelineBinaryCreateInfo>(), 40);
        assert_eq!(size_of::<PipelineBinaryKey>(), 56);
        assert_eq!(size_of::<PipelineBinaryKeysAndData>(), 24);
        assert_eq!(size_of::<PipelineBinaryHandlesInfo>(), 32);
        assert_eq!(size_of::<PresentTimingInfo>(), 48);
        assert_eq!(size_of::<PastPresentationTiming>(), 72);
        assert_eq!(size_of::<PastPresentationTimingProperties>(), 48);
        assert_eq!(size_of::<PresentTimingSurfaceCapabilities>(), 32);
        assert_eq!(size_of::<PhysicalDeviceDeviceGeneratedCommandsFeatures>(), 24);
        assert_eq!(size_of::<PhysicalDeviceDeviceGeneratedCommandsProperties>(), 64);
        assert_eq!(size_of::<GeneratedCommandsMemoryRequirementsInfo>(), 40);
        assert_eq!(size_of::<GeneratedCommandsInfo>(), 96);
        assert_eq!(size_of::<IndirectCommandsLayoutCreateInfo>(), 56);
        assert_eq!(size_of::<IndirectCommandsLayoutToken>(), 40);
        assert_eq!(size_of::<IndirectExecutionSetCreateInfo>(), 32);
        assert_eq!(size_of::<IndirectExecutionSetShaderInfo>(), 56);
    }
}

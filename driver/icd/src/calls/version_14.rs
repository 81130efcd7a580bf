//! Features and properties of Vulkan 1.4. The structures of the extensions that it took in get theirs from here.

use agx_driver::physical;
use ash::vk;

use super::host_copy;
use crate::newer::{PhysicalDeviceVulkan14Features, PhysicalDeviceVulkan14Properties};

/// The features. The hardware draws Bresenham's lines only, and no stipples.
pub(super) fn features_14() -> PhysicalDeviceVulkan14Features {
    PhysicalDeviceVulkan14Features {
        global_priority_query: vk::TRUE,
        shader_subgroup_rotate: vk::TRUE,
        shader_subgroup_rotate_clustered: vk::TRUE,
        shader_float_controls2: vk::TRUE,
        shader_expect_assume: vk::TRUE,
        bresenham_lines: vk::TRUE,
        vertex_attribute_instance_rate_divisor: vk::TRUE,
        vertex_attribute_instance_rate_zero_divisor: vk::TRUE,
        index_type_uint8: vk::TRUE,
        dynamic_rendering_local_read: vk::TRUE,
        maintenance5: vk::TRUE,
        maintenance6: vk::TRUE,
        pipeline_protected_access: vk::TRUE,
        pipeline_robustness: vk::TRUE,
        host_image_copy: vk::TRUE,
        push_descriptor: vk::TRUE,
        ..PhysicalDeviceVulkan14Features::default()
    }
}

/// The properties, but for the layouts of copies by the processor, for which the application has the room.
pub(super) fn properties_14() -> PhysicalDeviceVulkan14Properties {
    PhysicalDeviceVulkan14Properties {
        line_sub_pixel_precision_bits: 8,
        max_vertex_attrib_divisor: u32::MAX,
        supports_non_zero_first_instance: vk::TRUE,
        max_push_descriptors: 32,
        dynamic_rendering_local_read_depth_stencil_attachments: vk::TRUE,
        dynamic_rendering_local_read_multisampled_attachments: vk::TRUE,
        depth_stencil_swizzle_one_support: vk::TRUE,
        max_combined_image_sampler_descriptor_count: 1,
        default_robustness_storage_buffers: vk::PipelineRobustnessBufferBehaviorEXT::DISABLED,
        default_robustness_uniform_buffers: vk::PipelineRobustnessBufferBehaviorEXT::DISABLED,
        default_robustness_vertex_inputs: vk::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS,
        default_robustness_images: vk::PipelineRobustnessImageBehaviorEXT::ROBUST_IMAGE_ACCESS_2,
        optimal_tiling_layout_uuid: physical::UUID,
        identical_memory_type_requirements: vk::TRUE,
        ..PhysicalDeviceVulkan14Properties::default()
    }
}

/// Writes the properties into the structure of an application.
pub(super) fn describe(out: &mut PhysicalDeviceVulkan14Properties) {
    *out = PhysicalDeviceVulkan14Properties {
        p_next: out.p_next,
        copy_src_layout_count: out.copy_src_layout_count,
        p_copy_src_layouts: out.p_copy_src_layouts,
        copy_dst_layout_count: out.copy_dst_layout_count,
        p_copy_dst_layouts: out.p_copy_dst_layouts,
        ..properties_14()
    };
    host_copy::layouts(&mut out.copy_src_layout_count, out.p_copy_src_layouts);
    host_copy::layouts(&mut out.copy_dst_layout_count, out.p_copy_dst_layouts);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_counted_and_written_where_there_is_room() {
        let mut out = PhysicalDeviceVulkan14Properties::default();
        describe(&mut out);
        let all = out.copy_src_layout_count as usize;
        assert!(all > 2 && out.copy_dst_layout_count as usize == all);
        let mut room = [vk::ImageLayout::UNDEFINED; 2];
        (out.copy_src_layout_count, out.p_copy_src_layouts) = (2, room.as_mut_ptr());
        describe(&mut out);
        assert_eq!(out.copy_src_layout_count, 2);
        assert!(!room.contains(&vk::ImageLayout::UNDEFINED));
        assert_eq!((out.max_push_descriptors, out.copy_dst_layout_count as usize), (32, all));
    }
}

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

            // SAFETY: the structure begins with its type and the link of the chain.
            unsafe impl vk::TaggedStructure for $name {
                const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
            }
        )*
    };
}

structures! {
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
    /// What transfers between queue families need (`VK_KHR_maintenance9`).
    QueueFamilyOwnershipTransferProperties 1_000_584_002 {
        /// Families to which images need no transfer, a bit for each.
        optimal_image_transfer_to_queue_families: u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<PhysicalDeviceMaintenance8Features>(), 24);
        assert_eq!(size_of::<PhysicalDeviceMaintenance7Properties>(), 48);
        assert_eq!(size_of::<PhysicalDeviceLayeredApiPropertiesList>(), 32);
    }
}

//! Instances and physical devices.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

use agx_driver::modifier::{MODIFIERS, Modifier, Tiling};
use agx_driver::{Error, format, physical};
use ash::vk;

use super::{external, features, host_copy, version_14};
use crate::environment;
use crate::generated::{self, Command, First, members};
use crate::handles::{give_dispatched, take_dispatched};
use crate::newer;
use crate::objects::{Instance, PhysicalDevice};
use crate::pointers::{Fill, each_mut, find, find_mut};

fn entry(name: &CStr) -> vk::PFN_vkVoidFunction {
    generated::find(name.to_str().ok()?).map(|command| command.function)
}

pub(crate) fn get_instance_proc_addr(_: &Arc<Instance>, name: &CStr) -> vk::PFN_vkVoidFunction {
    entry(name)
}

/// Only commands of devices, of the version of the application or before (`VK_KHR_maintenance5`), and of extensions that are enabled.
pub(crate) fn get_device_proc_addr(
    device: &Arc<crate::objects::Device>,
    name: &CStr,
) -> vk::PFN_vkVoidFunction {
    let command = generated::find(name.to_str().ok()?)?;
    has_command(command, device.minor, &device.extensions).then_some(command.function)
}

/// Whether a device has a command, with the minor number of its version and its extensions.
fn has_command(command: Command, minor: u32, enabled: &BTreeSet<String>) -> bool {
    let is_known = match command.extensions {
        [] => command.minor <= minor,
        extensions => extensions.iter().any(|extension| enabled.contains(*extension)),
    };
    command.first == First::Device && is_known
}

pub(crate) fn create_instance(
    info: &vk::InstanceCreateInfo<'_>,
    instance: &mut vk::Instance,
) -> Result<(), Error> {
    let application = members::instance_create_info_application_info(info);
    // The default version is 1.0.
    let minor = application.map_or(0, |application| vk::api_version_minor(application.api_version));
    let names = members::instance_create_info_enabled_extension_names(info);
    let has_spaces = names.iter().any(|name| name.to_bytes() == b"VK_EXT_swapchain_colorspace");
    let physical = give_dispatched(Arc::new(PhysicalDevice { minor, has_spaces }));
    *instance = give_dispatched(Arc::new(Instance { physical }));
    Ok(())
}

pub(crate) fn destroy_instance(instance: &Arc<Instance>) {
    drop(take_dispatched(instance.physical));
}

pub(crate) fn enumerate_instance_version(version: &mut u32) -> Result<(), Error> {
    *version = physical::API_VERSION;
    Ok(())
}

fn extensions(list: &[(&str, u32)], fill: Fill<u32, vk::ExtensionProperties>) -> vk::Result {
    fill.fill(list, |(name, version), slot| {
        *slot =
            vk::ExtensionProperties { extension_name: physical::characters(name), spec_version: *version };
    })
}

pub(crate) fn enumerate_instance_extension_properties(
    _: &CStr,
    fill: Fill<u32, vk::ExtensionProperties>,
) -> vk::Result {
    extensions(physical::INSTANCE_EXTENSIONS, fill)
}

/// The extensions of devices, of which some need a node of the kernel.
pub(super) fn device_extensions() -> Vec<(&'static str, u32)> {
    let of_node = environment::node().map_or(&[] as &[_], |_| physical::NODE_EXTENSIONS);
    physical::DEVICE_EXTENSIONS.iter().chain(of_node).copied().collect()
}

pub(crate) fn enumerate_device_extension_properties(
    _: &Arc<PhysicalDevice>,
    layer: &CStr,
    fill: Fill<u32, vk::ExtensionProperties>,
) -> vk::Result {
    match layer.is_empty() {
        true => extensions(&device_extensions(), fill),
        false => extensions(&[], fill),
    }
}

pub(crate) fn enumerate_instance_layer_properties(fill: Fill<u32, vk::LayerProperties>) -> vk::Result {
    fill.fill::<()>(&[], |_, _| {})
}

pub(crate) fn enumerate_device_layer_properties(
    _: &Arc<PhysicalDevice>,
    fill: Fill<u32, vk::LayerProperties>,
) -> vk::Result {
    fill.fill::<()>(&[], |_, _| {})
}

pub(crate) fn enumerate_physical_devices(
    instance: &Arc<Instance>,
    fill: Fill<u32, vk::PhysicalDevice>,
) -> vk::Result {
    fill.fill(&[instance.physical], |physical, slot| *slot = *physical)
}

pub(crate) fn enumerate_physical_device_groups(
    instance: &Arc<Instance>,
    fill: Fill<u32, vk::PhysicalDeviceGroupProperties<'_>>,
) -> vk::Result {
    fill.fill(&[instance.physical], |physical, slot| {
        slot.physical_device_count = 1;
        slot.physical_devices[0] = *physical;
        slot.subset_allocation = vk::FALSE;
    })
}

pub(crate) fn get_physical_device_features(_: &Arc<PhysicalDevice>, out: &mut vk::PhysicalDeviceFeatures) {
    *out = physical::features();
}

pub(crate) fn get_physical_device_features2(
    _: &Arc<PhysicalDevice>,
    out: &mut vk::PhysicalDeviceFeatures2<'_>,
) {
    out.features = physical::features();
    each_mut(out.p_next, features::feature);
}

pub(crate) fn get_physical_device_properties(
    _: &Arc<PhysicalDevice>,
    out: &mut vk::PhysicalDeviceProperties,
) {
    *out = physical::properties();
}

pub(crate) fn get_physical_device_properties2(
    _: &Arc<PhysicalDevice>,
    out: &mut vk::PhysicalDeviceProperties2<'_>,
) {
    out.properties = physical::properties();
    each_mut(out.p_next, features::property);
    if let Some(copies) = find_mut(out.p_next) {
        host_copy::describe(copies);
    }
    if let Some(version) = find_mut(out.p_next) {
        version_14::describe(version);
    }
    if let Some(node) = find_mut(out.p_next) {
        external::describe_node(node);
    }
}

pub(crate) fn get_physical_device_queue_family_properties(
    _: &Arc<PhysicalDevice>,
    fill: Fill<u32, vk::QueueFamilyProperties>,
) {
    let _ = fill.fill(&[physical::queues()], |family, slot| *slot = *family);
}

pub(crate) fn get_physical_device_queue_family_properties2(
    _: &Arc<PhysicalDevice>,
    fill: Fill<u32, vk::QueueFamilyProperties2<'_>>,
) {
    let _ = fill.fill(&[physical::queues()], |family, slot| {
        slot.queue_family_properties = *family;
        if let Some(known) = find_mut::<vk::QueueFamilyGlobalPriorityPropertiesKHR<'_>>(slot.p_next) {
            let priorities = [vk::QueueGlobalPriorityKHR::LOW, vk::QueueGlobalPriorityKHR::MEDIUM];
            known.priority_count = priorities.len() as u32;
            known.priorities[..priorities.len()].copy_from_slice(&priorities);
        }
        if let Some(transfers) = find_mut::<newer::QueueFamilyOwnershipTransferProperties>(slot.p_next) {
            // There is one family.
            transfers.optimal_image_transfer_to_queue_families = 1;
        }
    });
}

pub(crate) fn get_physical_device_memory_properties(
    _: &Arc<PhysicalDevice>,
    out: &mut vk::PhysicalDeviceMemoryProperties,
) {
    *out = physical::memory();
}

pub(crate) fn get_physical_device_memory_properties2(
    _: &Arc<PhysicalDevice>,
    out: &mut vk::PhysicalDeviceMemoryProperties2<'_>,
) {
    out.memory_properties = physical::memory();
}

fn format_properties(format: vk::Format) -> vk::FormatProperties {
    let [linear, optimal, buffer] = physical::format_features(format).map(physical::former_features);
    vk::FormatProperties {
        linear_tiling_features: linear,
        optimal_tiling_features: optimal,
        buffer_features: buffer,
    }
}

/// Fills the lists of modifiers of a chain.
fn modifiers(format: vk::Format, next: Next) {
    let features = Modifier::features(format);
    let known = if features.is_empty() { &[][..] } else { &MODIFIERS };
    let planes = format::find(format).map_or(0, |desc| desc.planes().len() as u32);
    if let Some(list) = find_mut::<vk::DrmFormatModifierPropertiesListEXT<'_>>(next) {
        let room = list.p_drm_format_modifier_properties;
        // SAFETY: valid usage of `VkDrmFormatModifierPropertiesListEXT`.
        let fill = unsafe { Fill::new(&raw mut list.drm_format_modifier_count, room) };
        let _ = fill.fill(known, |modifier, slot| {
            slot.drm_format_modifier = modifier.number();
            slot.drm_format_modifier_plane_count = planes;
            slot.drm_format_modifier_tiling_features = physical::former_features(features);
        });
    }
    if let Some(list) = find_mut::<vk::DrmFormatModifierPropertiesList2EXT<'_>>(next) {
        let room = list.p_drm_format_modifier_properties;
        // SAFETY: valid usage of `VkDrmFormatModifierPropertiesList2EXT`.
        let fill = unsafe { Fill::new(&raw mut list.drm_format_modifier_count, room) };
        let _ = fill.fill(known, |modifier, slot| {
            slot.drm_format_modifier = modifier.number();
            slot.drm_format_modifier_plane_count = planes;
            slot.drm_format_modifier_tiling_features = features;
        });
    }
}

/// The tiling of an image; `None` for a modifier that is not known.
fn tiling(tiling: vk::ImageTiling, next: *const c_void) -> Option<Tiling> {
    match tiling {
        vk::ImageTiling::OPTIMAL => Some(Tiling::Optimal),
        vk::ImageTiling::LINEAR => Some(Tiling::Linear),
        _ => {
            let wanted = find::<vk::PhysicalDeviceImageDrmFormatModifierInfoEXT<'_>>(next)?;
            Modifier::find(wanted.drm_format_modifier).map(Tiling::Modifier)
        }
    }
}

pub(crate) fn get_physical_device_format_properties(
    _: &Arc<PhysicalDevice>,
    format: vk::Format,
    out: &mut vk::FormatProperties,
) {
    *out = format_properties(format);
}

pub(crate) fn get_physical_device_format_properties2(
    _: &Arc<PhysicalDevice>,
    format: vk::Format,
    out: &mut vk::FormatProperties2<'_>,
) {
    out.format_properties = format_properties(format);
    modifiers(format, out.p_next);
    if let Some(more) = find_mut::<vk::FormatProperties3<'_>>(out.p_next) {
        let [linear, optimal, buffer] = physical::format_features(format);
        more.linear_tiling_features = linear;
        more.optimal_tiling_features = optimal;
        more.buffer_features = buffer;
    }
}

pub(crate) fn get_physical_device_multisample_properties_ext(
    _: &Arc<PhysicalDevice>,
    samples: vk::SampleCountFlags,
    out: &mut vk::MultisamplePropertiesEXT<'_>,
) {
    let none = vk::Extent2D { width: 0, height: 0 };
    let has_places = physical::PLACED_SAMPLES.contains(samples);
    out.max_sample_location_grid_size = if has_places { physical::SAMPLE_GRID } else { none };
}

pub(crate) fn get_physical_device_cooperative_matrix_properties_khr(
    _: &Arc<PhysicalDevice>,
    fill: Fill<u32, vk::CooperativeMatrixPropertiesKHR<'_>>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&physical::cooperative_matrices(), |product, slot| {
        [slot.m_size, slot.n_size, slot.k_size] = product.sizes;
        (slot.a_type, slot.b_type) = (product.factors, product.factors);
        (slot.c_type, slot.result_type) = (product.sum, product.sum);
        slot.saturating_accumulation = vk::FALSE;
        slot.scope = vk::ScopeKHR::SUBGROUP;
    }))
}

pub(crate) fn get_physical_device_image_format_properties(
    _: &Arc<PhysicalDevice>,
    format: vk::Format,
    kind: vk::ImageType,
    requested: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    out: &mut vk::ImageFormatProperties,
) -> vk::Result {
    let tiling = tiling(requested, std::ptr::null());
    match tiling.and_then(|tiling| physical::image_format(format, kind, tiling, usage, flags)) {
        Some(found) => {
            *out = found;
            vk::Result::SUCCESS
        }
        None => {
            *out = vk::ImageFormatProperties::default();
            vk::Result::ERROR_FORMAT_NOT_SUPPORTED
        }
    }
}

pub(crate) fn get_physical_device_image_format_properties2(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: &mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    let external = find::<vk::PhysicalDeviceExternalImageFormatInfo<'_>>(info.p_next)
        .filter(|external| !external.handle_type.is_empty())
        .map(|external| external::image_properties(external.handle_type, info.tiling));
    let found = tiling(info.tiling, info.p_next)
        .and_then(|tiling| physical::image_format(info.format, info.ty, tiling, info.usage, info.flags));
    match found.filter(|_| !matches!(external, Some(None))) {
        Some(found) => {
            out.image_format_properties = found;
            if let Some(more) = find_mut::<vk::ExternalImageFormatProperties<'_>>(out.p_next) {
                more.external_memory_properties = external.flatten().unwrap_or_default();
            }
            if let Some(more) = find_mut::<vk::SamplerYcbcrConversionImageFormatProperties<'_>>(out.p_next) {
                // Pools count sets, and sets have room for all planes.
                more.combined_image_sampler_descriptor_count = 1;
            }
            if let Some(cost) = find_mut::<vk::HostImageCopyDevicePerformanceQueryEXT<'_>>(out.p_next) {
                (cost.optimal_device_access, cost.identical_memory_layout) = (vk::TRUE, vk::TRUE);
            }
            vk::Result::SUCCESS
        }
        None => {
            out.image_format_properties = vk::ImageFormatProperties::default();
            vk::Result::ERROR_FORMAT_NOT_SUPPORTED
        }
    }
}

pub(crate) fn get_physical_device_tool_properties(
    _: &Arc<PhysicalDevice>,
    fill: Fill<u32, vk::PhysicalDeviceToolProperties<'_>>,
) -> vk::Result {
    fill.fill::<()>(&[], |_, _| {})
}

/// The next structure of a chain, for structures of unknown type, which are left unchanged.
pub(crate) type Next = *mut c_void;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_the_commands_of_their_version_and_extensions() {
        let has = |name: &str, minor: u32, extensions: &[&str]| {
            let enabled = extensions.iter().map(|name| (*name).to_owned()).collect();
            has_command(generated::find(name).expect(name), minor, &enabled)
        };
        assert!(has("vkQueueSubmit", 0, &[]) && has("vkGetDeviceProcAddr", 0, &[]));
        assert!(has("vkCmdBeginRendering", 3, &[]) && !has("vkCmdBeginRendering", 2, &[]));
        let name = "vkCmdSetColorBlendEquationEXT";
        assert!(!has(name, 3, &[]) && !has(name, 3, &["VK_KHR_swapchain"]));
        assert!(has(name, 3, &["VK_EXT_extended_dynamic_state3"]) && has(name, 0, &["VK_EXT_shader_object"]));
        assert!(!has("vkCmdDrawIndirectCountKHR", 3, &[]));
        for of_instance in ["vkCreateInstance", "vkDestroyInstance", "vkCreateDevice"] {
            assert!(!has(of_instance, 3, &[]), "{of_instance}");
        }
    }
}

//! Entry points of Vulkan drivers: that of the project, which is linked, or another behind the Vulkan loader.

use std::ffi::CStr;

use ash::vk;

use crate::Problem;

/// The project's driver.
pub(crate) fn own() -> ash::Entry {
    let functions = ash::StaticFn { get_instance_proc_addr: vulkan_agx::vk_icdGetInstanceProcAddr };
    // SAFETY: the function is the driver's, which gives functions of Vulkan by their names.
    unsafe { ash::Entry::from_static_fn(functions) }
}

/// Names of the Vulkan loader.
const LOADER: &str = "libvulkan.so.1";

/// The driver that the Vulkan loader finds.
pub(crate) fn loaded() -> Result<ash::Entry, Problem> {
    const NAME: &CStr = c"vkGetInstanceProcAddr";
    // SAFETY: the loader is what its name says, and stays loaded as long as the process lives.
    unsafe {
        let library = libloading::Library::new(LOADER).map_err(|error| {
            format!("the Vulkan loader `{LOADER}` cannot be opened (a static build of the kit can open none): {error}")
        })?;
        let function = *library.get::<vk::PFN_vkGetInstanceProcAddr>(NAME.to_bytes_with_nul())?;
        std::mem::forget(library);
        Ok(ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: function }))
    }
}

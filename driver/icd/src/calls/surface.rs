//! Surfaces.

use std::sync::{Arc, OnceLock};

use agx_driver::Error;
use agx_driver::surface::{Headless, Surface, X11};
use agx_driver::swapchain::LEAST_IMAGES;
use ash::vk;
use x11rb::xcb_ffi::{XCBConnection, load_libxcb};

use crate::handles::{give, shared, take};
use crate::objects::{Instance, PhysicalDevice};
use crate::pointers::{Fill, each_mut};

/// Images are shown in the order of presentation, one at a time, so all modes behave alike.
const PRESENT_MODES: [vk::PresentModeKHR; 3] =
    [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// Maximum size of a surface without a size.
const SIDE: u32 = 16384;

pub(crate) fn create_headless_surface_ext(
    _: &Arc<Instance>,
    _: &vk::HeadlessSurfaceCreateInfoEXT<'_>,
    out: &mut vk::SurfaceKHR,
) -> Result<(), Error> {
    *out = give::<vk::SurfaceKHR>(Arc::new(Box::new(Headless)));
    Ok(())
}

fn missing(error: impl std::fmt::Display) -> Error {
    Error::Surface { what: error.to_string() }
}

/// A window of the application's connection.
fn window(connection: *mut vk::xcb_connection_t, window: u32) -> Result<Box<dyn Surface>, Error> {
    load_libxcb().map_err(missing)?;
    // SAFETY: valid usage: the connection stays open until the surface is destroyed, and this object does not close it.
    let connection = unsafe { XCBConnection::from_raw_xcb_connection(connection, false) };
    Ok(Box::new(X11::new(connection.map_err(missing)?, window)?))
}

pub(crate) fn create_xcb_surface_khr(
    _: &Arc<Instance>,
    info: &vk::XcbSurfaceCreateInfoKHR<'_>,
    out: &mut vk::SurfaceKHR,
) -> Result<(), Error> {
    *out = give::<vk::SurfaceKHR>(Arc::new(window(info.connection, info.window)?));
    Ok(())
}

/// `XGetXCBConnection` of libX11-xcb.
type ConnectionOf = unsafe extern "C" fn(*mut vk::Display) -> *mut vk::xcb_connection_t;

/// The connection of an Xlib display.
fn connection_of(display: *mut vk::Display) -> Result<*mut vk::xcb_connection_t, Error> {
    static LIBRARY: OnceLock<Result<libloading::Library, String>> = OnceLock::new();
    // SAFETY: the library is part of Xlib, which the application uses; its initialisation has no conditions.
    let load = || unsafe { libloading::Library::new("libX11-xcb.so.1") }.map_err(|error| error.to_string());
    let library = LIBRARY.get_or_init(load).as_ref().map_err(missing)?;
    // SAFETY: the function has this type in `X11/Xlib-xcb.h`.
    let function = unsafe { library.get::<ConnectionOf>(b"XGetXCBConnection\0") }.map_err(missing)?;
    // SAFETY: valid usage of `VkXlibSurfaceCreateInfoKHR`: the display is open.
    Ok(unsafe { function(display) })
}

pub(crate) fn create_xlib_surface_khr(
    _: &Arc<Instance>,
    info: &vk::XlibSurfaceCreateInfoKHR<'_>,
    out: &mut vk::SurfaceKHR,
) -> Result<(), Error> {
    *out = give::<vk::SurfaceKHR>(Arc::new(window(connection_of(info.dpy)?, info.window as u32)?));
    Ok(())
}

pub(crate) fn destroy_surface_khr(_: &Arc<Instance>, surface: vk::SurfaceKHR) {
    drop(take(surface));
}

pub(crate) fn get_physical_device_xcb_presentation_support_khr(
    _: &Arc<PhysicalDevice>,
    _: u32,
    _: *mut vk::xcb_connection_t,
    _: vk::xcb_visualid_t,
) -> vk::Bool32 {
    vk::TRUE
}

pub(crate) fn get_physical_device_xlib_presentation_support_khr(
    _: &Arc<PhysicalDevice>,
    _: u32,
    _: *mut vk::Display,
    _: vk::VisualID,
) -> vk::Bool32 {
    vk::TRUE
}

pub(crate) fn get_physical_device_surface_support_khr(
    _: &Arc<PhysicalDevice>,
    _: u32,
    _: vk::SurfaceKHR,
    out: &mut vk::Bool32,
) -> Result<(), Error> {
    *out = vk::TRUE;
    Ok(())
}

fn capabilities(surface: vk::SurfaceKHR) -> Result<vk::SurfaceCapabilitiesKHR, Error> {
    use vk::ImageUsageFlags as U;
    let extent = |[width, height]: [u32; 2]| vk::Extent2D { width, height };
    let own = shared(surface)?.size()?;
    Ok(vk::SurfaceCapabilitiesKHR {
        min_image_count: LEAST_IMAGES,
        max_image_count: 0,
        current_extent: extent(own.unwrap_or([u32::MAX; 2])),
        min_image_extent: extent(own.unwrap_or([1; 2])),
        max_image_extent: extent(own.unwrap_or([SIDE; 2])),
        max_image_array_layers: 1,
        supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
        current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::INHERIT,
        supported_usage_flags: U::TRANSFER_SRC
            | U::TRANSFER_DST
            | U::SAMPLED
            | U::STORAGE
            | U::COLOR_ATTACHMENT
            | U::INPUT_ATTACHMENT,
    })
}

pub(crate) fn get_physical_device_surface_capabilities_khr(
    _: &Arc<PhysicalDevice>,
    surface: vk::SurfaceKHR,
    out: &mut vk::SurfaceCapabilitiesKHR,
) -> Result<(), Error> {
    *out = capabilities(surface)?;
    Ok(())
}

pub(crate) fn get_physical_device_surface_capabilities2_khr(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    out: &mut vk::SurfaceCapabilities2KHR<'_>,
) -> Result<(), Error> {
    out.surface_capabilities = capabilities(info.surface)?;
    each_mut(out.p_next, |kind, structure| {
        if kind == vk::StructureType::SURFACE_PROTECTED_CAPABILITIES_KHR {
            // SAFETY: by its tag, it is this structure, which the command writes.
            let protected = unsafe { &mut *structure.cast::<vk::SurfaceProtectedCapabilitiesKHR<'_>>() };
            protected.supports_protected = vk::FALSE;
        }
    });
    Ok(())
}

fn formats(surface: vk::SurfaceKHR) -> Result<Vec<vk::SurfaceFormatKHR>, Error> {
    let of = |format: &vk::Format| vk::SurfaceFormatKHR {
        format: *format,
        color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR,
    };
    Ok(shared(surface)?.formats().iter().map(of).collect())
}

pub(crate) fn get_physical_device_surface_formats_khr(
    _: &Arc<PhysicalDevice>,
    surface: vk::SurfaceKHR,
    fill: Fill<u32, vk::SurfaceFormatKHR>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&formats(surface)?, |format, slot| *slot = *format))
}

pub(crate) fn get_physical_device_surface_formats2_khr(
    _: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    fill: Fill<u32, vk::SurfaceFormat2KHR<'_>>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&formats(info.surface)?, |format, slot| slot.surface_format = *format))
}

pub(crate) fn get_physical_device_surface_present_modes_khr(
    _: &Arc<PhysicalDevice>,
    _: vk::SurfaceKHR,
    fill: Fill<u32, vk::PresentModeKHR>,
) -> vk::Result {
    fill.fill(&PRESENT_MODES, |mode, slot| *slot = *mode)
}

pub(crate) fn get_physical_device_present_rectangles_khr(
    _: &Arc<PhysicalDevice>,
    surface: vk::SurfaceKHR,
    fill: Fill<u32, vk::Rect2D>,
) -> Result<vk::Result, Error> {
    let [width, height] = shared(surface)?.size()?.unwrap_or([SIDE; 2]);
    let whole = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
    Ok(fill.fill(&[whole], |rectangle, slot| *slot = *rectangle))
}

//! Surfaces.

use std::os::fd::AsFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};

use agx_driver::Error;
use agx_driver::surface::{Direct, Headless, Surface, Wayland, X11};
use agx_driver::swapchain::LEAST_IMAGES;
use ash::vk;
use wayland_backend::client::{Backend, ObjectId};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Proxy as _};
use x11rb::rust_connection::RustConnection;
use x11rb::xcb_ffi::{XCBConnection, load_libxcb};

use crate::environment::node;
use crate::handles::{give, shared, take};
use crate::newer;
use crate::objects::{Instance, PhysicalDevice};
use crate::pointers::{Fill, find_mut};

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

/// The name of the server of a connection on this machine.
fn server(connection: &XCBConnection) -> Option<String> {
    let socket = UnixStream::from(connection.as_fd().try_clone_to_owned().ok()?);
    let address = socket.peer_addr().ok()?;
    let path = address.as_pathname().map(|path| path.as_os_str().as_bytes());
    let path = path.or_else(|| address.as_abstract_name())?;
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    let number: u32 = std::str::from_utf8(name.strip_prefix(b"X")?).ok()?.parse().ok()?;
    Some(format!(":{number}"))
}

/// A window of the application's connection.
fn window(connection: *mut vk::xcb_connection_t, window: u32) -> Result<Box<dyn Surface>, Error> {
    load_libxcb().map_err(missing)?;
    // SAFETY: valid usage: the connection stays open until the surface is destroyed, and this object does not close it.
    let connection = unsafe { XCBConnection::from_raw_xcb_connection(connection, false) }.map_err(missing)?;
    let name = server(&connection);
    let direct = |depth| {
        let (own, _) = RustConnection::connect(Some(&name?)).ok()?;
        Direct::open(own, window, depth, node()?)
    };
    Ok(Box::new(X11::new(connection, window, direct)?))
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

/// A surface of the application's connection.
fn wayland(info: &vk::WaylandSurfaceCreateInfoKHR<'_>) -> Result<Wayland, Error> {
    if !wayland_sys::client::is_lib_available() {
        return Err(missing("libwayland-client cannot be loaded"));
    }
    // SAFETY: valid usage: the display stays connected until the surface is destroyed.
    let backend = unsafe { Backend::from_foreign_display(info.display.cast()) };
    let connection = Connection::from_backend(backend);
    // SAFETY: valid usage: the surface exists until this one is destroyed.
    let id = unsafe { ObjectId::from_ptr(WlSurface::interface(), info.surface.cast()) }.map_err(missing)?;
    let surface = WlSurface::from_id(&connection, id).map_err(missing)?;
    Wayland::new(connection, surface, node())
}

pub(crate) fn create_wayland_surface_khr(
    _: &Arc<Instance>,
    info: &vk::WaylandSurfaceCreateInfoKHR<'_>,
    out: &mut vk::SurfaceKHR,
) -> Result<(), Error> {
    *out = give::<vk::SurfaceKHR>(Arc::new(Box::new(wayland(info)?)));
    Ok(())
}

pub(crate) fn get_physical_device_wayland_presentation_support_khr(
    _: &Arc<PhysicalDevice>,
    _: u32,
    _: *mut vk::wl_display,
) -> vk::Bool32 {
    vk::TRUE
}

fn capabilities(surface: vk::SurfaceKHR) -> Result<vk::SurfaceCapabilitiesKHR, Error> {
    use vk::ImageUsageFlags as U;
    let extent = |[width, height]: [u32; 2]| vk::Extent2D { width, height };
    let surface = shared(surface)?;
    let own = surface.size()?;
    Ok(vk::SurfaceCapabilitiesKHR {
        min_image_count: LEAST_IMAGES,
        max_image_count: 0,
        current_extent: extent(own.unwrap_or([u32::MAX; 2])),
        min_image_extent: extent(own.unwrap_or([1; 2])),
        max_image_extent: extent(own.unwrap_or([SIDE; 2])),
        max_image_array_layers: 1,
        supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
        current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: surface.alphas(),
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
    if let Some(protected) = find_mut::<vk::SurfaceProtectedCapabilitiesKHR<'_>>(out.p_next) {
        protected.supports_protected = vk::FALSE;
    }
    if let Some(scaling) = find_mut::<vk::SurfacePresentScalingCapabilitiesEXT<'_>>(out.p_next) {
        let (none, own) = (vk::PresentGravityFlagsEXT::empty(), out.surface_capabilities);
        scaling.supported_present_scaling = vk::PresentScalingFlagsEXT::empty();
        (scaling.supported_present_gravity_x, scaling.supported_present_gravity_y) = (none, none);
        scaling.min_scaled_image_extent = own.min_image_extent;
        scaling.max_scaled_image_extent = own.max_image_extent;
    }
    if let Some(numbered) = find_mut::<newer::SurfaceCapabilitiesPresentId2>(out.p_next) {
        numbered.present_id2_supported = vk::TRUE;
    }
    if let Some(awaited) = find_mut::<newer::SurfaceCapabilitiesPresentWait2>(out.p_next) {
        awaited.present_wait2_supported = vk::TRUE;
    }
    if let Some(timed) = find_mut::<newer::PresentTimingSurfaceCapabilities>(out.p_next) {
        let is_timed = shared(info.surface)?.tells_times();
        timed.present_timing_supported = is_timed.into();
        timed.present_at_absolute_time_supported = vk::FALSE;
        timed.present_at_relative_time_supported = vk::FALSE;
        timed.present_stage_queries = if is_timed { newer::FIRST_PIXEL_OUT } else { 0 };
    }
    if let Some(alike) = find_mut::<vk::SurfacePresentModeCompatibilityEXT<'_>>(out.p_next) {
        // Every presentation has its own mode.
        // SAFETY: valid usage of `VkSurfacePresentModeCompatibilityEXT`.
        let fill = unsafe { Fill::new(&raw mut alike.present_mode_count, alike.p_present_modes) };
        let _ = fill.fill(&shared(info.surface)?.modes(), |mode, slot| *slot = *mode);
    }
    Ok(())
}

/// Pixels are shown as they are, whatever the colours are meant to be.
fn formats(physical: &PhysicalDevice, surface: vk::SurfaceKHR) -> Result<Vec<vk::SurfaceFormatKHR>, Error> {
    let spaces = [vk::ColorSpaceKHR::SRGB_NONLINEAR, vk::ColorSpaceKHR::PASS_THROUGH_EXT];
    let spaces = spaces.into_iter().take(if physical.has_spaces { 2 } else { 1 });
    let formats = shared(surface)?.formats();
    let of =
        |color_space| formats.iter().map(move |format| vk::SurfaceFormatKHR { format: *format, color_space });
    Ok(spaces.flat_map(of).collect())
}

pub(crate) fn get_physical_device_surface_formats_khr(
    physical: &Arc<PhysicalDevice>,
    surface: vk::SurfaceKHR,
    fill: Fill<u32, vk::SurfaceFormatKHR>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&formats(physical, surface)?, |format, slot| *slot = *format))
}

pub(crate) fn get_physical_device_surface_formats2_khr(
    physical: &Arc<PhysicalDevice>,
    info: &vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    fill: Fill<u32, vk::SurfaceFormat2KHR<'_>>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&formats(physical, info.surface)?, |format, slot| slot.surface_format = *format))
}

pub(crate) fn get_physical_device_surface_present_modes_khr(
    _: &Arc<PhysicalDevice>,
    surface: vk::SurfaceKHR,
    fill: Fill<u32, vk::PresentModeKHR>,
) -> Result<vk::Result, Error> {
    Ok(fill.fill(&shared(surface)?.modes(), |mode, slot| *slot = *mode))
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

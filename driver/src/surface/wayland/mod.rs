//! Surfaces of Wayland, on the connection of the application.
//!
//! If the device and the compositor share memory, images are shown by `linux-dmabuf`; otherwise their pixels are copied to
//! shared memory of the processors.

mod chain;
mod globals;

use std::sync::Arc;

use ash::vk;
use wayland_client::Connection;
use wayland_client::protocol::wl_surface::WlSurface;

use chain::WaylandChain;
use globals::Globals;

use super::{Chain, Look, SharedImage, Surface};
use crate::Error;
use crate::modifier::{MODIFIERS, Modifier};

/// A format of Vulkan, and the formats of `drm_fourcc.h` with and without alpha.
struct Format {
    format: vk::Format,
    with_alpha: [u8; 4],
    opaque: [u8; 4],
    /// Whether the name of the other order of colours is that of this format's sRGB variant.
    srgb: Option<vk::Format>,
}

/// Formats of buffers, the best first.
const FORMATS: &[Format] = &[
    Format {
        format: vk::Format::B8G8R8A8_UNORM,
        with_alpha: *b"AR24",
        opaque: *b"XR24",
        srgb: Some(vk::Format::B8G8R8A8_SRGB),
    },
    Format {
        format: vk::Format::R8G8B8A8_UNORM,
        with_alpha: *b"AB24",
        opaque: *b"XB24",
        srgb: Some(vk::Format::R8G8B8A8_SRGB),
    },
    Format {
        format: vk::Format::A2R10G10B10_UNORM_PACK32,
        with_alpha: *b"AR30",
        opaque: *b"XR30",
        srgb: None,
    },
    Format {
        format: vk::Format::A2B10G10R10_UNORM_PACK32,
        with_alpha: *b"AB30",
        opaque: *b"XB30",
        srgb: None,
    },
    Format { format: vk::Format::R16G16B16A16_SFLOAT, with_alpha: *b"AB4H", opaque: *b"XB4H", srgb: None },
];

/// The code of a format in `drm_fourcc.h`.
fn code(format: vk::Format, opaque: bool) -> Option<u32> {
    let row = FORMATS.iter().find(|row| row.format == format || row.srgb == Some(format))?;
    Some(u32::from_le_bytes(if opaque { row.opaque } else { row.with_alpha }))
}

/// A surface.
pub struct Wayland {
    surface: WlSurface,
    globals: Arc<Globals>,
    /// Whether the device's memory is that of a render node.
    shares: bool,
}

impl Wayland {
    /// A surface of a connection. `node`: major and minor number of the render node of devices, if they have one.
    ///
    /// # Errors
    /// The connection is lost, or the compositor lacks what every compositor has.
    pub fn new(connection: Connection, surface: WlSurface, node: Option<[u32; 2]>) -> Result<Wayland, Error> {
        let globals = Globals::find(connection, &surface, node)?;
        Ok(Wayland { surface, globals: Arc::new(globals), shares: node.is_some() })
    }

    /// Whether the compositor takes buffers of a format.
    fn takes(&self, format: vk::Format, opaque: bool) -> bool {
        let Some(code) = code(format, opaque) else { return false };
        let is_shared = self.shares && !self.globals.modifiers(code).is_empty();
        is_shared || self.globals.takes_copies(code)
    }
}

impl Surface for Wayland {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        Ok(None)
    }

    fn formats(&self) -> Vec<vk::Format> {
        let known =
            FORMATS.iter().filter(|row| self.takes(row.format, true) || self.takes(row.format, false));
        known.flat_map(|row| [Some(row.format), row.srgb]).flatten().collect()
    }

    fn modes(&self) -> Vec<vk::PresentModeKHR> {
        let mut modes = vec![vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX];
        if self.globals.tearing.is_some() {
            modes.push(vk::PresentModeKHR::IMMEDIATE);
        }
        modes
    }

    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR {
        vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED
    }

    fn tells_times(&self) -> bool {
        self.globals.tells_times()
    }

    fn modifiers(&self, look: &Look) -> Vec<Modifier> {
        if !self.shares {
            return Vec::new();
        }
        let taken = code(look.format, look.opaque).map(|code| self.globals.modifiers(code));
        let taken = taken.unwrap_or_default();
        MODIFIERS.into_iter().filter(|modifier| taken.contains(&modifier.number())).collect()
    }

    fn takes_points(&self) -> bool {
        self.globals.points.is_some()
    }

    fn chain(&self, look: &Look, shared: &[SharedImage<'_>]) -> Result<Box<dyn Chain>, Error> {
        let code = code(look.format, look.opaque).ok_or(Error::Format(look.format))?;
        Ok(Box::new(WaylandChain::new(self.globals.clone(), &self.surface, look, code, shared)?))
    }
}

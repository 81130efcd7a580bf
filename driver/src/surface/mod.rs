//! Surfaces, on which images are presented.

mod x11;

use ash::vk;

pub use x11::X11;

use crate::Error;

/// A surface that shows images.
pub trait Surface: Send + Sync {
    /// Width and height; `None` if the swapchain determines them.
    ///
    /// # Errors
    /// The window was closed.
    fn size(&self) -> Result<Option<[u32; 2]>, Error>;

    /// Supported formats.
    fn formats(&self) -> &'static [vk::Format];

    /// Shows pixels of four bytes, in rows from the top.
    ///
    /// # Errors
    /// The window was closed.
    fn show(&self, size: [u32; 2], pixels: &[u8]) -> Result<(), Error>;
}

impl<S: Surface + ?Sized> Surface for Box<S> {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        (**self).size()
    }

    fn formats(&self) -> &'static [vk::Format] {
        (**self).formats()
    }

    fn show(&self, size: [u32; 2], pixels: &[u8]) -> Result<(), Error> {
        (**self).show(size, pixels)
    }
}

/// A surface without a window (`VK_EXT_headless_surface`).
#[derive(Clone, Copy, Debug)]
pub struct Headless;

impl Surface for Headless {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        Ok(None)
    }

    fn formats(&self) -> &'static [vk::Format] {
        &[
            vk::Format::B8G8R8A8_UNORM,
            vk::Format::B8G8R8A8_SRGB,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R8G8B8A8_SRGB,
        ]
    }

    /// Discards the pixels.
    fn show(&self, _: [u32; 2], _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}
